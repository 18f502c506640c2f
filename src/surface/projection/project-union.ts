// Alternatives in a provider's subset: spread over what stands beside them, each written out by itself. Which of them belong together, and
// that only one may hold, is declared in words.
import { canonicalize } from '../../json/canonical.ts'
import type { JsonObject } from '../../json/value.ts'
import type { NormalObject, NormalSchema } from '../../schema/normal.ts'
import { isOnlyNull } from './facets.ts'
import type { ProjectionPlace, Projector } from './projector.ts'
import { derived, flatten, type Union } from './spread.ts'

export function projectUnion(union: Union, place: ProjectionPlace, projector: Projector): JsonObject | undefined {
  const { facet, keyword, branches, rest } = union
  if (place.isRoot) return projectRootUnion(union, place, projector)
  const isUnion = branches.filter((branch) => !isOnlyNull(branch)).length > 1
  const sentence = keyword === 'oneOf' && branches.length > 1 ? projector.lose(facet, 'oneOf', place) : ''
  const silent = rest.map(withoutWords)
  const below = { ...place, inUnion: place.inUnion || isUnion }
  const forms = branches.flatMap((branch) => {
    const form = projector.project([...silent, branch], below)
    return form === undefined ? [] : alternativesOf(form)
  })
  const different = [...new Map(forms.map((form) => [canonicalize(form), form])).values()]
  const [only] = different
  if (only === undefined) return undefined
  if (different.length === 1) return projector.describe({ ...only }, rest, [], place)
  return projector.describe(
    { anyOf: different },
    rest,
    sentence === '' || isTelling(different) ? [] : [sentence],
    place,
  )
}

/**
 * The root is an object and nothing else: the fields of all alternatives are offered together, and a sentence says which of
 * them belong together.
 */
function projectRootUnion(
  { facet, keyword, branches, rest }: Union,
  place: ProjectionPlace,
  projector: Projector,
): JsonObject | undefined {
  const forms = branches.filter((branch): branch is NormalObject => typeof branch === 'object')
  if (forms.length === 1 && branches.length === 1) return projector.project([...rest, ...forms], place)
  const sentence = projector.lose(facet, keyword, place)
  const names = new Set(
    forms.flatMap((branch) => {
      const flat = flatten([branch], place, projector)
      return typeof flat === 'string' ? [] : flat.facets.flatMap(({ properties = {} }) => Object.keys(properties))
    }),
  )
  const known = new Set(rest.flatMap(({ properties = {} }) => Object.keys(properties)))
  const added = [...names].filter((name) => !known.has(name))
  if (added.length > 0 && projector.subset.optional === 'nullable') {
    projector.refuse('optional_in_union', facet, `${added[0]} may be absent and stands in a union.`)
  }
  const offered = Object.fromEntries(added.map((name) => [name, { anyOf: declaredIn(forms, name, projector) }]))
  const together = added.length === 0 ? rest : [...rest, { properties: offered }]
  const schema = projector.project(together, place)
  return schema === undefined ? undefined : projector.describe({ ...schema }, [], [sentence], place)
}

function declaredIn(
  forms: readonly NormalObject[],
  name: string,
  document: Pick<Projector, 'form' | 'recursive'>,
): readonly NormalSchema[] {
  return forms.flatMap((branch) => {
    const flat = flatten([branch], { unfolding: new Set() }, document)
    if (typeof flat === 'string') return []
    const declared = flat.facets.flatMap(({ properties }) =>
      properties !== undefined && Object.hasOwn(properties, name) ? [properties[name] as NormalSchema] : [],
    )
    return declared.length === 0 ? [] : [{ allOf: declared }]
  })
}

/** A union of unions is one list. */
const alternativesOf = (form: JsonObject): readonly JsonObject[] =>
  Object.keys(form).length === 1 && Array.isArray(form.anyOf) ? (form.anyOf as readonly JsonObject[]) : [form]

function withoutWords(facet: NormalObject): NormalObject {
  const { title: _title, description: _text, ...speaking } = facet
  return derived(speaking, facet)
}

/** Where all types differ, a value shows by itself which form is meant. */
function isTelling(forms: readonly JsonObject[]): boolean {
  return new Set(forms.map(({ type }) => JSON.stringify(type))).size === forms.length
}
