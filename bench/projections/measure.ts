// Measures the projections of published tools into each provider's dialect: how many are proven, how many list constraints that only this
// side checks, how many are refused, and whether every proven one survives sampling. Exit 0: targets met; 1: one is missed; 2: no data.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { isObject, type JsonObject, type JsonValue } from '../../src/json/value.ts'
import type { Preprocessed } from '../../src/schema/normal.ts'
import { preprocess } from '../../src/schema/preprocess.ts'
import { compileValidator } from '../../src/schema/validator.ts'
import { sample } from '../../src/subschema/generate/sample.ts'
import { type Provider, providers } from '../../src/surface/dialects/dialect-table.ts'
import { dialectTables } from '../../src/surface/dialects/dialect-tables.ts'
import { undoNulls } from '../../src/surface/projection/null-for-absent.ts'
import { type InputProjection, projectInput } from '../../src/surface/projection/project-input.ts'
import { absentFolders, defaultData, nothingJudged, readArguments, readCount, report, say } from '../arguments.ts'
import { thisMachine } from '../machine.ts'
import { strays } from './strays.ts'

interface PublishedTool {
  readonly set: 'mcp-tools' | 'bfcl'
  readonly id: string
  readonly schema: JsonObject
}

interface Row {
  readonly set: PublishedTool['set']
  readonly id: string
  readonly provider: Provider
  readonly verdict: InputProjection['verdict'] | 'crash'
  readonly only_local: readonly string[]
  readonly refusals: readonly string[]
  readonly sampled: number
  /** Values of the projection that the tool's own schema refuses; of a proven one there is none. */
  readonly unsurvived: number
  /** Places of the projection that the provider's strict mode does not take. */
  readonly strays: readonly string[]
  readonly detail: string
  readonly ms: number
}

const flags = readArguments({
  data: { type: 'string', default: defaultData },
  rows: { type: 'string' },
  /** Values made from every projection that is proven. */
  samples: { type: 'string', default: '1000' },
})
const samples = readCount(flags.samples, 'samples')
const data = resolve(flags.data)
const folders = { mcp: join(data, 'mcp-tools'), bfcl: join(data, 'bfcl') }
const absent = absentFolders(Object.values(folders))
if (absent.length === Object.keys(folders).length) {
  report({ skipped: `no data in ${data}`, absent }, flags.json)
  process.exit(nothingJudged)
}

const started = performance.now()
const tools = [
  ...(absent.includes(folders.mcp) ? [] : mcpTools()),
  ...(absent.includes(folders.bfcl) ? [] : bfclTools()),
]
const unread: string[] = []
const rows: Row[] = []
/** Tools of several versions share their schemas; what was sampled once need not be sampled again. */
const survived = new Map<string, { readonly sampled: number; readonly unsurvived: number; readonly detail: string }>()
for (const [index, tool] of tools.entries()) {
  const form = read(tool.schema)
  if (form === undefined) unread.push(`${tool.set} ${tool.id}`)
  else for (const provider of providers) rows.push(judge(tool, form, provider))
  if (index % 500 === 499) say(`${index + 1} of ${tools.length} tools`)
}
if (flags.rows !== undefined) writeFileSync(flags.rows, rows.map((row) => `${JSON.stringify(row)}\n`).join(''))

const byProvider = Object.fromEntries(
  providers.map((provider) => [provider, figures(rows.filter((row) => row.provider === provider))]),
)
const crashes = rows.filter(({ verdict }) => verdict === 'crash').length
const unsurvived = rows.filter((row) => row.verdict === 'proven' && row.unsurvived > 0).length
const straying = rows.filter((row) => row.strays.length > 0).length
const met = {
  crashes: crashes === 0,
  unsurvived: unsurvived === 0,
  strays: straying === 0,
  all_judged: rows.length === (tools.length - unread.length) * providers.length,
}
report(
  {
    tools: tools.length,
    unread,
    crashes,
    unsurvived,
    strays: straying,
    sampled: rows.reduce((sum, row) => sum + row.sampled, 0),
    ...byProvider,
    total_ms: Math.round(performance.now() - started),
    met,
    absent,
    machine: thisMachine(),
  },
  flags.json,
)
process.exitCode = Object.values(met).every(Boolean) ? 0 : 1

