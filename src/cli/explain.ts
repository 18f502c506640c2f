// `proviso explain`: a recorded call as a timeline of its facts, and what follows from it.
import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { callFilePath, defaultFolder, readCallFile, recordedIds } from './call-record.ts'
import { type CommandRow, done, flag, jsonOption, misuse, text } from './command.ts'

const shownIds = 10

export const explain: CommandRow = {
  name: 'explain',
  group: 'Calls:',
  summary: 'show why a recorded call ended as it did, phase by phase',
  arguments: [{ syntax: '<call>', about: 'call id, its beginning, "latest", or a record file' }],
  options: [{ flags: '--dir <folder>', about: `where the records are (default: ${defaultFolder})` }, jsonOption],
  examples: ['proviso explain latest', 'proviso explain 0199c2f1-7a --json', 'proviso explain ./call.json'],
  exits: ['explained', 'does not occur', 'no such call, or a file that is no record'],
  async run(given, terminal) {
    const [wanted = ''] = given.words
    const folder = resolve(terminal.folder, text(given, 'dir') ?? defaultFolder)
    const found = await locate(wanted, folder, terminal.folder)
    if (!found.ok) return misuse(found.message, found.details)
    const reading = await readCallFile(found.file)
    if (!reading.ok) return misuse(`${wanted} is not a record of a call.`, reading.problems.slice(0, shownIds))
    const { explanationOf } = await import('./explain/explanation.ts')
    const explanation = explanationOf(reading.record)
    if (flag(given, 'json')) {
      terminal.out(JSON.stringify(explanation, null, 2))
    } else {
      const { showExplanation } = await import('./explain/show-explanation.ts')
      terminal.out(showExplanation(explanation, terminal.colours))
    }
    return done(true)
  },
}

type Located =
  | { readonly ok: true; readonly file: string }
  | { readonly ok: false; readonly message: string; readonly details: readonly string[] }

async function locate(wanted: string, folder: string, from: string): Promise<Located> {
  const ids = await recordedIds(folder)
  const latest = ids.at(-1)
  if (wanted === 'latest' && latest !== undefined) return { ok: true, file: callFilePath(folder, latest) }
  const matches = wanted === '' ? [] : ids.filter((id) => id.startsWith(wanted))
  const [only] = matches
  if (only !== undefined && matches.length === 1) return { ok: true, file: callFilePath(folder, only) }
  const file = resolve(from, wanted)
  if (matches.length === 0 && (await stat(file).catch(() => undefined))?.isFile()) return { ok: true, file }
  if (ids.length === 0) {
    return {
      ok: false,
      message: 'No calls are on record.',
      details: ['proviso call writes a record of every call it makes.'],
    }
  }
  const message =
    matches.length > 1 ? `Several calls begin with ${wanted}.` : `There is no call ${wanted.slice(0, 64)} on record.`
  const known = (matches.length > 1 ? matches : ids).slice(-shownIds).reverse()
  return { ok: false, message, details: ['On record, newest first:', ...known] }
}
