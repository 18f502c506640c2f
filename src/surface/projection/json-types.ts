// The JSON types that the facets of a value leave: by the types that they declare or, where they declare none, by their other keywords.
import type { NormalObject, TypeName } from '../../schema/normal.ts'

/** Undefined where no facet declares types; empty where no type is left. */
export function typesLeft(facets: readonly NormalObject[]): readonly TypeName[] | undefined {
  let left: readonly TypeName[] | undefined
  for (const { type } of facets) {
    if (type === undefined) continue
    left = left === undefined ? type : meet(left, type)
  }
  return left === undefined ? undefined : withoutRepeats(left)
}

/** Integers are numbers: what allows both allows the narrower. */
function meet(one: readonly TypeName[], other: readonly TypeName[]): readonly TypeName[] {
  return one.flatMap((type): readonly TypeName[] => {
    if (other.includes(type)) return [type]
    if (type === 'integer' && other.includes('number')) return ['integer']
    return type === 'number' && other.includes('integer') ? ['integer'] : []
  })
}

function withoutRepeats(types: readonly TypeName[]): readonly TypeName[] {
  return [...new Set(types)].filter((type) => type !== 'integer' || !types.includes('number'))
}

const hints: readonly (readonly [TypeName, readonly (keyof NormalObject)[]])[] = [
  [
    'object',
    [
      'properties',
      'required',
      'additionalProperties',
      'patternProperties',
      'minProperties',
      'maxProperties',
      'propertyNames',
      'dependentRequired',
    ],
  ],
  ['array', ['items', 'prefixItems', 'contains', 'minItems', 'maxItems', 'uniqueItems']],
  ['string', ['minLength', 'maxLength', 'pattern']],
  ['number', ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf']],
]

/** The types that the author has thought of. A value of another type would obey as well, but was not meant. */
export function typesMeant(facets: readonly NormalObject[]): readonly TypeName[] {
  return hints.flatMap(([type, words]) =>
    facets.some((facet) => words.some((word) => facet[word] !== undefined)) ? [type] : [],
  )
}
