// Labels of runs in memory. Runs that were made parent and child are one family, and a family carries its labels together: one of its runs
// holds them, and the others point to it. However large families are, a run joins one at the same cost.

export interface Families {
  labels(tenant: string, run: string): readonly string[]
  add(tenant: string, run: string, labels: readonly string[], parent: string | undefined): readonly string[]
}

interface Member {
  labels: ReadonlySet<string>
  /** Nearer to the run that holds the labels; undefined in that one. */
  next: Member | undefined
  /** The most steps that a run takes to this one, at most. */
  height: number
}

const nothing: readonly string[] = []

export function createFamilies(): Families {
  const members = new Map<string, Member>()
  const memberOf = (key: string): Member => {
    const known = members.get(key)
    if (known !== undefined) return known
    const own: Member = { labels: new Set<string>(), next: undefined, height: 0 }
    members.set(key, own)
    return own
  }
  return {
    labels(tenant, run) {
      const member = members.get(keyOf(tenant, run))
      return member === undefined ? nothing : [...holderOf(member).labels]
    },
    add(tenant, run, labels, parent) {
      let holder = holderOf(memberOf(keyOf(tenant, run)))
      if (parent !== undefined) holder = joined(holder, holderOf(memberOf(keyOf(tenant, parent))))
      if (labels.some((label) => !holder.labels.has(label))) holder.labels = new Set([...holder.labels, ...labels])
      return [...holder.labels]
    },
  }
}

function holderOf(member: Member): Member {
  let holder = member
  while (holder.next !== undefined) holder = holder.next
  return holder
}

/** Of two, the lower one points to the higher one from now on: so no way is longer than the logarithm of the number of runs. */
function joined(one: Member, other: Member): Member {
  if (one === other) return one
  const [lower, higher] = one.height > other.height ? [other, one] : [one, other]
  lower.next = higher
  higher.height = Math.max(higher.height, lower.height + 1)
  higher.labels = new Set([...higher.labels, ...lower.labels])
  return higher
}

const keyOf = (tenant: string, run: string) => JSON.stringify([tenant, run])
