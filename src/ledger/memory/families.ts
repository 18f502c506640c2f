// Labels of runs in memory. Runs that were made parent and child are one family, and a family carries its labels together.

export interface Families {
  labels(tenant: string, run: string): readonly string[]
  add(tenant: string, run: string, labels: readonly string[], parent: string | undefined): readonly string[]
}

const nothing: readonly string[] = []

export function createFamilies(): Families {
  /** By run: the labels of its family, one set for all of its members. */
  const carried = new Map<string, { labels: ReadonlySet<string>; members: string[] }>()
  const familyOf = (key: string) => {
    const known = carried.get(key)
    if (known !== undefined) return known
    const own = { labels: new Set<string>(), members: [key] }
    carried.set(key, own)
    return own
  }
  return {
    labels: (tenant, run) => [...(carried.get(keyOf(tenant, run))?.labels ?? nothing)],
    add(tenant, run, labels, parent) {
      const family = familyOf(keyOf(tenant, run))
      family.labels = new Set([...family.labels, ...labels])
      const other = parent === undefined ? family : familyOf(keyOf(tenant, parent))
      if (other !== family) {
        family.labels = new Set([...family.labels, ...other.labels])
        family.members.push(...other.members)
        for (const member of other.members) carried.set(member, family)
      }
      return [...family.labels]
    },
  }
}

const keyOf = (tenant: string, run: string) => JSON.stringify([tenant, run])
