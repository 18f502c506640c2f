// Sorts things by their tags, so that those that may overlap with given tags are found without asking each.
// Invariant: whatever is left out has other constants at a place where both have one.
import type { Tags } from './tags.ts'

export interface TagIndex<T> {
  /** Those that may overlap, in their order. */
  overlapping(tags: Tags): readonly T[]
}

interface Place {
  readonly byValue: ReadonlyMap<string, readonly number[]>
  /** Things that have no tag there. */
  readonly without: readonly number[]
}

const maxPlaces = 4

export function indexByTags<T>(things: readonly T[], tagsOf: (thing: T) => Tags): TagIndex<T> {
  const tags = things.map(tagsOf)
  const counts = new Map<string, number>()
  for (const own of tags) for (const place of own.keys()) counts.set(place, (counts.get(place) ?? 0) + 1)
  // A place where most have no tag sorts little.
  const chosen = [...counts].filter(([, count]) => 2 * count >= things.length).sort(([, a], [, b]) => b - a)
  const places = new Map(chosen.slice(0, maxPlaces).map(([place]) => [place, placeOf(place, tags)]))
  return {
    overlapping(asked) {
      let best: readonly number[] | undefined
      for (const [name, place] of places) {
        const values = asked.get(name)
        if (values === undefined) continue
        const own = [...place.without]
        for (const value of values) own.push(...(place.byValue.get(value) ?? []))
        if (best === undefined || own.length < best.length) best = own
      }
      if (best === undefined) return things
      return [...new Set(best)].sort((a, b) => a - b).map((index) => things[index] as T)
    },
  }
}

function placeOf(place: string, tags: readonly Tags[]): Place {
  const byValue = new Map<string, number[]>()
  const without: number[] = []
  for (const [index, own] of tags.entries()) {
    const values = own.get(place)
    if (values === undefined) without.push(index)
    else {
      for (const value of values) {
        const known = byValue.get(value)
        if (known === undefined) byValue.set(value, [index])
        else known.push(index)
      }
    }
  }
  return { byValue, without }
}
