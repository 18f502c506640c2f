// An agent that wants one operation done: it proposes it, has people approve it where they are asked, and proposes it again. What it
// was told is kept for the judge.
import type { Proviso } from '../../src/index.ts'
import type { OrGone } from './child-pool.ts'
import type { CallOrder, Told } from './host.ts'
import { isSettled, readSlots } from './judge.ts'
import { approve } from './people.ts'
import type { Site } from './site.ts'
import { until } from './until.ts'

export interface Caller {
  call(order: CallOrder): Promise<OrGone<Told>>
}

/** A request, its approval, and the call itself; approvals of a lost attempt may have to be given again. */
const maxSteps = 4

/** Gives what it was told, and `gone` last where the process died. */
export async function perform(caller: Caller, order: CallOrder, people: Proviso): Promise<readonly OrGone<Told>[]> {
  const told: OrGone<Told>[] = []
  for (let step = 0; step < maxSteps; step++) {
    const answer = await caller.call(order)
    told.push(answer)
    if (answer === 'gone' || answer.approval === undefined) return told
    await approve(people, answer.approval)
  }
  return told
}

export const heard = (told: readonly OrGone<Told>[]): readonly Told[] => told.filter((answer) => answer !== 'gone')

/** Waits until nothing of the operation is under way; false where that takes too long. */
export function settled(site: Site, op: string, withinMs: number): Promise<boolean> {
  return until(async () => (await readSlots(site, op)).every(isSettled), withinMs)
}
