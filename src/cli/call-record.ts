// The record of one trial call: what `call` writes and `explain` reads. Sensitive arguments and redacted results are masked before
// anything reaches the disk.
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { phaseNames } from '../contract/fact.ts'
import type { CompiledSchema } from '../contract/tool.ts'
import type { WireAnswer, WireFact } from '../contract/wire.ts'
import { readJson } from '../json/read.ts'
import type { JsonObject, JsonValue } from '../json/value.ts'

export interface RecordedCall {
  readonly id: string
  readonly tool: string
  readonly version: string
  readonly effect_class: string | null
  readonly ledger: 'ephemeral' | 'durable'
  readonly tenant: string
  readonly user: string | null
  readonly run: string | null
  readonly operation_id: string | null
  readonly provider_call_id: string | null
  /** Null where they could not be read. */
  readonly arguments: JsonValue
  readonly started_at: string
  readonly passes: number
}

export interface CallFile {
  readonly call: RecordedCall
  readonly facts: readonly WireFact[]
  readonly answer: WireAnswer
}

export const defaultFolder = '.proviso'

const callsIn = (folder: string) => join(folder, 'calls')

/** Writes the record and returns its path. Records hold data of real systems: only their owner may read them, and git does not. */
export async function writeCallFile(folder: string, record: CallFile): Promise<string> {
  const calls = callsIn(folder)
  if ((await mkdir(calls, { recursive: true })) !== undefined)
    await writeFile(join(folder, '.gitignore'), '*\n', { flag: 'wx' }).catch(() => {})
  const file = join(calls, `${record.call.id}.json`)
  await writeFile(file, `${JSON.stringify(record, null, 2)}\n`, { mode: 0o600 })
  return file
}

/** Ids on record, oldest first: an id begins with its time. */
export async function recordedIds(folder: string): Promise<readonly string[]> {
  const entries = await readdir(callsIn(folder)).catch(() => [])
  return entries
    .filter((entry) => entry.endsWith('.json'))
    .map((entry) => entry.slice(0, -'.json'.length))
    .sort()
}

export const callFilePath = (folder: string, id: string) => join(callsIn(folder), `${id}.json`)

export type CallFileReading =
  | { readonly ok: true; readonly record: CallFile }
  | { readonly ok: false; readonly problems: readonly string[] }

/** Stored results may be large, so the limits are wider than for what a model sends. */
const limits = { maxBytes: 256 * 1024 * 1024, maxDepth: 256, maxValues: 1_000_000 }

export async function readCallFile(file: string): Promise<CallFileReading> {
  const text = await readFile(file, 'utf8').catch(() => undefined)
  if (text === undefined) return { ok: false, problems: ['The file cannot be read.'] }
  const reading = readJson(text, limits)
  if (!reading.ok) {
    const { line, column, message } = reading.refusal
    return { ok: false, problems: [`line ${line}, column ${column}: ${message}`] }
  }
  const schema = await recordSchema()
  if (schema.matches(reading.value)) return { ok: true, record: reading.value as unknown as CallFile }
  return { ok: false, problems: schema.explain(reading.value, []).map(({ field, message }) => `${field}: ${message}`) }
}

let compiled: CompiledSchema | undefined

async function recordSchema(): Promise<CompiledSchema> {
  if (compiled !== undefined) return compiled
  const [{ compileSchema }, { observationSchema }] = await Promise.all([
    import('../contract/compile-tool.ts'),
    import('../contract/observation.ts'),
  ])
  const compilation = compileSchema(schemaOf(observationSchema), '')
  if (!compilation.ok) throw new TypeError(`The schema of call records is broken: ${compilation.problems[0]?.message}`)
  compiled = compilation.schema
  return compiled
}

/** What `explain` relies on, and no more: a record of a later version may say more. */
function schemaOf(observation: JsonObject): JsonObject {
  const text = { type: 'string' }
  const textOrNull = { type: ['string', 'null'] }
  const named = (properties: JsonObject): JsonObject => ({
    type: 'object',
    required: Object.keys(properties),
    properties,
  })
  return named({
    call: named({
      id: text,
      tool: text,
      version: text,
      effect_class: textOrNull,
      ledger: { enum: ['ephemeral', 'durable'] },
      tenant: text,
      user: textOrNull,
      run: textOrNull,
      arguments: true,
      started_at: text,
      passes: { type: 'integer' },
    }),
    facts: {
      type: 'array',
      items: named({
        pass: { type: 'integer' },
        seq: { type: 'integer' },
        phase: { enum: phaseNames },
        at: text,
        micros: { type: 'number' },
        verdict: named({ kind: { enum: ['pass', 'stop', 'wait', 'end', 'again', 'late', 'recovered', 'resolved'] } }),
      }),
    },
    answer: named({
      observation: { ...observation, $id: 'urn:proviso:record:observation' },
      effect: { enum: ['none', 'happened', 'unknown', 'pending'] },
      response: named({ next_action: text }),
    }),
  })
}
