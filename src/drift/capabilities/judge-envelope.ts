// Can every call that the remote side may prompt for be taken here? For each remote tool: remote input <: local input, by proof. Narrower
// fits, broader is drift, and what cannot be decided never counts as fitting. The steps of work are bounded for the whole envelope, and
// proofs are kept by the pair of schemas.

import type { Surface } from '../../contract/tool/surface.ts'
import type { Tool } from '../../contract/tool/tool.ts'
import { keepNewest } from '../../json/bounded-cache.ts'
import { hashJson } from '../../json/hash.ts'
import { breathe } from '../../json/slices.ts'
import { isObject, type JsonValue } from '../../json/value.ts'
import { type Dialect, dialects, type Preprocessed, type SchemaRefusal } from '../../schema/normal.ts'
import { preprocess } from '../../schema/preprocess.ts'
import { defaultBudget, proveCounted } from '../../subschema/is-subschema.ts'
import type { SchemaDrift, SchemaGap } from './errors.ts'
import type { RemoteTool } from './read-envelope.ts'

export type EnvelopeJudgement =
  | { readonly kind: 'fits'; readonly tools: number }
  | { readonly kind: 'drifts'; readonly drifts: readonly [SchemaDrift, ...SchemaDrift[]]; readonly count: number }
  | { readonly kind: 'unsupported'; readonly gap: SchemaGap; readonly count: number }

export interface JudgeInput {
  readonly remote: ReadonlyMap<string, RemoteTool>
  readonly local: Surface
  readonly proofs: Proofs
  /** Steps of the prover for the whole envelope; some ten seconds of a slow machine unless given. */
  readonly totalSteps?: number | undefined
}

/** The verdict on a pair of schemas, by their hashes. Neither tool nor caller is part of it. */
export type Proofs = Map<string, SchemaVerdict>

type SchemaVerdict =
  | { readonly kind: 'fits' }
  | { readonly kind: 'drift'; readonly drift: Omit<SchemaDrift, 'tool'> }
  | { readonly kind: 'gap'; readonly gap: Omit<SchemaGap, 'tool'> }

const defaultTotalSteps = 1_200_000
const keptProofs = 20_000
const maxDrifts = 100
/** So many tools that are not known here get an example of a call. */
const maxExamples = 5
/** After so many milliseconds other sessions get their turn of the event loop. */
const sliceMs = 20

export async function judgeEnvelope(input: JudgeInput): Promise<EnvelopeJudgement> {
  const { remote, local, proofs } = input
  const drifts: SchemaDrift[] = []
  let [driftCount, gapCount, examples] = [0, 0, 0]
  let firstGap: SchemaGap | undefined
  let steps = input.totalSteps ?? defaultTotalSteps
  let slice = performance.now()
  for (const [name, tool] of remote) {
    if (performance.now() - slice > sliceMs) {
      await breathe()
      slice = performance.now()
    }
    const own = executable(local, name)
    if (own === undefined) {
      driftCount++
      if (drifts.length < maxDrifts) drifts.push({ tool: name, ...homeless(tool, ++examples <= maxExamples) })
      continue
    }
    const key = `${hashJson([tool.dialect ?? null, tool.inputSchema])}:${own.input.form.hash}`
    let finding = proofs.get(key)
    if (finding === undefined) {
      const budget = Math.min(steps, defaultBudget)
      const judged = judgeTool(tool, own.input.form, budget)
      finding = judged.finding
      steps -= judged.steps
      // What ran out of a budget that others had used may fit another time.
      if (finding.kind !== 'gap' || budget === defaultBudget) keepNewest(proofs, key, finding, keptProofs)
    }
    if (finding.kind === 'drift') {
      driftCount++
      if (drifts.length < maxDrifts) drifts.push({ tool: name, ...finding.drift })
    } else if (finding.kind === 'gap') {
      gapCount++
      firstGap ??= { tool: name, ...finding.gap }
    }
  }
  const [first, ...more] = drifts
  if (first !== undefined) return { kind: 'drifts', drifts: [first, ...more], count: driftCount }
  if (firstGap !== undefined) return { kind: 'unsupported', gap: firstGap, count: gapCount }
  return { kind: 'fits', tools: remote.size }
}

