// The last step of reading one schema object: what several keywords mean together, and what has become redundant.
// Invariant: the finished node accepts what its keywords accept, and marks the same parts as evaluated.
import type { JsonObject } from '../../json/value.ts'
import type { NormalSchema } from '../normal.ts'
import type { KeywordRow } from './dialects.ts'
import type { NormalBuilder } from './keyword-readers.ts'

export interface FinishOptions {
  readonly source: JsonObject
  readonly keywords: ReadonlyMap<string, KeywordRow>
  /** Whether any schema around asks for unevaluated items. */
  asksForUnevaluatedItems(): boolean
}

export function finishNode(out: NormalBuilder, { source, keywords, asksForUnevaluatedItems }: FinishOptions): void {
  if (out.exclusiveMaximum !== undefined && out.exclusiveMaximum === out.maximum) delete out.maximum
  if (out.exclusiveMinimum !== undefined && out.exclusiveMinimum === out.minimum) delete out.minimum
  // OpenAPI 3.0.3: `nullable` widens the type beside it, and means nothing where no type is declared.
  if (keywords.has('nullable') && source.nullable === true && out.type !== undefined && !out.type.includes('null')) {
    out.type = [...out.type, 'null']
  }
  if (out.contains === undefined) {
    delete out.minContains
    delete out.maxContains
  } else if (keywords.get('contains')?.kind === 'contains-silent' && asksForUnevaluatedItems()) silenceContains(out)
  if (out.if === undefined) {
    delete out.then
    delete out.else
  }
  simplifyUnevaluated(out)
}

/** A double negation asserts the same and marks nothing as evaluated. */
function silenceContains(out: NormalBuilder): void {
  const { contains, minContains, maxContains, allOf } = out
  const silent: NormalBuilder = {}
  if (contains !== undefined) silent.contains = contains
  if (minContains !== undefined) silent.minContains = minContains
  if (maxContains !== undefined) silent.maxContains = maxContains
  delete out.contains
  delete out.minContains
  delete out.maxContains
  out.allOf = [...(allOf ?? []), { not: { not: silent } }]
}

/** Where nothing else can evaluate a part, the unevaluated is the additional, which costs less to check. */
function simplifyUnevaluated(out: NormalBuilder): void {
  const { unevaluatedProperties, unevaluatedItems } = out
  const alone = !evaluatesInPlace(out)
  if (out.additionalProperties !== undefined) delete out.unevaluatedProperties
  else if (unevaluatedProperties !== undefined && alone) {
    delete out.unevaluatedProperties
    out.additionalProperties = unevaluatedProperties
  }
  if (out.items !== undefined) delete out.unevaluatedItems
  else if (unevaluatedItems !== undefined && alone && out.contains === undefined) {
    delete out.unevaluatedItems
    out.items = unevaluatedItems
  }
}

function evaluatesInPlace(out: NormalBuilder): boolean {
  const applied: readonly (NormalSchema | string | object | undefined)[] = [
    out.$ref,
    out.allOf,
    out.anyOf,
    out.oneOf,
    out.if,
    out.dependentSchemas,
  ]
  return applied.some((value) => value !== undefined)
}
