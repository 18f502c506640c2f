// What the end of a program means: its output in the form that the binding names, or a failure with a code of its own.
import { ToolError } from '../../../contract/fault.ts'
import { readJson } from '../../../json/read.ts'
import type { JsonValue } from '../../../json/value.ts'
import type { Ending } from './child.ts'
import { setupMissing, signalName } from './launch.ts'
import type { ProcessSettings } from './settings.ts'

/** Throws a ToolError where the program failed. What was ended by us may have done anything before: its effect is unknown. */
export function programResult(ending: Ending, settings: ProcessSettings): JsonValue {
  const { limits } = settings
  if (ending.kind === 'not_started') throw setupMissing(ending.message)
  const { code, signal, stopped, stdout, stderr } = ending
  if (stopped === 'stdout' || stopped === 'stderr')
    throw new ToolError(
      'output_too_large',
      `The program wrote more than ${limits[`${stopped}Bytes`]} bytes to ${stopped}, which is the most that this tool reads, and was ended.`,
      { class: 'OUT_OF_BOUNDS' },
    )
  if (code !== null && settings.success.has(code)) return outputOf(stdout, settings)
  if (stopped === 'aborted')
    throw new ToolError('ended', 'The program was ended before it was done.', { class: 'TIMEOUT' })
  const killedBy = signal ?? (code !== null && code > 128 ? signalName(code) : undefined)
  if (killedBy !== undefined) {
    const limit = limitSignals.get(killedBy)
    if (limit !== undefined) throw new ToolError(limit[0], limit[1], { class: 'OUT_OF_BOUNDS' })
    throw new ToolError(killedBy.toLowerCase(), `The program was ended by ${killedBy}.${lastWords(stderr)}`)
  }
  const effect = settings.unchanged.has(code ?? -1) ? 'none' : 'unknown'
  throw new ToolError(`exit_${code}`, `The program ended with code ${code}.${lastWords(stderr)}`, { effect })
}

const limitSignals: ReadonlyMap<string, readonly [string, string]> = new Map([
  ['SIGXCPU', ['cpu_limit', 'The program used up its processor time.']],
  ['SIGXFSZ', ['file_limit', 'The program wrote a file larger than it may.']],
])

const maxTold = 500

/** The last words of the program; foreign text, so nothing that moves a cursor is left in it. */
function lastWords(stderr: Buffer): string {
  const text = stderr
    .toString('utf8')
    .replace(/[\p{Cc}\p{Cf}]+/gu, ' ')
    .trim()
  // Without the word that it cuts: half of a secret would not be known for one.
  const last = text.length <= maxTold ? text : text.slice(-maxTold).replace(/^\S+\s*/u, '')
  return last === '' ? '' : ` It says: ${last}`
}

/** The program has done its work, also where its output cannot be read. */
function outputOf(stdout: Buffer, { output }: ProcessSettings): JsonValue {
  const text = outputText(stdout)
  switch (output) {
    case 'text':
      return { text }
    case 'lines':
      return { lines: text === '' ? [] : text.replace(/\r?\n$/, '').split(/\r?\n/) }
    case 'json': {
      const reading = readJson(text)
      if (reading.ok) return reading.value
      throw badOutput(`What the program wrote is no JSON: ${reading.refusal.message}`)
    }
  }
}

function outputText(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw badOutput('What the program wrote is not text in UTF-8.')
  }
}

const badOutput = (message: string) => new ToolError('bad_output', message, { effect: 'happened' })
