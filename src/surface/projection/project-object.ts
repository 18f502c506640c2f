// Objects in a provider's subset. Here a property that may be absent is simply not required; how a
// provider writes that comes later.
import type { JsonObject, JsonValue } from '../../json/value.ts'
import type { NormalObject, NormalSchema } from '../../schema/normal.ts'
import type { WordedKeyword } from './constraint-text.ts'
import { declarationsOf } from './facets.ts'
import { refusesNull } from './null-for-absent.ts'
import type { FacetsAt, SchemaDraft, WrittenForm } from './projector.ts'

export function projectObject(at: FacetsAt): WrittenForm | undefined {
  const { facets, place, projector } = at
  const required = [...new Set(facets.flatMap(({ required: names = [] }) => names))]
  const names = new Set([...facets.flatMap(({ properties = {} }) => Object.keys(properties)), ...required])
  const properties: [string, JsonObject][] = []
  let impossible = false
  for (const name of names) {
    const property = projectProperty(name, required.includes(name), at)
    if (property !== undefined) properties.push([name, property])
    else if (required.includes(name)) return undefined
    else impossible = true
  }
  const out: SchemaDraft = { type: 'object', properties: Object.fromEntries(properties) }
  if (required.length > 0) out.required = required
  const { others: declared, sentences } = projectOthers(properties.length, at)
  // A property that nothing fits is kept out by closing an object that no facet closes or opens.
  const others = impossible && declared === undefined ? false : declared
  if (others !== undefined) out.additionalProperties = others
  const closed = others === false
  const lost = facets.flatMap((facet) => {
    const { minProperties: least = 0, maxProperties: most = Number.POSITIVE_INFINITY } = facet
    const keywords: readonly (readonly [WordedKeyword, boolean])[] = [
      ['properties', impossible && !closed && facet.properties !== undefined],
      ['propertyNames', facet.propertyNames !== undefined],
      ['minProperties', least > required.length],
      ['maxProperties', most < Number.POSITIVE_INFINITY && !(closed && most >= properties.length)],
      ['dependentRequired', facet.dependentRequired !== undefined],
      ['dependentSchemas', facet.dependentSchemas !== undefined],
      ['unevaluatedProperties', facet.unevaluatedProperties !== undefined && !closed],
    ]
    return keywords.flatMap(([keyword, isLost]) => (isLost ? [projector.lose(facet, keyword, place)] : []))
  })
  return { out, sentences: [...sentences, ...lost] }
}

function projectProperty(
  name: string,
  isRequired: boolean,
  { facets, place, projector }: FacetsAt,
): JsonObject | undefined {
  const { subset, form } = projector
  const schemas = facets.flatMap((facet): readonly NormalSchema[] => {
    const declared = facet.properties !== undefined && Object.hasOwn(facet.properties, name)
    const schema = declared
      ? facet.properties[name]
      : facet.patternProperties === undefined
        ? facet.additionalProperties
        : undefined
    return schema === undefined ? [] : [schema]
  })
  if (schemas.includes(false)) return undefined
  const declared = declarationsOf(facets, name)
  if (!isRequired && subset.optional === 'nullable' && declared !== undefined) {
    const node = declared.find((schema) => typeof schema === 'object') ?? facets[0]
    if (place.inUnion) {
      projector.refuse(
        'optional_in_union',
        node,
        `${name} may be absent and stands in a union: a null there could not be told from a value.`,
      )
    } else if (!refusesNull(declared, form)) {
      projector.refuse('null_is_a_value', node, `${name} may be absent and may be null: null could mean either.`)
    }
  }
  return projector.project(schemas, {
    ...place,
    path: [...place.path, name],
    isRoot: false,
    belowOptional: place.belowOptional || !isRequired,
  })
}

/** What the facets say of undeclared properties; false closes the object. */
function projectOthers(
  declared: number,
  { facets, place, projector }: FacetsAt,
): { readonly others: JsonValue | undefined; readonly sentences: readonly string[] } {
  const forbidden = facets.some(
    (facet) => facet.additionalProperties === false || facet.unevaluatedProperties === false,
  )
  const open = facets.filter(
    ({ additionalProperties: more }) => typeof more === 'object' && Object.keys(more).length > 0,
  )
  const patterned = facets.filter(({ patternProperties }) => patternProperties !== undefined)
  if (projector.subset.objects === 'closed') {
    const [free] = [...patterned, ...(forbidden ? [] : open)]
    const isFree = free !== undefined || (declared === 0 && !forbidden && !place.isRoot)
    if (isFree) {
      projector.refuse(
        'free_form_object',
        free ?? facets[0],
        'Its fields are not all known by name, and every object must list them.',
      )
    }
    return { others: false, sentences: [] }
  }
  const lose = (keyword: WordedKeyword) => (facet: NormalObject) => projector.lose(facet, keyword, place)
  const patterns = patterned.map(lose('patternProperties'))
  if (forbidden && patterned.length === 0) return { others: false, sentences: patterns }
  const closing = facets.filter(({ additionalProperties }) => additionalProperties === false)
  const [first, ...further] = open
  const sentences = [...patterns, ...[...closing, ...further].map(lose('additionalProperties'))]
  const more = first?.additionalProperties
  if (more === undefined) return { others: undefined, sentences }
  const below = { ...place, path: [...place.path, '*'], isRoot: false, belowOptional: true }
  return { others: projector.project([more], below) ?? false, sentences }
}
