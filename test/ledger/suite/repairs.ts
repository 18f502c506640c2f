// What models are sent back to mend, as every engine counts it.
import { expect, it } from 'vitest'
import { epochMs } from '../../../src/json/clock.ts'
import { systemEntropy, uuidv7 } from '../../../src/json/id.ts'
import type { RepairRefusal, RepairScope } from '../../../src/ledger/rules/repair.ts'
import { callRecord } from '../requests.ts'
import type { StartEngine } from '../suite.ts'

const scope: RepairScope = {
  tenant: 'acme',
  run: 'run-1',
  agent: undefined,
  user: undefined,
  turn: undefined,
  tool: 'orders.create',
  contractHash: 'hash',
}

let last = Date.now()

/** Refused just now, as the next one after all others. */
function refusal(payload: string): RepairRefusal {
  last += 10
  const at = epochMs(last)
  const callId = uuidv7(at, systemEntropy)
  return {
    payload,
    errors: 'e',
    callId,
    providerCallId: undefined,
    at,
    openedAt: epochMs(last - 1),
    maxRepairs: 3,
    question: {
      id: uuidv7(at, systemEntropy),
      tenant: 'acme',
      callId,
      kind: 'repair_exhausted',
      message: 'm',
      at,
    },
  }
}

export function repairTests(start: StartEngine): void {
  it('counts refusals of all processes together, and asks once where a scope halts [repairs-are-bounded]', async () => {
    const { ledger, peer } = await start()
    const other = await peer()
    const first = await ledger.repairs.refused(scope, refusal('a'))
    expect(first).toEqual({ halted: false, repairs: undefined })
    const second = await other.repairs.refused(scope, refusal('b'))
    expect(second).toMatchObject({ halted: false, repairs: { number: 1, payload: 'a' } })
    expect(await ledger.calls.escalations('acme')).toEqual([])
    expect((await other.repairs.refused(scope, refusal('a'))).halted).toBe(true)
    expect((await ledger.repairs.refused(scope, refusal('c'))).halted).toBe(true)
    expect((await ledger.repairs.refused({ ...scope, run: 'run-2' }, refusal('a'))).halted).toBe(false)
    expect((await ledger.calls.escalations('acme')).map(({ kind }) => kind)).toEqual(['repair_exhausted'])
    expect(await ledger.calls.escalations('globex')).toEqual([])
  })

  it('begins anew with a valid proposal, closes the question, and opens the same one again [repairs-are-bounded]', async () => {
    const { ledger, peer } = await start()
    await ledger.repairs.refused(scope, refusal('a'))
    await ledger.repairs.refused(scope, refusal('a'))
    const [asked] = await ledger.calls.escalations('acme')
    const other = await peer()
    await other.repairs.repaired(scope)
    expect(await ledger.calls.escalations('acme')).toEqual([])
    expect((await ledger.repairs.refused(scope, refusal('b'))).halted).toBe(false)
    expect((await ledger.repairs.refused(scope, refusal('a'))).halted).toBe(true)
    expect((await ledger.calls.escalations('acme')).map(({ id }) => id)).toEqual([asked?.id])
    await other.repairs.repaired({ ...scope, run: 'unknown' })
  })

  it('counts every refusal of many at the same time', async () => {
    const { ledger, peer } = await start()
    const other = await peer()
    const counts = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        (index % 2 === 0 ? ledger : other).repairs.refused(scope, refusal(`p${index}`)),
      ),
    )
    expect(counts.filter(({ halted }) => !halted)).toHaveLength(3)
    expect(await ledger.calls.escalations('acme')).toHaveLength(1)
  })

  it('finds the valid call of another process on record', async () => {
    const { ledger, peer } = await start()
    const other = await peer()
    await ledger.repairs.refused(scope, refusal('a'))
    await ledger.repairs.refused(scope, refusal('b'))
    await ledger.repairs.refused(scope, refusal('c'))
    const record = (agent: string | undefined) => {
      last += 10
      const call = callRecord()
      const valid = {
        ...call,
        id: uuidv7(epochMs(last), systemEntropy),
        key: { ...call.key, tenant: 'acme', run: 'run-1', tool: scope.tool },
        contractHash: scope.contractHash,
        principal: { ...call.principal, agent },
        status: 'SUCCESS' as const,
      }
      return other.operations.record({ call: valid, facts: [], findAgain: false })
    }
    // More than a page of them is another agent's.
    for (let n = 0; n < 120; n++) await record('another')
    await record(undefined)
    // Where all is one process, its own pipeline says so.
    if (ledger.durability === 'ephemeral') await ledger.repairs.repaired(scope)
    expect((await ledger.repairs.refused(scope, refusal('d'))).halted).toBe(false)
  })
}
