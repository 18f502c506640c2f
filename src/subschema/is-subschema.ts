// Is every value of R a value of L? A value is searched that R accepts and L refuses: if there is none, that is a proof;
// if one is found, it is the witness.
// Invariant: before a witness is reported, the validators accept it under R and refuse it under L, and the judge agrees. The
// judge is not asked about witnesses of more than a million values.
import type { JsonValue } from '../json/value.ts'
import { createJudge } from '../schema/judge/accept.ts'
import type { Dialect, FormatMode, NormalObject, NormalSchema, Preprocessed, SchemaRefusal } from '../schema/normal.ts'
import { preprocess } from '../schema/preprocess.ts'
import { compileValidator } from '../schema/validator.ts'
import { countValues, shrink } from './generate/shrink.ts'
import { maxSchemas, oversize } from './oversize.ts'
import { countSchemas } from './references/schema-pool.ts'
import type { Gap, ProofSide, SearchOutcome } from './solver/outcome.ts'
import { createEngine } from './solver/solver.ts'
import { blame } from './verdict/blame.ts'
import type { Sides } from './verdict/reasons.ts'

export interface SubschemaOptions {
  /** For documents that do not name one with `$schema`; 2020-12 unless given. */
  readonly dialect?: Dialect | { readonly r: Dialect; readonly l: Dialect }
  /** Whether `format` refuses values, on each side; `annotate` unless given. */
  readonly formats?: { readonly r: FormatMode; readonly l: FormatMode }
  /** Documents that may be referenced, by absolute URI. */
  readonly resources?: ReadonlyMap<string, JsonValue>
  /** Steps of work before the answer is `unsupported: budget`. */
  readonly budget?: number
}

export type Proof =
  | {
      readonly verdict: 'proven'
      /** What the proof relies on in addition to the schemas. */
      readonly assumes?: readonly string[]
    }
  | Refutation
  | {
      readonly verdict: 'unsupported'
      readonly side: ProofSide
      readonly pointer: string
      readonly construct: string
      readonly reason: string
    }

export interface Refutation {
  readonly verdict: 'refuted'
  /** A value that R accepts and L refuses. */
  readonly witness: JsonValue
  /** Where in the witness L finds fault. */
  readonly instancePath: string
  readonly rPointer: string
  readonly lPointer: string
  /** One sentence that a developer can act on. */
  readonly reason: string
}

/** About half a second of work on a slow machine. */
export const defaultBudget = 60_000

export function isSubschema(r: JsonValue, l: JsonValue, options: SubschemaOptions = {}): Proof {
  const sides = { r: read(r, 'r', options), l: read(l, 'l', options) }
  if (!sides.r.ok) return unreadable('r', sides.r.refusals)
  if (!sides.l.ok) return unreadable('l', sides.l.refusals)
  return provePreprocessed(sides.r.schema, sides.l.schema, options.budget)
}

/** The same for schemas that were read already. */
export function provePreprocessed(
  r: Preprocessed,
  l: Preprocessed,
  budget: number = defaultBudget,
  sides?: Sides,
): Proof {
  return proveCounted(r, l, budget, sides).proof
}

/** With the steps of work it took, for callers that share one budget among many questions. */
export function proveCounted(
  r: Preprocessed,
  l: Preprocessed,
  budget: number,
  sides?: Sides,
): { readonly proof: Proof; readonly steps: number } {
  if (r.hash === l.hash) return { proof: provenWith(assumedFormats(r, l)), steps: 0 }
  const gap = oversize(r, l)
  if (gap !== undefined) return { proof: unsupported(gap), steps: 0 }
  const engine = createEngine(r, l, budget)
  const outcome = engine.solve([engine.pool.claimOf(r.root, r), -engine.pool.claimOf(l.root, l)])
  return { proof: proofOf(outcome, r, l, sides), steps: engine.budget.spent }
}

