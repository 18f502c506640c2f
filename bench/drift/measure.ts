// Judges every changed tool of real version pairs, MCP servers and OpenAPI documents, by the rule table, and then judges the judgements:
// witnesses by validators, compatible verdicts by samples. Exit 0: targets met; 1: one is missed; 2: no data.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { matchTools } from '../../src/drift/diff/match-tools.ts'
import type { SourceSnapshot } from '../../src/drift/snapshot.ts'
import { readSource } from '../../src/drift/sources/read-source.ts'
import type { JsonValue } from '../../src/json/value.ts'
import { absentFolders, defaultData, nothingJudged, readArguments, report, say } from '../arguments.ts'
import { thisMachine } from '../machine.ts'
import { type Judgement, judgeAdded, judgePair, judgeRemoved } from './judgement.ts'
import { versionPairs } from './version-pairs.ts'

const flags = readArguments({
  data: { type: 'string', default: defaultData },
  rows: { type: 'string' },
})
const data = resolve(flags.data)
const folders = { tools: join(data, 'mcp-tools'), apis: join(data, 'openapi', 'drift') }
const absent = absentFolders(Object.values(folders))
if (absent.length === Object.keys(folders).length) {
  report({ skipped: `no data in ${data}`, absent }, flags.json)
  process.exit(nothingJudged)
}

interface Pair {
  readonly set: 'mcp' | 'openapi'
  readonly from: string
  readonly to: string
}

const start = performance.now()
const readFaults: string[] = []
const pairs = [...mcpPairs(), ...apiPairs()]
const rows = pairs.flatMap((pair) => judgeVersions(pair).map((judged) => ({ ...pair, ...judged })))
const wholeMs = performance.now() - start
if (flags.rows !== undefined) {
  const lines = rows.map(({ checkMs: _ms, ...row }) => `${JSON.stringify(row)}\n`)
  writeFileSync(flags.rows, lines.join(''))
}

const sum = (of: (row: Judgement) => number): number => rows.reduce((total, row) => total + of(row), 0)
const judged = rows.filter(({ rules }) => rules.length > 0).length
const unsupported = rows.filter(({ verdict }) => verdict === 'unknown').length
const figures = {
  pairs: pairs.length,
  changed_tools: rows.length,
  judged,
  crashes: rows.filter(({ verdict }) => verdict === 'crash').length + readFaults.length,
  unsupported,
  unsupported_share: judged === 0 ? 0 : unsupported / judged,
  bad_witnesses: sum((row) => row.badWitnesses.length),
  witnesses: sum((row) => row.witnesses),
  ajv_confirmed: sum((row) => row.ajvConfirmed),
  ajv_unread: sum((row) => row.ajvUnread),
  unsurvived: sum((row) => row.unsurvived.length),
  survived_schemas: sum((row) => row.sampledSchemas),
  survived_values: sum((row) => row.sampledValues),
  verdicts: counted(rows.map(({ verdict }) => verdict)),
  rules: counted(rows.flatMap(({ rules }) => rules)),
  sets: counted(rows.map(({ set }) => set)),
}
const times = rows.map(({ ms }) => ms).sort((one, other) => one - other)
const at = (share: number): number =>
  Math.round((times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0) * 100) / 100
const met = {
  judged: figures.judged === figures.changed_tools,
  crashes: figures.crashes === 0,
  unsupported: figures.unsupported_share <= 0.02,
  bad_witnesses: figures.bad_witnesses === 0,
  unsurvived: figures.unsurvived === 0,
}
report(
  {
    ...figures,
    judging_ms: Math.round(sum((row) => row.ms)),
    checking_ms: Math.round(sum((row) => row.checkMs)),
    total_ms: Math.round(wholeMs),
    median_ms: at(0.5),
    p99_ms: at(0.99),
    max_ms: at(1),
    met,
    unread: readFaults,
    absent,
    machine: thisMachine(),
  },
  flags.json,
)
process.exitCode = Object.values(met).every(Boolean) ? 0 : 1

function mcpPairs(): readonly Pair[] {
  if (absent.includes(folders.tools)) return []
  const listed = readJson(join(folders.tools, 'pairs.json')) as readonly { fromFile: string; toFile: string }[]
  return listed.map(({ fromFile, toFile }) => ({ set: 'mcp', from: fromFile, to: toFile }))
}

function apiPairs(): readonly Pair[] {
  if (absent.includes(folders.apis)) return []
  return versionPairs(readdirSync(folders.apis)).map(([from, to]) => ({ set: 'openapi', from, to }))
}

function judgeVersions({ set, from, to }: Pair): readonly Judgement[] {
  const folder = set === 'mcp' ? folders.tools : folders.apis
  const [before, after] = [sourceIn(join(folder, from)), sourceIn(join(folder, to))]
  if (before === undefined || after === undefined) return []
  const { matched, added, removed } = matchTools(before, after)
  const judgements = [
    ...matched.flatMap((pair) => judgePair(pair.before, pair.after)),
    ...removed.map((tool) => judgeRemoved(tool, before, after)),
    ...added.map((tool) => judgeAdded(tool, before, after)),
  ]
  say(`${from} → ${to}: ${judgements.length} changed`)
  return judgements
}

function sourceIn(file: string): SourceSnapshot | undefined {
  const reading = readSource(readJson(file))
  if (reading.ok) return reading.source
  readFaults.push(`${file}: ${reading.message}`)
  return undefined
}

function readJson(file: string): JsonValue {
  return JSON.parse(readFileSync(file, 'utf8')) as JsonValue
}

function counted(names: readonly string[]): Readonly<Record<string, number>> {
  const groups = [...Map.groupBy(names, (name) => name)].map(([name, all]) => [name, all.length] as const)
  return Object.fromEntries(groups.sort(([, one], [, other]) => other - one))
}
