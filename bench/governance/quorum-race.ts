// The race for a quorum: eight processes decide on one packet at the same instant. First only as many people as are too few, each several
// times and in several spellings; then the one who is missing, eight times; and, on other packets, eight different people.
import { openProviso, type Proviso } from '../../src/index.ts'
import { postgres } from '../../src/ledger/index.ts'
import type { Order, Report } from './approver.ts'
import { inFolder } from './in-folder.ts'
import { tenant } from './payments.ts'
import { type Process, startProcess } from './processes.ts'
import { quorum, quorumDesk } from './quorum-desk.ts'

export interface QuorumRace {
  readonly packets: number
  readonly decisions: number
  readonly met: {
    readonly never_below_the_quorum: boolean
    readonly nobody_counted_twice: boolean
    readonly executed_exactly_once: boolean
  }
}

const tooFew = ['bob', 'bob', 'eve', 'Bob', 'eve ', 'EVE', 'bob', 'eve']
const third = Array.from({ length: 8 }, () => 'zoe')
const allPeople = ['bob', 'eve', 'zoe', 'kim', 'lea', 'max', 'ida', 'tom']

export async function raceForQuorum(url: string, rounds: number): Promise<QuorumRace> {
  return inFolder(async (folder) => {
    const { tools, identity, world } = quorumDesk(folder)
    const ledger = await postgres(url, { connections: 2, log: { sequence: false } })
    const proviso = await openProviso({ ledger, tools, identity, sweepMs: 2_000_000_000 })
    const processes = allPeople.map(() => startProcess<Order, Report>(new URL('./approver.ts', import.meta.url)))
    let decisions = 0
    let early = 0
    let missed = 0
    let twice = 0
    try {
      await Promise.all(
        processes.map(async (process) => {
          await process.next('ready')
          process.order({ kind: 'open', url, world: folder })
          await process.next('opened')
        }),
      )
      for (let round = 1; round <= rounds; round++) {
        const gate = `gate-${round}`
        const id = await ask(proviso, gate)
        const stages = round % 2 === 0 ? [allPeople] : [tooFew, third]
        for (const who of stages) {
          await decideAtOnce(processes, proviso, id, who)
          decisions += who.length
          if (who === tooFew && world.fired(gate) > 0) early++
        }
        const voters = (await proviso.approvals.get(id))?.decisions.map(({ by }) => by.trim().toLowerCase()) ?? []
        if (new Set(voters).size < quorum) early++
        if (new Set(voters).size !== voters.length) twice++
        if (world.fired(gate) !== 1) missed++
      }
    } finally {
      for (const process of processes) await process.kill()
      await proviso.close()
    }
    return {
      packets: rounds,
      decisions,
      met: {
        never_below_the_quorum: early === 0,
        nobody_counted_twice: twice === 0,
        executed_exactly_once: missed === 0,
      },
    }
  })
}

async function ask(proviso: Proviso, gate: string): Promise<string> {
  const context = { tenant, user: 'ann', run: gate, resumeOnDecision: true }
  const { approval, observation } = await proviso.call(
    { tool: 'open_gate', arguments: { gate }, callId: gate },
    context,
  )
  if (approval === undefined) throw new Error(`No person was asked: ${JSON.stringify(observation.status)}`)
  return approval.id
}

async function decideAtOnce(
  processes: readonly Process<Order, Report>[],
  proviso: Proviso,
  id: string,
  people: readonly string[],
): Promise<void> {
  const packetHash = (await proviso.approvals.get(id))?.packetHash ?? ''
  for (const [index, process] of processes.entries())
    process.order({ kind: 'approve', id, packetHash, who: people[index] ?? '' })
  await Promise.all(processes.map((process) => process.next('decided')))
}
