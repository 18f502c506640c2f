// In which ways one schema takes values that another refuses: one cause after the other, each with a witness that the validators have
// confirmed. Invariant: no cause without a witness, and "none" only where the prover has proven it.
import { canonicalize } from '../../json/canonical.ts'
import { appendPointer, readPointer, tokensOf } from '../../json/pointer.ts'
import { isObject, type JsonObject, type JsonValue } from '../../json/value.ts'
import type { Preprocessed } from '../../schema/normal.ts'
import { preprocess } from '../../schema/preprocess.ts'
import { compileValidator } from '../../schema/validator.ts'
import { defaultBudget, type Proof, proveCounted, type Refutation } from '../../subschema/is-subschema.ts'
import type { Sides as Words } from '../../subschema/verdict/reasons.ts'
import type { SchemaSnapshot } from '../snapshot.ts'
import { declaredOnly } from './declared-only.ts'

/** What in the schema that refuses is to blame. */
export type CauseKind = 'required' | 'name' | 'type' | 'value' | 'constraint'

export interface Cause {
  readonly kind: CauseKind
  /** Where in the witness. */
  readonly place: string
  /** Where in the schema that refuses. */
  readonly pointer: string
  readonly reason: string
  readonly witness: JsonValue
}

export type Difference =
  | { readonly verdict: 'none' }
  | {
      readonly verdict: 'some'
      readonly causes: readonly Cause[]
      /** Only values with keys that the schema does not declare are concerned. */
      readonly undeclared: boolean
    }
  | { readonly verdict: 'unsupported'; readonly pointer: string; readonly construct: string; readonly reason: string }

/** After the first cause each further one costs a proof. */
const maxCauses = 8
const furtherBudget = defaultBudget / 4
const anything: SchemaSnapshot = { schema: true, dialect: '2020-12' }

/** Steps of the prover that are left for one list of tools: its author may have written it so that every proof is hard. */
export interface ProofAllowance {
  left: number
}

export const unlimitedAllowance = (): ProofAllowance => ({ left: Number.POSITIVE_INFINITY })

/** With so much left nothing below is cut short. */
export const enoughSteps = 2 * defaultBudget + maxCauses * furtherBudget + 10_000
/** Reading and explaining cost steps too, beside those of the prover. */
const readingSteps = 100

/** Values of `one` that `other` refuses, told in these words. Where nothing is said, everything is allowed. */
export function schemaDifference(
  one: SchemaSnapshot = anything,
  other: SchemaSnapshot = anything,
  words?: Words,
  allowance: ProofAllowance = unlimitedAllowance(),
): Difference {
  if (allowance.left <= 0) return outOfSteps
  const taking = read(one)
  if (!taking.ok) return taking.gap
  const refusing = read(other)
  if (!refusing.ok) return refusing.gap
  const prove: Prove = (r, l, budget) => {
    const { proof, steps } = proveCounted(r, l, Math.min(budget, allowance.left), words)
    allowance.left -= steps + readingSteps
    return proof
  }
  const proof = prove(taking.schema, refusing.schema, defaultBudget)
  switch (proof.verdict) {
    case 'proven':
      return { verdict: 'none' }
    case 'unsupported':
      return gapOf(proof)
    case 'refuted':
      return explain(one, other, { taking: taking.schema, refusing: refusing.schema, prove }, proof)
  }
}

interface Sides {
  readonly taking: Preprocessed
  readonly refusing: Preprocessed
  readonly prove: Prove
}

type Prove = (r: Preprocessed, l: Preprocessed, budget: number) => Proof

const outOfSteps: Difference = {
  verdict: 'unsupported',
  pointer: '',
  construct: 'budget',
  reason: 'The work for the whole list was used up before this tool',
}

function explain(one: SchemaSnapshot, other: SchemaSnapshot, sides: Sides, proof: Refutation): Difference {
  const { taking, refusing, prove } = sides
  const holds = (witness: JsonValue): boolean => matches(taking, witness) && !matches(refusing, witness)
  const closed = declaredOnly(one.schema)
  const declared = closed === undefined ? undefined : read({ ...one, schema: closed })
  if (declared?.ok !== true)
    return { verdict: 'some', undeclared: false, causes: causesFrom(sides, other, proof, holds) }
  const strict = prove(declared.schema, refusing, defaultBudget)
  if (strict.verdict === 'proven') return { verdict: 'some', undeclared: true, causes: [causeOf(proof, other.schema)] }
  // A witness that keeps to what is declared tells more; where there is none to be had, the first one stands.
  const first = strict.verdict === 'refuted' && holds(strict.witness) ? strict : undefined
  const causes =
    first === undefined
      ? causesFrom(sides, other, proof, holds)
      : causesFrom({ taking: declared.schema, prove }, other, first, holds)
  return { verdict: 'some', undeclared: false, causes }
}

