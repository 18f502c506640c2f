// Reads from the facts of calls alone whether locks did what they promise: no call runs beside a writer of the same thing, and calls of one
// batch that are in each other's way run in the order of their proposals. Knows nothing of the scheduler; the tests plant faults in it.
import type { Fact } from '../../src/index.ts'

export interface Execution {
  readonly index: number
  readonly locks: readonly { readonly id: string; readonly mode: 'shared' | 'exclusive' }[]
  /** Microseconds of the process's monotonic clock, between which the tool ran. */
  readonly start: number
  readonly end: number
}

export interface Findings {
  readonly executions: number
  /** Locks that more than one call held. */
  readonly contended: number
  readonly exclusivity_violations: number
  readonly order_violations: number
}

/** One call, by its facts; undefined where it held no lock or did not come to its execution. */
export function executionOf(facts: readonly Fact[]): Execution | undefined {
  const ran = facts.find(({ phase }) => phase === 'execute')
  const pass = facts.filter((fact) => fact.pass === ran?.pass)
  const held = pass.findIndex(({ phase, evidence }) => phase === 'schedule' && 'since_us' in Object(evidence))
  const evidence = pass[held]?.evidence as { since_us: number; index: number; locks: Execution['locks'] } | undefined
  if (ran === undefined || evidence === undefined) return undefined
  // Durations follow one another without a gap: the end of one phase is the beginning of the next.
  const until = pass.slice(held + 1, pass.indexOf(ran) + 1)
  const end = until.reduce((sum, { micros }) => sum + micros, evidence.since_us)
  return { index: evidence.index, locks: evidence.locks, start: end - ran.micros, end }
}

export function checkExecutions(executions: readonly Execution[]): Findings {
  const byLock = new Map<string, { mode: 'shared' | 'exclusive'; of: Execution }[]>()
  for (const of of executions)
    for (const { id, mode } of of.locks) byLock.set(id, [...(byLock.get(id) ?? []), { mode, of }])
  let exclusivity = 0
  let order = 0
  let contended = 0
  for (const holders of byLock.values()) {
    if (holders.length > 1) contended++
    exclusivity += overlaps(holders.toSorted((a, b) => a.of.start - b.of.start))
    order += overlaps(holders.toSorted((a, b) => a.of.index - b.of.index))
  }
  return {
    executions: executions.length,
    contended,
    exclusivity_violations: exclusivity,
    order_violations: order,
  }
}

/** How many of them, taken in this sequence, began before a call in front of them, which they exclude, had ended. */
function overlaps(sequence: readonly { readonly mode: 'shared' | 'exclusive'; readonly of: Execution }[]): number {
  let lastWriter = Number.NEGATIVE_INFINITY
  let last = Number.NEGATIVE_INFINITY
  let found = 0
  for (const { mode, of } of sequence) {
    if (of.start < (mode === 'exclusive' ? last : lastWriter)) found++
    last = Math.max(last, of.end)
    if (mode === 'exclusive') lastWriter = Math.max(lastWriter, of.end)
  }
  return found
}