function proofOf(outcome: SearchOutcome, r: Preprocessed, l: Preprocessed, sides: Sides | undefined): Proof {
  switch (outcome.kind) {
    case 'empty':
      return provenWith(assumedFormats(r, l))
    case 'value':
      return refute(r, l, outcome.value, sides)
    case 'unknown':
      return unsupported(outcome.gap)
  }
}

function read(schema: JsonValue, side: ProofSide, { dialect, formats, resources }: SubschemaOptions) {
  const own = typeof dialect === 'object' ? dialect[side] : dialect
  return preprocess(schema, {
    formats: formats?.[side] ?? 'annotate',
    ...(own === undefined ? {} : { dialect: own }),
    ...(resources === undefined ? {} : { resources }),
  })
}

function unreadable(side: ProofSide, refusals: readonly SchemaRefusal[]): Proof {
  const [first] = refusals
  return {
    verdict: 'unsupported',
    side,
    pointer: first?.pointer ?? '',
    construct: first?.construct ?? 'schema',
    reason: first?.message ?? 'The schema cannot be read',
  }
}

function provenWith(assumes: readonly string[]): Proof {
  return assumes.length === 0 ? { verdict: 'proven' } : { verdict: 'proven', assumes }
}

function unsupported({ construct, reason, side = 'l', pointer = '' }: Gap): Proof {
  return { verdict: 'unsupported', side, pointer, construct, reason }
}

function refute(r: Preprocessed, l: Preprocessed, value: JsonValue, sides: Sides | undefined): Proof {
  const [accepts, refuses] = [compileValidator(r), compileValidator(l)]
  const isWitness = (candidate: JsonValue): boolean => accepts.matches(candidate) && !refuses.matches(candidate)
  const agree = (candidate: JsonValue): boolean =>
    isWitness(candidate) &&
    (countValues(candidate, maxJudged) > maxJudged || (judges(r, candidate) && !judges(l, candidate)))
  if (!agree(value)) return disagreement
  const schemas = countSchemas(r, maxSchemas) + countSchemas(l, maxSchemas)
  const witness = shrink(value, isWitness, schemas)
  return witness === value || agree(witness)
    ? { verdict: 'refuted', witness, ...blame(r, l, witness, sides) }
    : disagreement
}

/** Beyond this many values only the compiled validators are asked: the judge takes some 0.3 µs for each. */
const maxJudged = 1_000_000

/** The second opinion: the judge behind the explainer, which shares only the tests at the leaves with the compiled validators. */
function judges(schema: Preprocessed, value: JsonValue): boolean {
  return createJudge(schema).accepts(schema.root, value)
}

/** An error of the prover, which is never presented as an answer. */
const disagreement: Proof = {
  verdict: 'unsupported',
  side: 'l',
  pointer: '',
  construct: 'witness',
  reason: 'The prover built a value that the validators judge differently: an internal error, please report it',
}

/** What a proof takes for granted about formats that only annotate: L's formats that R does not state as well. */
function assumedFormats(r: Preprocessed, l: Preprocessed): readonly string[] {
  if (l.formats === 'assert') return []
  const stated = new Set(formatsOf(r).map(({ format }) => format))
  const assumes = formatsOf(l).map(({ format, pointer }) =>
    stated.has(format)
      ? `format ${JSON.stringify(format)} at ${pointer || 'the root'} of L means what it means in R`
      : `format ${JSON.stringify(format)} at ${pointer || 'the root'} of L describes and does not refuse`,
  )
  return [...new Set(assumes)]
}

function formatsOf(schema: Preprocessed): readonly { readonly format: string; readonly pointer: string }[] {
  const found: { readonly format: string; readonly pointer: string }[] = []
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    const pointer = schema.sourcePointer(value as NormalSchema)
    if (pointer !== undefined) {
      const { format } = value as NormalObject
      if (format !== undefined) found.push({ format, pointer })
    }
    for (const [word, child] of Object.entries(value)) if (word !== 'enum' && word !== 'const') visit(child)
  }
  visit(schema.root)
  for (const node of schema.defs.values()) visit(node)
  return found
}
