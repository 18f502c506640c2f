// The flags that every script in this folder takes, and the one way in which each of them reports.
// Invariant: with `--json` the last line on stdout is one JSON object, and everything meant for people goes to stderr.
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'

/** Third-party data lies beside the checkout; nothing of it is part of the project. */
export const defaultData = resolve(import.meta.dirname, '../../shared/data')

/** Exit code of a script that found nothing to judge, or was started with flags that it does not know. */
export const nothingJudged = 2

export function readArguments<const T extends ParseArgsOptionsConfig>(options: T) {
  try {
    return parseArgs({ options: { ...options, json: { type: 'boolean', default: false } }, strict: true }).values
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    const flags = Object.entries(options).map(([name, { type }]) => `[--${name}${type === 'boolean' ? '' : ' …'}]`)
    console.error(`Flags: [--json] ${flags.join(' ')}`)
    process.exit(nothingJudged)
  }
}

export function readCount(text: string, flag: string): number {
  const count = Number(text)
  if (Number.isSafeInteger(count) && count >= 0) return count
  console.error(`--${flag} takes a whole number.`)
  process.exit(nothingJudged)
}

/** What people read; on stderr, so that stdout stays a machine's. */
export function say(text: string): void {
  process.stderr.write(`${text}\n`)
}

export function report(result: object, json: boolean): void {
  process.stdout.write(`${json ? JSON.stringify(result) : JSON.stringify(result, null, 2)}\n`)
}

/** Says which of the folders are absent, so that a run without data is never mistaken for a good one. */
export function absentFolders(folders: readonly string[]): readonly string[] {
  const absent = folders.filter((folder) => !existsSync(folder))
  for (const folder of absent) say(`NOT JUDGED: there is no ${folder}`)
  return absent
}
