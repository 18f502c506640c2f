// Hashes of parts together with everything that they lead to. Invariant: work grows with the references and not with the ways through
// them, so that a document in which everything leads to everything takes no longer than another one of its size.
import { hashFields } from '../../json/hash.ts'

export interface HashedPart {
  readonly hash: string
  /** Names of other parts, or of itself. */
  readonly references: readonly string[]
}

interface Visit {
  readonly name: string
  readonly part: HashedPart
  readonly order: number
  /** The earliest part that it leads back to. */
  lowest: number
  next: number
}

/** Parts that lead to each other share one hash (Tarjan's components); without recursion, because chains are as long as their author likes. */
export function createClosure(partOf: (name: string) => HashedPart): (name: string) => string {
  const done = new Map<string, string>()
  return (wanted) => {
    const visits = new Map<string, Visit>()
    const path: Visit[] = []
    const open: Visit[] = []
    const enter = (name: string): void => {
      const visit: Visit = { name, part: partOf(name), order: visits.size, lowest: visits.size, next: 0 }
      visits.set(name, visit)
      path.push(visit)
      open.push(visit)
    }
    if (!done.has(wanted)) enter(wanted)
    for (let here = path.at(-1); here !== undefined; here = path.at(-1)) {
      const target = here.part.references[here.next++]
      if (target !== undefined) {
        const seen = visits.get(target)
        if (done.has(target)) continue
        if (seen === undefined) enter(target)
        else here.lowest = Math.min(here.lowest, seen.order)
        continue
      }
      path.pop()
      const above = path.at(-1)
      if (above !== undefined) above.lowest = Math.min(above.lowest, here.lowest)
      if (here.lowest === here.order) close(open.splice(open.lastIndexOf(here)))
    }
    return done.get(wanted) as string
  }

  function close(circle: readonly Visit[]): void {
    const within = new Set(circle.map(({ name }) => name))
    const beyond = new Set(circle.flatMap(({ part }) => part.references.filter((name) => !within.has(name))))
    const members = circle.map(({ name, part }) => hashFields('openapi-part', [name, part.hash])).sort()
    const further = [...beyond].map((name) => done.get(name) as string).sort()
    const hash = hashFields('openapi-closure', [String(members.length), ...members, ...further])
    for (const name of within) done.set(name, hash)
  }
}