/** The refusing schema is relaxed where it was to blame, and asked again. */
function causesFrom(
  { taking, prove }: Pick<Sides, 'taking' | 'prove'>,
  other: SchemaSnapshot,
  first: Refutation,
  holds: (witness: JsonValue) => boolean,
): readonly Cause[] {
  const causes = [causeOf(first, other.schema)]
  let relaxed = other.schema
  let last: Refutation = first
  while (causes.length < maxCauses) {
    const next = relax(relaxed, last)
    if (next === undefined || canonicalize(next) === canonicalize(relaxed)) break
    relaxed = next
    const refusing = read({ ...other, schema: relaxed })
    if (!refusing.ok) break
    const proof = prove(taking, refusing.schema, furtherBudget)
    if (proof.verdict !== 'refuted' || !holds(proof.witness)) break
    last = proof
    causes.push(causeOf(proof, relaxed))
  }
  return causes
}

const kinds: ReadonlyMap<string, CauseKind> = new Map([
  ['required', 'required'],
  ['dependentRequired', 'required'],
  ['additionalProperties', 'name'],
  ['unevaluatedProperties', 'name'],
  ['propertyNames', 'name'],
  ['type', 'type'],
  ['enum', 'value'],
  ['const', 'value'],
])

function causeOf({ witness, instancePath, lPointer, reason }: Refutation, refusing: JsonValue): Cause {
  const word = isLocal(lPointer) ? (tokensOf(lPointer).at(-1) ?? '') : ''
  const isForbidden = isLocal(lPointer) && valueAt(refusing, lPointer) === false
  const kind = kinds.get(word) ?? (isForbidden ? 'name' : 'constraint')
  return { kind, place: instancePath, pointer: lPointer, reason, witness }
}

const isLocal = (pointer: string): boolean => pointer === '' || pointer.startsWith('/')
const valueAt = (schema: JsonValue, pointer: string): JsonValue | undefined => readPointer(schema, pointer)

/** The schema without what refused the witness; undefined where that is not clear. */
function relax(schema: JsonValue, { lPointer, instancePath }: Refutation): JsonValue | undefined {
  if (!isLocal(lPointer)) return undefined
  const tokens = tokensOf(lPointer)
  const word = tokens.at(-1)
  if (word === undefined) return undefined
  const name = tokensOf(instancePath).at(-1)
  return changeAt(schema, tokens.slice(0, -1), (node) => {
    if (word === 'required' && name !== undefined && Array.isArray(node.required))
      return { ...node, required: node.required.filter((one: JsonValue) => one !== name) }
    if (word === 'additionalProperties' && name !== undefined)
      return { ...node, properties: { ...(isObject(node.properties) ? node.properties : {}), [name]: true } }
    const { [word]: _relaxed, ...rest } = node
    return rest
  })
}

function changeAt(
  value: JsonValue,
  tokens: readonly string[],
  change: (node: JsonObject) => JsonObject,
): JsonValue | undefined {
  const [token, ...rest] = tokens
  if (token === undefined) return isObject(value) ? change(value) : undefined
  const child = readPointer(value, appendPointer('', token))
  if (child === undefined) return undefined
  const changed = changeAt(child, rest, change)
  if (changed === undefined) return undefined
  if (Array.isArray(value)) return value.map((item: JsonValue, index) => (String(index) === token ? changed : item))
  return isObject(value)
    ? Object.fromEntries(Object.entries(value).map(([key, item]) => [key, key === token ? changed : item]))
    : undefined
}

type Read = { readonly ok: true; readonly schema: Preprocessed } | { readonly ok: false; readonly gap: Difference }

function read({ schema, dialect, formats = 'annotate' }: SchemaSnapshot): Read {
  const reading = preprocess(schema, { dialect, formats })
  if (reading.ok) return reading
  const [first] = reading.refusals
  const reason = first?.message ?? 'The schema cannot be read'
  return {
    ok: false,
    gap: { verdict: 'unsupported', pointer: first?.pointer ?? '', construct: first?.construct ?? 'schema', reason },
  }
}

const gapOf = ({ pointer, construct, reason }: Extract<Proof, { verdict: 'unsupported' }>): Difference => ({
  verdict: 'unsupported',
  pointer,
  construct,
  reason,
})

const matches = (schema: Preprocessed, value: JsonValue): boolean => compileValidator(schema).matches(value)
