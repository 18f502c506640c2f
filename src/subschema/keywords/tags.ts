// Tags: places where every value of a schema holds one of a few constants, as a discriminator does. What has different
// tags at one place has no value in common, so that wide unions are sorted by tag instead of tried pair by pair.

/** Each place (the names that lead to it) with the canonical texts of its constants: one of them must stand there. */
export type Tags = ReadonlyMap<string, ReadonlySet<string>>

/** Where all hold together: of two sets for one place the smaller is kept, because it excludes more. */
export function mergeTags(all: readonly Tags[]): Tags {
  const merged = new Map<string, ReadonlySet<string>>()
  for (const tags of all) {
    for (const [place, values] of tags) {
      const known = merged.get(place)
      if (known === undefined || values.size < known.size) merged.set(place, values)
    }
  }
  return merged
}

/** True only if no value can have all of them. */
export function areApart(all: readonly Tags[]): boolean {
  const met = new Map<string, ReadonlySet<string>>()
  for (const tags of all) {
    for (const [place, values] of tags) {
      const known = met.get(place)
      if (known?.isDisjointFrom(values) === true) return true
      if (known === undefined || values.size < known.size) met.set(place, values)
    }
  }
  return false
}

/**
 * Things sorted by their tags, so that those that may overlap with given tags are found without asking each.
 * Invariant: those that are left out have other constants at a place where both have one.
 */
export interface TagIndex<T> {
  /** Those that may overlap, in their order. */
  overlapping(tags: Tags): readonly T[]
}

interface PlaceIndex {
  readonly byValue: ReadonlyMap<string, readonly number[]>
  /** Things that have no tag there. */
  readonly without: readonly number[]
}

const maxPlaces = 4

export function indexByTags<T>(things: readonly T[], tagsOf: (thing: T) => Tags): TagIndex<T> {
  const tags = things.map(tagsOf)
  const counts = new Map<string, number>()
  for (const own of tags) for (const place of own.keys()) counts.set(place, (counts.get(place) ?? 0) + 1)
  // A place for which most things have no tag excludes little.
  const chosen = [...counts].filter(([, count]) => 2 * count >= things.length).sort(([, a], [, b]) => b - a)
  const places = new Map(chosen.slice(0, maxPlaces).map(([place]) => [place, indexPlace(place, tags)]))
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

function indexPlace(place: string, tags: readonly Tags[]): PlaceIndex {
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
