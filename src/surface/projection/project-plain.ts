// A place without alternatives in a provider's subset: its values where it lists them, else one form for each of its types.
import type { JsonObject } from '../../json/value.ts'
import { typeNameOf } from '../../schema/json-type.ts'
import type { NormalObject, TypeName } from '../../schema/normal.ts'
import { projectList } from './project-list.ts'
import { projectObject } from './project-object.ts'
import { projectNumber, projectText, projectValues, valuesLeft, withNull } from './project-scalar.ts'
import type { FacetsAt, ProjectionPlace, Projector, WrittenForm } from './projector.ts'

export function projectPlain(
  facets: readonly NormalObject[],
  place: ProjectionPlace,
  projector: Projector,
): JsonObject | undefined {
  const sentences = facets.flatMap((facet) => [
    ...(facet.not === undefined || facet.not === false ? [] : [projector.lose(facet, 'not', place)]),
    ...(facet.if === undefined ? [] : [projector.lose(facet, 'if', place)]),
  ])
  const values = valuesLeft(facets, projector)
  if (values !== undefined && !place.isRoot) {
    if (values.length === 0) return undefined
    const listed = projectValues(values, projector)
    if (listed !== undefined) return projector.describe(listed, facets, sentences, place)
  }
  for (const facet of values === undefined ? [] : facets) {
    if (facet.const !== undefined) sentences.push(projector.lose(facet, 'const', place))
    if (facet.enum !== undefined) sentences.push(projector.lose(facet, 'enum', place))
  }
  const given = typesLeft(facets) ?? (values === undefined ? undefined : [...new Set(values.map(typeNameOf))])
  const types = given ?? typesMeant(facets)
  if (types.length === 0) {
    if (given !== undefined) return undefined
    if (!projector.subset.untyped) projector.refuse('untyped', facets[0], 'It may be anything; say what it is.')
    return projector.describe({}, facets, sentences, place)
  }
  return projectTypes(types, { facets, place, projector }, sentences)
}

/** `sentences` describe the whole place. */
function projectTypes(types: readonly TypeName[], at: FacetsAt, sentences: readonly string[]): JsonObject | undefined {
  const { facets, place, projector } = at
  const nullable = types.includes('null')
  const forms = types.flatMap((type) => {
    const form = type === 'null' ? undefined : ofType(type, at)
    return form === undefined ? [] : [form]
  })
  const [only] = forms
  if (only === undefined) {
    return nullable ? projector.describe({ type: 'null' }, facets, sentences, place) : undefined
  }
  if (forms.length === 1) {
    const { out } = only
    const widened = nullable ? { ...out, type: withNull([out.type as TypeName], true) } : out
    return projector.describe(widened, facets, [...sentences, ...only.sentences], place)
  }
  const described = forms.map((form) => projector.describe(form.out, [], form.sentences, place))
  return projector.describe(
    { anyOf: nullable ? [...described, { type: 'null' }] : described },
    facets,
    sentences,
    place,
  )
}

/** Undefined where no value of this type fits. */
function ofType(type: Exclude<TypeName, 'null'>, at: FacetsAt): WrittenForm | undefined {
  switch (type) {
    case 'object':
      return projectObject(at)
    case 'array':
      return projectList(at)
    case 'string':
      return projectText(at)
    case 'number':
    case 'integer':
      return projectNumber(type, at)
    case 'boolean':
      return { out: { type }, sentences: [] }
  }
}

/** The types that all facets leave; undefined where no facet declares types, empty where no type is left. */
function typesLeft(facets: readonly NormalObject[]): readonly TypeName[] | undefined {
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
function typesMeant(facets: readonly NormalObject[]): readonly TypeName[] {
  return hints.flatMap(([type, words]) =>
    facets.some((facet) => words.some((word) => facet[word] !== undefined)) ? [type] : [],
  )
}
