// Measures the prover on published pairs and on real schemas: every consecutive version pair of published tools in both directions, and published
// schemas against themselves, alone and widened. Exit 0: targets met; 1: one is missed; 2: no data.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { JsonValue } from '../../src/json/value.ts'
import type { Dialect, Preprocessed } from '../../src/schema/normal.ts'
import { preprocess } from '../../src/schema/preprocess.ts'
import { isSubschema, type Proof, provePreprocessed } from '../../src/subschema/is-subschema.ts'
import { type Pair, type PairScore, type ScoreTotals, scorePair, sumUp } from '../../src/subschema/verdict/score.ts'
import { absentFolders, defaultData, nothingJudged, readArguments, report, say } from '../arguments.ts'
import { thisMachine } from '../machine.ts'
import { askOthers, type Opinion } from './ask-others.ts'

interface Row {
  readonly set: 'tools' | 'reflexive' | 'widened'
  readonly id: string
  readonly verdict: Proof['verdict'] | 'crash'
  readonly detail: string
  readonly ms: number
}

interface Tool {
  readonly name: string
  readonly inputSchema?: JsonValue
  readonly outputSchema?: JsonValue
}

interface OtherValidators {
  readonly confirmed: number
  readonly denied: readonly string[]
  readonly unread: readonly string[]
  readonly not_asked: number
  readonly confirmed_by_third: readonly string[]
  /** No other validator confirms these: the target is none. */
  readonly unconfirmed: readonly string[]
  readonly slowest: { readonly id: string; readonly ms: number }
  readonly total_ms: number
}

const flags = readArguments({
  data: { type: 'string', default: defaultData },
  rows: { type: 'string' },
  /** Ask validators of other making about every witness of the published pairs. */
  confirm: { type: 'boolean', default: false },
})
const data = resolve(flags.data)
const folders = {
  pairs: join(data, 'subschema'),
  tools: join(data, 'mcp-tools'),
  schemas: join(data, 'json-schemas'),
}
const absent = absentFolders(Object.values(folders))
if (absent.length === Object.keys(folders).length) {
  report({ skipped: `no data in ${data}`, absent }, flags.json)
  process.exit(nothingJudged)
}

const pairs = absent.includes(folders.pairs) ? undefined : await measurePairs()
const rows: Row[] = []
const refused: string[] = []
if (!absent.includes(folders.tools)) measureTools()
if (!absent.includes(folders.schemas)) measureSchemas()
if (flags.rows !== undefined) writeFileSync(flags.rows, rows.map((row) => `${JSON.stringify(row)}\n`).join(''))

const sets = Object.fromEntries(
  (['tools', 'reflexive', 'widened'] as const).map((set) => [set, figures(rows.filter((row) => row.set === set))]),
)
const all = figures(rows)
const met = {
  pairs: pairs === undefined || pairs.unsound + pairs.incomplete + pairs.witnesses_bad === 0,
  witnesses: isConfirmed(pairs?.other_validators),
  reflexive: rows.every(({ set, verdict }) => set !== 'reflexive' || verdict === 'proven'),
  unsupported_share: all.unsupported_share <= 0.02,
  crashes: all.crash === 0,
  slowest: all.max_ms <= 1000,
}
report(
  { ...all, ...sets, pairs: pairs ?? 'absent', schemas_refused: refused, met, absent, machine: thisMachine() },
  flags.json,
)
process.exitCode = Object.values(met).every(Boolean) ? 0 : 1

async function measurePairs(): Promise<ScoreTotals & { readonly other_validators?: OtherValidators }> {
  const files = readdirSync(folders.pairs).filter((name) => name.endsWith('-pairs.json'))
  const published = files.flatMap((name) => readJson(join(folders.pairs, name)) as readonly Pair[])
  say(`${published.length} published pairs`)
  const scores = published.map((pair) => scorePair(pair, { now: () => performance.now() }))
  const totals = sumUp(scores)
  return flags.confirm ? { ...totals, other_validators: await confirmWitnesses(published, scores) } : totals
}

