// Does any value obey a schema? A value, a proof that there is none, or why that is not known.
import type { JsonValue } from '../json/value.ts'
import type { NormalSchema, Preprocessed } from '../schema/normal.ts'
import { compileValidator } from '../schema/validator.ts'
import { shrink } from './generate/shrink.ts'
import { defaultBudget } from './is-subschema.ts'
import { oversize } from './oversize.ts'
import { countSchemas } from './references/schema-pool.ts'
import type { Gap } from './solver/outcome.ts'
import { createEngine } from './solver/solver.ts'

export type Inhabitance =
  | { readonly verdict: 'inhabited'; readonly example: JsonValue }
  | { readonly verdict: 'empty' }
  | ({ readonly verdict: 'unsupported' } & Gap)

export function inhabits(schema: Preprocessed, budget: number = defaultBudget): Inhabitance {
  return inhabitsBoth(schema, true, budget)
}

/** The same for values that obey a second schema as well; it may refer to the definitions of the first. */
export function inhabitsBoth(schema: Preprocessed, also: NormalSchema, budget: number = defaultBudget): Inhabitance {
  return openInhabitance(schema, budget)(schema, also)
}

/** For many questions about parts of one document: they share what was found out, and one budget. */
export function openInhabitance(
  document: Preprocessed,
  budget: number = defaultBudget,
): (schema: Preprocessed, also: NormalSchema) => Inhabitance {
  const gap = oversize(document, document)
  if (gap !== undefined) return () => ({ verdict: 'unsupported', ...gap })
  const engine = createEngine(document, document, budget)
  /** `schema` is the document, or the document with another root. */
  return (schema, also) => {
    const claims = [engine.pool.claimOf(schema.root, document), engine.pool.claimOf(also, document)]
    const outcome = engine.solve(claims)
    if (outcome.kind === 'empty') return { verdict: 'empty' }
    if (outcome.kind === 'unknown') return { verdict: 'unsupported', ...outcome.gap }
    const isExample = (value: JsonValue): boolean => claims.every((claim) => engine.accepts(claim, value))
    const { value } = outcome
    if (!isExample(value) || !compileValidator(schema).matches(value)) return disagreement
    const example = also === true ? shrink(value, isExample, countSchemas(document, maxCounted)) : value
    return { verdict: 'inhabited', example }
  }
}

/** Parts of a schema beyond this make no difference to how little is left to try. */
const maxCounted = 50_000

const disagreement: Inhabitance = {
  verdict: 'unsupported',
  construct: 'witness',
  reason: 'The prover built a value that the validators judge differently: an internal error, please report it',
}
