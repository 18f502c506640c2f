// Alternatives in a provider's subset: spread over what stands beside them, each written out by itself. Which of them belong together, and
// that only one may hold, is told in words.
import { canonicalize } from '../../json/canonical.ts'
import type { JsonObject } from '../../json/value.ts'
import type { NormalObject, NormalSchema } from '../../schema/normal.ts'
import type { Projecting, ProjectionPlace } from './projecting.ts'
import { derived, flatten, type Union } from './spread.ts'
import { isOnlyNull } from './voices.ts'

export function projectUnion(union: Union, standing: ProjectionPlace, projecting: Projecting): JsonObject | undefined {
  const { voice, keyword, branches, rest } = union
  if (standing.isRoot) return projectRootUnion(union, standing, projecting)
  const isUnion = branches.filter((branch) => !isOnlyNull(branch)).length > 1
  const told = keyword === 'oneOf' && branches.length > 1 ? projecting.lose(voice, 'oneOf', standing) : ''
  const silent = rest.map(withoutWords)
  const below = { ...standing, inUnion: standing.inUnion || isUnion }
  const forms = branches.flatMap((branch) => {
    const form = projecting.project([...silent, branch], below)
    return form === undefined ? [] : alternativesOf(form)
  })
  const different = [...new Map(forms.map((form) => [canonicalize(form), form])).values()]
  const [only] = different
  if (only === undefined) return undefined
  if (different.length === 1) return projecting.describe({ ...only }, rest, [], standing)
  return projecting.describe({ anyOf: different }, rest, told === '' || isTelling(different) ? [] : [told], standing)
}

/** At the root stands an object and nothing else: the alternatives' fields are offered together, and which of them go together is told. */
function projectRootUnion(
  { voice, keyword, branches, rest }: Union,
  standing: ProjectionPlace,
  projecting: Projecting,
): JsonObject | undefined {
  const forms = branches.filter((branch): branch is NormalObject => typeof branch === 'object')
  if (forms.length === 1 && branches.length === 1) return projecting.project([...rest, ...forms], standing)
  const told = projecting.lose(voice, keyword, standing)
  const names = new Set(
    forms.flatMap((branch) => {
      const flat = flatten([branch], standing, projecting)
      return typeof flat === 'string' ? [] : flat.voices.flatMap(({ properties = {} }) => Object.keys(properties))
    }),
  )
  const known = new Set(rest.flatMap(({ properties = {} }) => Object.keys(properties)))
  const added = [...names].filter((name) => !known.has(name))
  if (added.length > 0 && projecting.subset.optional === 'nullable') {
    projecting.refuse('optional_in_union', voice, `${added[0]} may be absent and stands in a union.`)
  }
  const offered = Object.fromEntries(added.map((name) => [name, { anyOf: declaredIn(forms, name, projecting) }]))
  const together = added.length === 0 ? rest : [...rest, { properties: offered }]
  const schema = projecting.project(together, standing)
  return schema === undefined ? undefined : projecting.describe({ ...schema }, [], [told], standing)
}

function declaredIn(
  forms: readonly NormalObject[],
  name: string,
  document: Pick<Projecting, 'form' | 'recursive'>,
): readonly NormalSchema[] {
  return forms.flatMap((branch) => {
    const flat = flatten([branch], { unfolding: new Set() }, document)
    if (typeof flat === 'string') return []
    const said = flat.voices.flatMap(({ properties }) =>
      properties !== undefined && Object.hasOwn(properties, name) ? [properties[name] as NormalSchema] : [],
    )
    return said.length === 0 ? [] : [{ allOf: said }]
  })
}

/** A union of unions is one list. */
const alternativesOf = (form: JsonObject): readonly JsonObject[] =>
  Object.keys(form).length === 1 && Array.isArray(form.anyOf) ? (form.anyOf as readonly JsonObject[]) : [form]

function withoutWords(voice: NormalObject): NormalObject {
  const { title: _title, description: _text, ...speaking } = voice
  return derived(speaking, voice)
}

/** Types that differ, or lists of single values, tell by themselves which form is meant. */
function isTelling(forms: readonly JsonObject[]): boolean {
  return new Set(forms.map(({ type }) => JSON.stringify(type))).size === forms.length
}
