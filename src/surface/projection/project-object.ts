// Objects in a provider's subset. Which properties may be absent stays as it is here; how a provider writes that comes later.
import type { JsonObject, JsonValue } from '../../json/value.ts'
import type { NormalObject, NormalSchema } from '../../schema/normal.ts'
import type { ToldKeyword } from './constraint-text.ts'
import { refusesNull } from './null-for-absent.ts'
import type { Projecting, ProjectionPlace, SchemaDraft } from './projecting.ts'
import { declarationsOf } from './voices.ts'

export function projectObject(
  voices: readonly NormalObject[],
  standing: ProjectionPlace,
  projecting: Projecting,
): readonly [SchemaDraft, string[]] | undefined {
  const required = [...new Set(voices.flatMap(({ required: names = [] }) => names))]
  const names = new Set([...voices.flatMap(({ properties = {} }) => Object.keys(properties)), ...required])
  const properties: [string, JsonObject][] = []
  let impossible = false
  for (const name of names) {
    const property = projectProperty(name, required.includes(name), voices, standing, projecting)
    if (property !== undefined) properties.push([name, property])
    else if (required.includes(name)) return undefined
    else impossible = true
  }
  const told: string[] = []
  const out: SchemaDraft = { type: 'object', properties: Object.fromEntries(properties) }
  if (required.length > 0) out.required = required
  const given = projectOthers(voices, properties.length, standing, told, projecting)
  // A field that nothing fits is kept out by closing an object that is open only because nobody closed it.
  const others = impossible && given === undefined ? false : given
  if (others !== undefined) out.additionalProperties = others
  const closed = others === false
  for (const voice of voices) {
    const lose = (keyword: ToldKeyword) => told.push(projecting.lose(voice, keyword, standing))
    if (impossible && !closed && voice.properties !== undefined) lose('properties')
    if (voice.propertyNames !== undefined) lose('propertyNames')
    if (voice.minProperties !== undefined && voice.minProperties > required.length) lose('minProperties')
    if (voice.maxProperties !== undefined && !(closed && voice.maxProperties >= properties.length))
      lose('maxProperties')
    if (voice.dependentRequired !== undefined) lose('dependentRequired')
    if (voice.dependentSchemas !== undefined) lose('dependentSchemas')
    if (voice.unevaluatedProperties !== undefined && !closed) lose('unevaluatedProperties')
  }
  return [out, told]
}

function projectProperty(
  name: string,
  isRequired: boolean,
  voices: readonly NormalObject[],
  standing: ProjectionPlace,
  projecting: Projecting,
): JsonObject | undefined {
  const { subset, form } = projecting
  const said = voices.flatMap((voice): readonly NormalSchema[] => {
    const declared = voice.properties !== undefined && Object.hasOwn(voice.properties, name)
    const schema = declared
      ? voice.properties[name]
      : voice.patternProperties === undefined
        ? voice.additionalProperties
        : undefined
    return schema === undefined ? [] : [schema]
  })
  if (said.includes(false)) return undefined
  const declared = declarationsOf(voices, name)
  if (!isRequired && subset.optional === 'nullable' && declared !== undefined) {
    const node = declared.find((schema) => typeof schema === 'object') ?? voices[0]
    if (standing.inUnion) {
      projecting.refuse(
        'optional_in_union',
        node,
        `${name} may be absent and stands in a union: a null there could not be told from a value.`,
      )
    } else if (!refusesNull(declared, form)) {
      projecting.refuse('null_is_a_value', node, `${name} may be absent and may be null: null could mean either.`)
    }
  }
  return projecting.project(said, {
    ...standing,
    path: [...standing.path, name],
    isRoot: false,
    belowOptional: standing.belowOptional || !isRequired,
  })
}

/** What is said of properties that nobody declares; false closes the object. */
function projectOthers(
  voices: readonly NormalObject[],
  declared: number,
  standing: ProjectionPlace,
  told: string[],
  projecting: Projecting,
): JsonValue | undefined {
  const forbidden = voices.some(
    (voice) => voice.additionalProperties === false || voice.unevaluatedProperties === false,
  )
  const open = voices.filter(
    ({ additionalProperties: more }) => typeof more === 'object' && Object.keys(more).length > 0,
  )
  const patterned = voices.filter(({ patternProperties }) => patternProperties !== undefined)
  if (projecting.subset.objects === 'closed') {
    const [free] = [...patterned, ...(forbidden ? [] : open)]
    const isFree = free !== undefined || (declared === 0 && !forbidden && !standing.isRoot)
    if (isFree) {
      projecting.refuse(
        'free_form_object',
        free ?? voices[0],
        'Its fields are not all known by name, and every object must list them.',
      )
    }
    return false
  }
  for (const voice of patterned) told.push(projecting.lose(voice, 'patternProperties', standing))
  if (forbidden && patterned.length === 0) return false
  for (const voice of voices) {
    if (voice.additionalProperties === false) told.push(projecting.lose(voice, 'additionalProperties', standing))
  }
  const [first, ...further] = open
  for (const voice of further) told.push(projecting.lose(voice, 'additionalProperties', standing))
  const more = first?.additionalProperties
  if (more === undefined) return undefined
  const below = { ...standing, path: [...standing.path, '*'], isRoot: false, belowOptional: true }
  return projecting.project([more], below) ?? false
}