/** A tool's own name comes before an alias of another tool, as when it is called. */
function executable({ entries, aliases }: Surface, name: string): Tool | undefined {
  const entry = entries.get(name) ?? entries.get(aliases.get(name) ?? '')
  return entry?.status === 'loaded' || entry?.status === 'deferred' ? entry.tool : undefined
}

function judgeTool(remote: RemoteTool, local: Preprocessed, budget: number): { finding: SchemaVerdict; steps: number } {
  if (budget <= 0) return { finding: outOfSteps, steps: 0 }
  const read = readRemote(remote)
  if (!read.ok) return { finding: { kind: 'gap', gap: read.gap }, steps: readingSteps }
  const { proof, steps } = proveCounted(read.schema, local, budget, words)
  switch (proof.verdict) {
    case 'proven':
      return { finding: { kind: 'fits' }, steps }
    case 'refuted': {
      const { instancePath: pointer, reason, witness } = proof
      return { finding: { kind: 'drift', drift: { pointer, reason, witness } }, steps: steps + readingSteps }
    }
    case 'unsupported': {
      const { pointer, construct, reason } = proof
      return { finding: { kind: 'gap', gap: { pointer, construct, reason } }, steps: steps + readingSteps }
    }
  }
}

const words = { r: 'the remote schema', l: 'the local one' }

/** Reading and explaining cost steps too, beside those of the prover. */
const readingSteps = 100

const outOfSteps: SchemaVerdict = {
  kind: 'gap',
  gap: {
    pointer: '',
    construct: 'budget',
    reason: 'The work budget of the whole envelope was used up before this tool',
  },
}

type RemoteReading =
  | { readonly ok: true; readonly schema: Preprocessed }
  | { readonly ok: false; readonly gap: Omit<SchemaGap, 'tool'> }

function readRemote({ inputSchema, dialect: named }: RemoteTool): RemoteReading {
  const dialect = dialects.find((known) => known === (named ?? '2020-12'))
  if (dialect === undefined)
    return { ok: false, gap: { pointer: '', construct: 'dialect', reason: `Known are ${dialects.join(', ')}` } }
  const schema = ofCalls(inputSchema, dialect)
  const reading = preprocess(schema, { dialect })
  if (reading.ok) return reading
  // A format that is not known refuses nothing: with no format refusing values, the schema is as broad as it can be.
  if (reading.refusals.every(({ construct }) => construct === 'format')) {
    const broad = preprocess(schema, { dialect, formats: 'annotate' })
    if (broad.ok) return broad
  }
  return { ok: false, gap: gapOf(reading.refusals) }
}

function gapOf([first]: readonly SchemaRefusal[]): Omit<SchemaGap, 'tool'> {
  const { pointer = '', construct = 'schema', message: reason = 'The schema cannot be read' } = first ?? {}
  return { pointer, construct, reason }
}

/** Arguments are an object, also where a schema without a type would accept other values. */
function ofCalls(schema: JsonValue, dialect: Dialect): JsonValue {
  if (schema === true) return { type: 'object' }
  if (!isObject(schema)) return schema
  const { type } = schema
  // Up to draft-07 what stands beside $ref does not count.
  const isModern = (dialect === '2020-12' || dialect === '2019-09') && schema.$schema === undefined
  if (Object.hasOwn(schema, '$ref') && !isModern) return schema
  const mayBeObject = type === undefined || (Array.isArray(type) && type.includes('object'))
  return mayBeObject ? { ...schema, type: 'object' } : schema
}

/** A tool that the other side has enabled and this side cannot execute: every call of it is drift. */
function homeless(remote: RemoteTool, exemplify: boolean): Omit<SchemaDrift, 'tool'> {
  const reason = 'the other side has enabled it, and nothing here can execute it'
  return { pointer: '', reason, witness: exemplify ? exampleOf(remote) : undefined }
}

function exampleOf(remote: RemoteTool): JsonValue | undefined {
  const read = readRemote(remote)
  const nothing = preprocess(false)
  if (!read.ok || !nothing.ok) return undefined
  const { proof } = proveCounted(read.schema, nothing.schema, exampleSteps)
  return proof.verdict === 'refuted' ? proof.witness : undefined
}

const exampleSteps = 2_000
