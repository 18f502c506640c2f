// Whether the facts of a call are all there: every pass numbered from one without a hole, every admission with the facts of its gates,
// and every end of an attempt explained.
import type { Fact } from '../../src/contract/call/fact.ts'

/** Facts beyond this number stand apart from the passes: late ends, recoveries, resolutions. */
const apart = 1_000

export interface CallOfOperation {
  readonly call: string
  readonly facts: readonly Fact[]
  readonly slot: { readonly status: string; readonly attempt: number } | undefined
}

export function factGaps({ call, facts, slot }: CallOfOperation): readonly string[] {
  const gaps: string[] = []
  const passes = Map.groupBy(
    facts.filter(({ seq }) => seq < apart),
    ({ pass }) => pass,
  )
  for (const [pass, own] of passes) {
    const times = new Map<number, number>()
    for (const { seq } of own) times.set(seq, (times.get(seq) ?? 0) + 1)
    const last = Math.max(...times.keys())
    for (let seq = 1; seq <= last; seq++) {
      // Two processes may run the same pass at once; then each number is there twice, as far as each of them came.
      if ((times.get(seq) ?? 0) < (times.get(seq + 1) ?? 0)) gaps.push(`${call} pass ${pass} has no fact ${seq}`)
      else if (!times.has(seq)) gaps.push(`${call} pass ${pass} has no fact ${seq}`)
    }
  }
  if (slot === undefined) return gaps
  if (!facts.some(({ phase }) => phase === 'schedule')) gaps.push(`${call} was admitted and its gates left no facts`)
  const ends = facts.filter(({ phase, verdict, seq }) =>
    seq < apart ? phase === 'execute' || verdict.kind === 'recovered' : true,
  )
  if (slot.status !== 'PENDING' && ends.length === 0) gaps.push(`${call} is ${slot.status} and no fact says why`)
  return gaps
}
