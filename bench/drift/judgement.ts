// One changed tool, judged as a pin would be, and the judgement tried: each witness by our validator and by another one, each compatible
// verdict by values of the schema that it speaks about.
import { compareSources, compareTools } from '../../src/drift/diff/compare.ts'
import { type DriftFinding, type DriftLevel, worstLevel } from '../../src/drift/finding.ts'
import type { SchemaSnapshot, SourceSnapshot, ToolSnapshot } from '../../src/drift/snapshot.ts'
import { canonicalize } from '../../src/json/canonical.ts'
import type { JsonValue } from '../../src/json/value.ts'
import type { Preprocessed } from '../../src/schema/normal.ts'
import { preprocess } from '../../src/schema/preprocess.ts'
import { compileValidator } from '../../src/schema/validator.ts'
import { sample } from '../../src/subschema/generate/sample.ts'
import { ajvAccepts } from './ajv-accepts.ts'

export interface Judgement {
  readonly tool: string
  readonly verdict: DriftLevel | 'crash' | 'none'
  readonly rules: readonly string[]
  readonly findings: readonly DriftFinding[]
  readonly ms: number
  readonly checkMs: number
  readonly witnesses: number
  readonly badWitnesses: readonly string[]
  readonly ajvConfirmed: number
  readonly ajvUnread: number
  readonly unsurvived: readonly { readonly part: string; readonly value: JsonValue }[]
  readonly sampledSchemas: number
  readonly sampledValues: number
}

const untried = {
  checkMs: 0,
  witnesses: 0,
  badWitnesses: [],
  ajvConfirmed: 0,
  ajvUnread: 0,
  unsurvived: [],
  sampledSchemas: 0,
  sampledValues: 0,
} as const

const samples = 1_000

export function judgePair(before: ToolSnapshot, after: ToolSnapshot): readonly Judgement[] {
  if (before.name === after.name && canonicalize(before.raw) === canonicalize(after.raw)) return []
  const start = performance.now()
  let findings: readonly DriftFinding[]
  try {
    findings =
      before.name === after.name
        ? compareTools(before, after, 'pin')
        : compareSources(listOf(before), listOf(after), 'pin')
  } catch (error) {
    return [{ ...crashed(before.name, error), ms: performance.now() - start }]
  }
  const ms = performance.now() - start
  const checked = performance.now()
  const tried = {
    ...tryWitnesses(before, after, findings),
    ...trySamples(before, after, findings),
  }
  return [{ ...verdictOf(before.name, findings, ms), ...tried, checkMs: performance.now() - checked }]
}

export const judgeAdded = (tool: ToolSnapshot, before: SourceSnapshot, after: SourceSnapshot): Judgement =>
  judgeList(tool, { ...before, tools: before.tools }, { ...after, tools: [...before.tools, tool] })

export const judgeRemoved = (tool: ToolSnapshot, before: SourceSnapshot, _after: SourceSnapshot): Judgement =>
  judgeList(tool, { ...before, tools: [tool] }, { ...before, tools: [] })

function judgeList(tool: ToolSnapshot, before: SourceSnapshot, after: SourceSnapshot): Judgement {
  const start = performance.now()
  const findings = compareSources(before, { ...after, malformed: before.malformed }, 'pin')
  return verdictOf(
    tool.name,
    findings.filter((finding) => finding.tool === tool.name),
    performance.now() - start,
  )
}

function verdictOf(tool: string, findings: readonly DriftFinding[], ms: number): Judgement {
  const rules = [...new Set(findings.map(({ rule }) => rule))]
  return { tool, verdict: worstLevel(findings) ?? 'none', rules, findings, ms, ...untried }
}

function crashed(tool: string, error: unknown): Judgement {
  const told = error instanceof Error ? (error.stack ?? error.message).slice(0, 600) : String(error)
  const message = { rule: 'crash', level: 'unknown', direction: 'contract', tool, pointer: '', message: told } as const
  return { tool, verdict: 'crash', rules: [], findings: [{ ...message, why: '', step: 'none' }], ms: 0, ...untried }
}

const listOf = (tool: ToolSnapshot): SourceSnapshot => ({ kind: 'mcp', tools: [tool], malformed: [] })

const anything: SchemaSnapshot = { schema: true, dialect: '2020-12' }

/** Which side must take a witness and which must refuse it. */
function sidesOf({ direction, level, rule }: DriftFinding, before: ToolSnapshot, after: ToolSnapshot) {
  const part = direction === 'input' ? 'input' : 'output'
  const [old, renewed] = [before[part] ?? anything, after[part] ?? anything]
  const wasRight = direction === 'input' ? level === 'breaking' : rule === 'output-narrowed'
  return wasRight ? { takes: old, refuses: renewed } : { takes: renewed, refuses: old }
}

function tryWitnesses(before: ToolSnapshot, after: ToolSnapshot, findings: readonly DriftFinding[]) {
  const bad: string[] = []
  let witnesses = 0
  let confirmed = 0
  let unread = 0
  for (const finding of findings) {
    const { direction, level, witness, rule } = finding
    if (direction !== 'input' && direction !== 'output') continue
    if (witness === undefined) {
      if (level === 'breaking') bad.push(`${rule}: no witness`)
      continue
    }
    witnesses++
    const { takes, refuses } = sidesOf(finding, before, after)
    // As a reader of the rows gets it: written down and read again.
    const value = JSON.parse(JSON.stringify(witness)) as JsonValue
    if (!accepts(takes, value) || accepts(refuses, value)) bad.push(`${rule}: ${JSON.stringify(value).slice(0, 200)}`)
    const other = [ajvAccepts(takes, value), ajvAccepts(refuses, value)]
    if (other.includes(undefined)) unread++
    else if (other[0] === true && other[1] === false) confirmed++
    else bad.push(`${rule}: ajv says ${other.join(' and ')} of ${JSON.stringify(value).slice(0, 200)}`)
  }
  return { witnesses, badWitnesses: bad, ajvConfirmed: confirmed, ajvUnread: unread }
}

function trySamples(before: ToolSnapshot, after: ToolSnapshot, findings: readonly DriftFinding[]) {
  const unsurvived: { part: string; value: JsonValue }[] = []
  let sampledSchemas = 0
  let sampledValues = 0
  for (const part of ['input', 'output'] as const) {
    const [from, to] = part === 'input' ? [before.input, after.input] : [after.output, before.output]
    const isJudgedFine = !findings.some(
      ({ direction, level }) => direction === part && (level === 'breaking' || level === 'unknown'),
    )
    if (!isJudgedFine || canonicalize(from?.schema ?? true) === canonicalize(to?.schema ?? true)) continue
    const read = normal(from ?? anything)
    if (read === undefined) continue
    const values = sample(read, samples)
    sampledSchemas++
    sampledValues += values.length
    const refused = values.find((value) => !accepts(to ?? anything, value))
    if (refused !== undefined) unsurvived.push({ part, value: refused })
  }
  return { unsurvived, sampledSchemas, sampledValues }
}

function normal({ schema, dialect, formats = 'annotate' }: SchemaSnapshot): Preprocessed | undefined {
  const read = preprocess(schema, { dialect, formats })
  return read.ok ? read.schema : undefined
}

function accepts(snapshot: SchemaSnapshot, value: JsonValue): boolean | undefined {
  const read = normal(snapshot)
  return read === undefined ? undefined : compileValidator(read).matches(value)
}
