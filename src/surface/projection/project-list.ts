// Arrays in a provider's subset.
import type { JsonObject } from '../../json/value.ts'
import type { NormalObject, NormalSchema } from '../../schema/normal.ts'
import type { Projecting, ProjectionPlace, SchemaDraft } from './projecting.ts'

export function projectList(
  voices: readonly NormalObject[],
  standing: ProjectionPlace,
  projecting: Projecting,
): readonly [SchemaDraft, string[]] {
  const out: SchemaDraft = { type: 'array' }
  const told: string[] = []
  const below: ProjectionPlace = { ...standing, path: [...standing.path, '*'], isRoot: false }
  const tuples = voices.filter(({ prefixItems }) => prefixItems !== undefined)
  if (tuples.length > 0) projectTuple(tuples, voices, below, out, told, projecting)
  else projectItems(voices, below, out, projecting)
  keepCounts(voices, standing, out, told, projecting)
  for (const voice of voices) {
    if (voice.uniqueItems === true) told.push(projecting.lose(voice, 'uniqueItems', standing))
    if (voice.contains !== undefined) told.push(projecting.lose(voice, 'contains', standing))
    if (voice.unevaluatedItems !== undefined) told.push(projecting.lose(voice, 'unevaluatedItems', standing))
  }
  return [out, told]
}

function projectItems(
  voices: readonly NormalObject[],
  below: ProjectionPlace,
  out: SchemaDraft,
  projecting: Projecting,
): void {
  const said = voices.flatMap(({ items }) => (items === undefined ? [] : [items]))
  if (said.length === 0) {
    if (projecting.subset.untyped) return
    projecting.refuse('untyped', voices[0], 'Its items may be anything; say what they are.')
    return
  }
  const items = projecting.project(said, below)
  if (items !== undefined) out.items = items
  // No item is possible: only the empty list is left.
  else if (projecting.subset.keywords.has('maxItems')) out.maxItems = 0
  else projecting.refuse('unsatisfiable', voices[0], 'No item fits, and an empty list cannot be demanded.')
}

/** A tuple is carried as one where there is one voice; elsewhere its items are any of its forms. */
function projectTuple(
  tuples: readonly NormalObject[],
  voices: readonly NormalObject[],
  below: ProjectionPlace,
  out: SchemaDraft,
  told: string[],
  projecting: Projecting,
): void {
  const [tuple] = tuples
  const forms = tuple?.prefixItems ?? []
  const rest = tuple?.items
  const others = voices.flatMap(({ prefixItems, items }) =>
    prefixItems !== undefined || items === undefined ? [] : [items],
  )
  if (projecting.subset.tuples && tuples.length === 1 && others.length === 0) {
    const prefix = forms.map((form) => projecting.project([form], { ...below, inUnion: true }))
    if (prefix.every((item): item is JsonObject => item !== undefined)) {
      out.prefixItems = prefix
      const further = rest === undefined || rest === false ? undefined : projecting.project([rest], below)
      if (further !== undefined) out.items = further
      else if (rest !== undefined) out.maxItems = forms.length
      return
    }
  }
  const isCapped = rest === false && projecting.subset.keywords.has('maxItems')
  if (isCapped) out.maxItems = forms.length
  for (const voice of tuples) {
    told.push(projecting.lose(voice, 'prefixItems', below))
    if (voice.items !== undefined && !(isCapped && voice === tuple)) told.push(projecting.lose(voice, 'items', below))
  }
  const kinds: readonly NormalSchema[] = rest === undefined || rest === false ? forms : [...forms, rest]
  const items = projecting.project([{ anyOf: kinds }, ...others], { ...below, inUnion: true })
  if (items !== undefined) out.items = items
  else if (projecting.subset.keywords.has('maxItems')) out.maxItems = 0
  else projecting.refuse('unsatisfiable', tuple, 'No item fits, and an empty list cannot be demanded.')
}

function keepCounts(
  voices: readonly NormalObject[],
  standing: ProjectionPlace,
  out: SchemaDraft,
  told: string[],
  projecting: Projecting,
): void {
  const { keywords, mostMinItems } = projecting.subset
  for (const voice of voices) {
    const { minItems, maxItems } = voice
    if (minItems !== undefined && minItems > 0) {
      const carried = keywords.has('minItems') ? Math.min(minItems, mostMinItems) : 0
      if (carried > 0) out.minItems = Math.max(carried, typeof out.minItems === 'number' ? out.minItems : 0)
      if (carried < minItems) told.push(projecting.lose(voice, 'minItems', standing))
    }
    if (maxItems === undefined) continue
    if (keywords.has('maxItems'))
      out.maxItems = Math.min(maxItems, typeof out.maxItems === 'number' ? out.maxItems : maxItems)
    else told.push(projecting.lose(voice, 'maxItems', standing))
  }
}