/** Every witness of any size is put to the second validator, and to a third where the second does not confirm it. */
async function confirmWitnesses(published: readonly Pair[], scores: readonly PairScore[]): Promise<OtherValidators> {
  const before = performance.now()
  const second: Record<Opinion, string[]> = { confirmed: [], denied: [], unread: [] }
  const byThird: string[] = []
  let slowest = { id: '', ms: 0 }
  for (const [index, { id, proof }] of scores.entries()) {
    if (proof.verdict !== 'refuted') continue
    const start = performance.now()
    const opinions = await askOthers(published[index] as Pair, proof.witness)
    const ms = Math.round(performance.now() - start)
    if (ms > slowest.ms) slowest = { id, ms }
    second[opinions.second].push(id)
    if (opinions.third === 'confirmed') byThird.push(id)
  }
  const asked = second.confirmed.length + second.denied.length + second.unread.length
  return {
    confirmed: second.confirmed.length,
    denied: second.denied,
    unread: second.unread,
    not_asked: scores.filter(({ proof }) => proof.verdict === 'refuted').length - asked,
    confirmed_by_third: byThird,
    unconfirmed: [...second.denied, ...second.unread].filter((id) => !byThird.includes(id)),
    slowest,
    total_ms: Math.round(performance.now() - before),
  }
}

/** Without a question there is nothing to miss. */
function isConfirmed(others: OtherValidators | undefined): boolean {
  return others === undefined || others.unconfirmed.length + others.not_asked === 0
}

function measureTools(): void {
  const versions = readJson(join(folders.tools, 'pairs.json')) as readonly { fromFile: string; toFile: string }[]
  for (const { fromFile, toFile } of versions) {
    const [from, to] = [toolsOf(fromFile), toolsOf(toFile)]
    for (const [name, old] of from) {
      const renewed = to.get(name)
      if (renewed === undefined) continue
      for (const part of ['inputSchema', 'outputSchema'] as const) {
        const [one, other] = [old[part], renewed[part]]
        if (one === undefined || other === undefined) continue
        time('tools', `${fromFile} ${name} ${part} forward`, () => isSubschema(one, other))
        time('tools', `${fromFile} ${name} ${part} backward`, () => isSubschema(other, one))
      }
    }
  }
  say(`${versions.length} version pairs, ${rows.length} questions`)
}

function toolsOf(file: string): ReadonlyMap<string, Tool> {
  const { tools } = readJson(join(folders.tools, file)) as { readonly tools: readonly Tool[] }
  return new Map(tools.map((tool) => [tool.name, tool]))
}

function measureSchemas(): void {
  for (const file of ['jsonschemabench.jsonl', 'schemastore.jsonl']) {
    for (const line of readFileSync(join(folders.schemas, file), 'utf8').trim().split('\n')) {
      const { id, draft, schema } = JSON.parse(line) as { id: string; draft: string; schema: JsonValue }
      const dialect: Dialect = draft === 'none' ? '2020-12' : (draft as Dialect)
      const read = preprocess(schema, { dialect, formats: 'annotate' })
      if (!read.ok) {
        refused.push(`${id}: ${read.refusals[0]?.message}`)
        continue
      }
      time('reflexive', `${file} ${id}`, () => isSubschema(schema, schema, { dialect }))
      time('widened', `${file} ${id}`, () => provePreprocessed(read.schema, widened(read.schema)))
    }
    say(`${file}: ${rows.length} questions so far`)
  }
}

/** The same schema with one more value: equal no longer, but every value of the first is one of the second. */
function widened(schema: Preprocessed): Preprocessed {
  const root = { anyOf: [{ const: 'one value more' }, schema.root] }
  return { ...schema, root, hash: `${schema.hash} widened` }
}

function time(set: Row['set'], id: string, ask: () => Proof): void {
  const before = performance.now()
  let verdict: Row['verdict'] = 'crash'
  let detail = ''
  try {
    const proof = ask()
    verdict = proof.verdict
    if (proof.verdict === 'unsupported') detail = `${proof.side} ${proof.pointer} ${proof.construct}: ${proof.reason}`
    if (proof.verdict === 'refuted') detail = `${JSON.stringify(proof.witness).slice(0, 200)} ${proof.reason}`
  } catch (error) {
    detail = error instanceof Error ? (error.stack ?? error.message).slice(0, 600) : String(error)
  }
  rows.push({ set, id, verdict, detail, ms: performance.now() - before })
}

function figures(own: readonly Row[]) {
  const count = (verdict: Row['verdict']): number => own.filter((row) => row.verdict === verdict).length
  const times = own.map(({ ms }) => ms).sort((a, b) => a - b)
  const at = (share: number): number =>
    Math.round((times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0) * 100) / 100
  return {
    questions: own.length,
    proven: count('proven'),
    refuted: count('refuted'),
    unsupported: count('unsupported'),
    crash: count('crash'),
    unsupported_share: own.length === 0 ? 0 : count('unsupported') / own.length,
    median_ms: at(0.5),
    p99_ms: at(0.99),
    max_ms: at(1),
  }
}

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(file, 'utf8'))
}