function mcpTools(): readonly PublishedTool[] {
  const files = readdirSync(folders.mcp).filter((name) => name.endsWith('.json') && name !== 'pairs.json')
  return files.flatMap((file) => {
    const document = JSON.parse(readFileSync(join(folders.mcp, file), 'utf8')) as {
      readonly tools?: readonly { readonly name: string; readonly inputSchema: JsonValue }[]
    }
    return (document.tools ?? []).flatMap(({ name, inputSchema }): readonly PublishedTool[] =>
      isObject(inputSchema) ? [{ set: 'mcp-tools', id: `${file} ${name}`, schema: inputSchema }] : [],
    )
  })
}

function bfclTools(): readonly PublishedTool[] {
  const lines = readFileSync(join(folders.bfcl, 'tools.jsonl'), 'utf8').trim().split('\n')
  return lines.map((line) => {
    const { ref, name, parameters } = JSON.parse(line) as { ref: string; name: string; parameters: JsonObject }
    return { set: 'bfcl', id: `${ref} ${name}`, schema: parameters }
  })
}

/** As a tool would be registered; unknown formats are taken for descriptions. */
function read(schema: JsonObject): Preprocessed | undefined {
  const strict = preprocess(schema)
  const reading = strict.ok ? strict : preprocess(schema, { formats: 'annotate' })
  return reading.ok ? reading.schema : undefined
}

function judge({ set, id, schema }: PublishedTool, form: Preprocessed, provider: Provider): Row {
  const before = performance.now()
  try {
    const projection = projectInput({ form, source: schema, table: dialectTables[provider], sensitive: [] })
    const ms = performance.now() - before
    const { verdict, onlyLocal, refusals, strict } = projection
    return {
      set,
      id,
      provider,
      verdict,
      only_local: onlyLocal.map(({ pointer }) => pointer),
      refusals: refusals.map(({ code, pointer }) => `${code} ${pointer}`),
      strays: strict === undefined ? [] : strays(strict, provider),
      ...(verdict === 'proven' ? survival(projection, form) : { sampled: 0, unsurvived: 0, detail: '' }),
      ms,
    }
  } catch (error) {
    const detail = error instanceof Error ? (error.stack ?? error.message).slice(0, 600) : String(error)
    const none = { only_local: [], refusals: [], strays: [], sampled: 0, unsurvived: 0 }
    return { set, id, provider, verdict: 'crash', ...none, detail, ms: performance.now() - before }
  }
}

/** Values of what the provider is given, with its nulls undone, are put to the tool's own validator. */
function survival({ strict }: InputProjection, form: Preprocessed) {
  const reading = preprocess(strict ?? {}, { formats: form.formats, dialect: form.dialect })
  if (!reading.ok) return { sampled: 0, unsurvived: 1, detail: 'the projection cannot be read' }
  // The same schema by another name: there is nothing that could differ.
  if (reading.schema.hash === form.hash) return { sampled: 0, unsurvived: 0, detail: 'unchanged' }
  const key = `${reading.schema.hash} ${form.hash}`
  const known = survived.get(key)
  if (known !== undefined) return known
  const { matches } = compileValidator(form)
  let refused = 0
  let detail = ''
  const values = sample(reading.schema, samples)
  for (const value of values) {
    const given = isObject(value) ? (undoNulls(value, form)?.value ?? value) : value
    if (matches(given)) continue
    refused++
    detail ||= JSON.stringify(given).slice(0, 300)
  }
  const outcome = { sampled: values.length, unsurvived: refused, detail }
  survived.set(key, outcome)
  return outcome
}

function figures(own: readonly Row[]) {
  const count = (verdict: Row['verdict']): number => own.filter((row) => row.verdict === verdict).length
  const times = own.map(({ ms }) => ms).sort((a, b) => a - b)
  const at = (share: number): number =>
    Math.round((times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0) * 100) / 100
  const reasons: Record<string, number> = {}
  for (const { refusals } of own) {
    for (const code of new Set(refusals.map((refusal) => refusal.split(' ')[0] ?? ''))) {
      reasons[code] = (reasons[code] ?? 0) + 1
    }
  }
  return {
    proven: count('proven'),
    listed: count('listed'),
    refused: count('refused'),
    reasons,
    median_ms: at(0.5),
    p99_ms: at(0.99),
    max_ms: at(1),
  }
}
