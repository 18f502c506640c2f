// Races on one financial budget: many calls at once in one process, from eight processes, and from eight of which three are killed with
// all that they have begun.
import { openProviso, type Proviso } from '../../src/index.ts'
import { postgres } from '../../src/ledger/index.ts'
import { until } from '../faults/until.ts'
import type { World } from '../faults/world.ts'
import { inFolder } from './in-folder.ts'
import { judgeSpending, type Spending } from './judge-spending.ts'
import { contextOf, operationOf, paymentDesk, proposalOf, tenant } from './payments.ts'
import { startProcess } from './processes.ts'
import { person } from './quorum-desk.ts'
import type { Order, Report } from './spender.ts'

export interface Race {
  readonly calls: number
  readonly processes: number
  readonly budgetCents: number
}

const numbersOf = ({ calls }: Race) => Array.from({ length: calls }, (_, index) => index + 1)

export async function raceInMemory(race: Race): Promise<Spending> {
  return inFolder(async (folder) => {
    const { world, tools, budgets } = paymentDesk(folder, race.budgetCents)
    const proviso = await openProviso({ tools, budgets })
    const numbers = numbersOf(race)
    const answers = await Promise.all(numbers.map((number) => proviso.call(proposalOf(number), contextOf(number))))
    const refused = numbers.filter(
      (_, index) => answers[index]?.observation.status.taxonomy_class === 'BUDGET_EXHAUSTED',
    )
    const spending = await judgeSpending(numbers, refused, { world, proviso, budgetCents: race.budgetCents })
    await proviso.close()
    return spending
  })
}

export interface Killed extends Spending {
  /** Attempts that died with their process, and how many of those had had their effect. */
  readonly killed_attempts: number
  readonly killed_after_effect: number
  readonly killed_share: number
  readonly held_and_resolved: number
}

/** @param doomed So many of the processes are killed once everything that they have begun stands still. */
export async function raceOnPostgres(url: string, race: Race, doomed: number): Promise<Killed> {
  return inFolder(async (folder) => {
    const numbers = numbersOf(race)
    const shares = Array.from({ length: race.processes }, (_, index) =>
      numbers.filter((number) => number % race.processes === index),
    )
    // Before the race begins, the tables are made.
    const { world, tools, budgets } = paymentDesk(folder, race.budgetCents)
    const ledger = await postgres(url, { connections: 3, leaseMs: 2_000, log: { sequence: false } })
    const identity = { verify: async (name: string) => person(name) }
    const proviso = await openProviso({ ledger, tools, budgets, identity, sweepMs: 2_000_000_000 })
    const processes = shares.map(() => startProcess<Order, Report>(new URL('./spender.ts', import.meta.url)))
    try {
      await Promise.all(
        processes.map(async (process, index) => {
          await process.next('ready')
          const { budgetCents } = race
          process.order({ kind: 'open', url, world: folder, budgetCents, doomed: index < doomed })
          await process.next('opened')
        }),
      )
      for (const [index, process] of processes.entries()) process.order({ kind: 'pay', numbers: shares[index] ?? [] })
      const ends = await Promise.all(
        processes.map(async (process, index) => {
          if (index >= doomed) return { outcomes: (await process.next('paid')).outcomes, killed: 0 }
          const { attempts } = await process.next('standing')
          await process.kill()
          return { outcomes: [], killed: attempts }
        }),
      )
      const killed = ends.reduce((sum, end) => sum + end.killed, 0)
      const afterEffect = shares
        .slice(0, doomed)
        .flat()
        .filter((number) => world.fired(operationOf(number)) > 0).length
      const held = await lookAfter(proviso, world, killed)
      const outcomes = ends.flatMap((end) => end.outcomes)
      const paid = new Set(outcomes.flatMap((one) => (one.class === 'SUCCESS' ? [one.number] : [])))
      // What was given back may be spent after all: then every call that got nothing asks once more, one after the other.
      const refused =
        doomed === 0
          ? outcomes.flatMap((one) => (one.class === 'BUDGET_EXHAUSTED' ? [one.number] : []))
          : await askAgain(
              proviso,
              numbers.filter((number) => !paid.has(number)),
            )
      const { budgetCents } = race
      const spending = await judgeSpending(numbers, refused, { world, proviso, budgetCents })
      const attempts = killed + paid.size
      return {
        ...spending,
        killed_attempts: killed,
        killed_after_effect: afterEffect,
        killed_share: Math.round((100 * killed) / Math.max(1, attempts)) / 100,
        held_and_resolved: held,
      }
    } finally {
      for (const process of processes) await process.kill()
      await proviso.close()
    }
  })
}

async function askAgain(proviso: Proviso, numbers: readonly number[]): Promise<readonly number[]> {
  const refused: number[] = []
  for (const number of numbers) {
    const answer = await proviso.call(proposalOf(number), contextOf(number))
    if (answer.observation.status.taxonomy_class === 'BUDGET_EXHAUSTED') refused.push(number)
  }
  return refused
}

/** Waits until every lost attempt is held, and says of each what the world says. Gives how many there were. */
async function lookAfter(proviso: Proviso, world: World, killed: number): Promise<number> {
  const heldCalls = () => proviso.calls.list({ tenant, held: true, limit: 10_000 })
  const all = async () => {
    await proviso.recover()
    return (await heldCalls()).length === killed
  }
  if (killed === 0) return 0
  if (!(await until(all, 60_000))) throw new Error('Lost attempts were not held within a minute.')
  const held = await heldCalls()
  for (const { id, key } of held) {
    const effect = world.has(key.providerCallId ?? '') ? 'happened' : 'none'
    await proviso.calls.resolve(id, { effect, credential: 'olga', why: 'Looked at the world.' })
  }
  return held.length
}
