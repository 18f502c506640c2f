// Which groups of keywords a schema has, as bits: asking for each of thirty keywords at every value takes far longer.
import type { NormalObject } from '../normal.ts'

export const hasValues = 1
export const hasChecks = 2
export const hasObjectRules = 4
export const hasListRules = 8
export const hasPartsInPlace = 16
export const hasUnevaluated = 32
/** What applies in place, or twice to one property or item, brings a schema to the same value again. */
export const meetsAgain = 64

const inPlace: readonly (keyof NormalObject)[] = ['$ref', 'allOf', 'anyOf', 'oneOf', 'not', 'if']
const groups: readonly (readonly [number, readonly (keyof NormalObject)[]])[] = [
  [hasValues, ['const', 'enum']],
  [hasChecks, ['minimum', 'exclusiveMinimum', 'maximum', 'exclusiveMaximum', 'multipleOf']],
  [hasChecks, ['minLength', 'maxLength', 'pattern', 'format']],
  [hasChecks, ['minItems', 'maxItems', 'minProperties', 'maxProperties']],
  [hasListRules, ['prefixItems', 'items', 'contains', 'uniqueItems']],
  [hasObjectRules, ['properties', 'patternProperties', 'additionalProperties', 'propertyNames']],
  [hasObjectRules, ['required', 'dependentRequired', 'dependentSchemas']],
  [hasPartsInPlace, inPlace],
  [hasUnevaluated, ['unevaluatedProperties', 'unevaluatedItems']],
  [meetsAgain, [...inPlace, 'dependentSchemas', 'patternProperties', 'contains']],
]

const bits = new Map<string, number>()
for (const [bit, keywords] of groups) {
  for (const keyword of keywords) bits.set(keyword, (bits.get(keyword) ?? 0) | bit)
}

export type Traits = (node: NormalObject) => number

export function createTraits(): Traits {
  const known = new Map<NormalObject, number>()
  return (node) => {
    const kept = known.get(node)
    if (kept !== undefined) return kept
    let traits = 0
    for (const keyword of Object.keys(node)) traits |= bits.get(keyword) ?? 0
    known.set(node, traits)
    return traits
  }
}
