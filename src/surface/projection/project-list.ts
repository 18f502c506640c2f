// Arrays in a provider's subset: tuples where it has them, else one form for all items, and how many there may be.
import type { JsonObject, JsonValue } from '../../json/value.ts'
import type { NormalObject, NormalSchema } from '../../schema/normal.ts'
import { type FacetsAt, joinForms, type ProjectionPlace, type Projector, type WrittenForm } from './projector.ts'

export function projectList(at: FacetsAt): WrittenForm {
  const { facets, place, projector } = at
  const below: ProjectionPlace = { ...place, path: [...place.path, '*'], isRoot: false }
  const isTuple = facets.some(({ prefixItems }) => prefixItems !== undefined)
  const items = isTuple ? projectTuple(at, below) : { out: projectItems(at, below), sentences: [] }
  const counts = projectCounts(at, items.out.maxItems)
  const sentences = facets.flatMap((facet) => [
    ...(facet.uniqueItems === true ? [projector.lose(facet, 'uniqueItems', place)] : []),
    ...(facet.contains === undefined ? [] : [projector.lose(facet, 'contains', place)]),
    ...(facet.unevaluatedItems === undefined ? [] : [projector.lose(facet, 'unevaluatedItems', place)]),
  ])
  return joinForms({ out: { type: 'array' }, sentences: [] }, items, counts, { out: {}, sentences })
}

function projectItems({ facets, projector }: FacetsAt, below: ProjectionPlace): WrittenForm['out'] {
  const declared = facets.flatMap(({ items }) => (items === undefined ? [] : [items]))
  if (declared.length > 0) return itemsOrNone(declared, facets[0], below, projector)
  if (!projector.subset.untyped) projector.refuse('untyped', facets[0], 'Its items may be anything; say what they are.')
  return {}
}

/** Where no item is possible, only the empty list is left. */
function itemsOrNone(
  schemas: readonly NormalSchema[],
  owner: NormalObject | undefined,
  below: ProjectionPlace,
  projector: Projector,
): WrittenForm['out'] {
  const items = projector.project(schemas, below)
  if (items !== undefined) return { items }
  if (projector.subset.keywords.has('maxItems')) return { maxItems: 0 }
  projector.refuse('unsatisfiable', owner, 'No item fits, and an empty list cannot be demanded.')
  return {}
}

/** A tuple is carried where only one facet speaks of items; elsewhere each item may have any of the tuple's forms. */
function projectTuple({ facets, projector }: FacetsAt, below: ProjectionPlace): WrittenForm {
  const { subset } = projector
  const tuples = facets.filter(({ prefixItems }) => prefixItems !== undefined)
  const [tuple] = tuples
  const forms = tuple?.prefixItems ?? []
  const rest = tuple?.items
  const others = facets.flatMap(({ prefixItems, items }) =>
    prefixItems !== undefined || items === undefined ? [] : [items],
  )
  if (subset.tuples && tuples.length === 1 && others.length === 0) {
    const prefixItems = forms.map((form) => projector.project([form], { ...below, inUnion: true }))
    if (prefixItems.every((item): item is JsonObject => item !== undefined)) {
      const items = rest === undefined || rest === false ? undefined : projector.project([rest], below)
      const end = items !== undefined ? { items } : rest !== undefined ? { maxItems: forms.length } : {}
      return { out: { prefixItems, ...end }, sentences: [] }
    }
  }
  const isCapped = rest === false && subset.keywords.has('maxItems')
  const sentences = tuples.flatMap((facet) => [
    projector.lose(facet, 'prefixItems', below),
    ...(facet.items === undefined || (isCapped && facet === tuple) ? [] : [projector.lose(facet, 'items', below)]),
  ])
  const kinds: readonly NormalSchema[] = rest === undefined || rest === false ? forms : [...forms, rest]
  const items = itemsOrNone([{ anyOf: kinds }, ...others], tuple, { ...below, inUnion: true }, projector)
  return { out: { ...(isCapped ? { maxItems: forms.length } : {}), ...items }, sentences }
}

/** `bound` is the greatest length that the items allow. */
function projectCounts({ facets, place, projector }: FacetsAt, bound: JsonValue | undefined): WrittenForm {
  const { keywords, mostMinItems } = projector.subset
  const out: { minItems?: number; maxItems?: number } = typeof bound === 'number' ? { maxItems: bound } : {}
  const sentences: string[] = []
  for (const facet of facets) {
    const { minItems, maxItems } = facet
    if (minItems !== undefined && minItems > 0) {
      const carried = keywords.has('minItems') ? Math.min(minItems, mostMinItems) : 0
      if (carried > 0) out.minItems = Math.max(carried, out.minItems ?? 0)
      if (carried < minItems) sentences.push(projector.lose(facet, 'minItems', place))
    }
    if (maxItems === undefined) continue
    if (keywords.has('maxItems')) out.maxItems = Math.min(maxItems, out.maxItems ?? maxItems)
    else sentences.push(projector.lose(facet, 'maxItems', place))
  }
  return { out, sentences }
}
