// Keys that are kept with the ledger, decisions from a process that has no tool, and calls that another process then runs.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createPeople } from '../../src/approval/people.ts'
import { knownKeys } from '../../src/identity/check-key.ts'
import { defineTool, openProviso } from '../../src/index.ts'
import { systemClock } from '../../src/json/clock.ts'
import { systemEntropy } from '../../src/json/id.ts'
import type { Ledger } from '../../src/ledger/ports/ledger.ts'
import { postgres } from '../../src/ledger/postgres/postgres.ts'
import { readBudgets } from '../../src/policy/budgets/limit.ts'
import { identityOf, issueKey } from '../../src/public/people.ts'
import { type Databases, startDatabases } from '../ledger/databases.ts'

let databases: Databases
beforeAll(async () => {
  databases = await startDatabases()
})
afterAll(() => databases.end())

const storeOf = (ledger: Ledger) => {
  if (ledger.keys === undefined) throw new Error('This ledger keeps no keys.')
  return ledger.keys
}

/** As at a command line: nothing is executed there. */
const peopleAt = (ledger: Ledger) =>
  createPeople({
    ledger,
    clock: systemClock,
    entropy: systemEntropy,
    budgets: readBudgets(),
    identity: knownKeys({ ledger: ledger.keys, clock: systemClock, file: '/nonexistent/keys.json' }),
    toolNamed: () => undefined,
    resume: async () => {},
  })

describe('keys in the ledger', () => {
  it('open for whom they were made, in every process, until they are revoked [decision-needs-credential]', async () => {
    const url = await databases.fresh()
    const [one, other] = [await postgres(url), await postgres(url)]
    const { text, key } = await issueKey(storeOf(one), {
      user: 'ann',
      tenant: 'acme',
      roles: ['approver'],
      scopes: ['a'],
    })
    const identity = identityOf(storeOf(other), systemClock)
    expect(await identity.verify(text)).toEqual({
      tenant: 'acme',
      user: 'ann',
      roles: ['approver'],
      scopes: ['a'],
      agent: undefined,
      keyId: key.id,
      kind: 'person',
    })
    expect(await storeOf(other).list('globex')).toEqual([])
    expect(await storeOf(other).list()).toEqual([key])
    expect((await storeOf(one).revoke(key.id, systemClock.now()))?.revokedAt).toBeTypeOf('number')
    expect(await identity.verify(text)).toBeUndefined()
    expect(await storeOf(one).revoke('no such key', systemClock.now())).toBeUndefined()
    await expect(storeOf(one).save(key)).rejects.toThrow()
    for (const ledger of [one, other]) await ledger.close()
  })

  it('decide from a process without the tool; the one that has it runs the call, once [resume-on-decision]', async () => {
    const url = await databases.fresh()
    const seen: unknown[] = []
    const send = defineTool({
      name: 'send_v1',
      description: 'Sends.',
      effect: 'HIGH_RISK_EXTERNAL',
      input: { type: 'object', additionalProperties: false },
      execute(args) {
        seen.push(args)
        return { sent: true }
      },
      verify: () => ({ status: 'verified' }),
    })
    const open = async () => openProviso({ ledger: await postgres(url), tools: [send], sweepMs: 50 })
    const [proviso, peer] = [await open(), await open()]
    const asked = await proviso.call({ tool: 'send_v1' }, { user: 'ann', run: 'r', resumeOnDecision: true })
    const ledger = await postgres(url)
    const { text } = await issueKey(storeOf(ledger), { user: 'bob', roles: ['operator'] })
    const people = peopleAt(ledger)
    const { id = '', packetHash = '' } = asked.approval ?? {}
    expect((await people.approvals.approve(id, { credential: text, packetHash })).status).toBe('approved')
    await expect.poll(async () => (await proviso.approvals.get(id))?.status, { timeout: 10_000 }).toBe('used')
    const called = async () => (await proviso.calls.get(asked.observation.tool_identity.call_id))?.effect
    await expect.poll(called, { timeout: 10_000 }).toBe('happened')
    expect(seen).toHaveLength(1)
    for (const one of [proviso, peer, ledger]) await one.close()
  })

  it('run a call however many others wait whose tools are gone [resume-on-decision]', async () => {
    const seen: unknown[] = []
    const tool = (name: string) =>
      defineTool({
        name,
        description: 'Sends.',
        effect: 'HIGH_RISK_EXTERNAL',
        input: { type: 'object', additionalProperties: false, properties: { n: { type: 'integer' } } },
        execute({ n }) {
          seen.push(n)
          return { sent: true }
        },
        verify: () => ({ status: 'verified' }),
      })
    const url = await databases.fresh()
    const desk = await postgres(url)
    const people = peopleAt(desk)
    const { text: credential } = await issueKey(storeOf(desk), { user: 'bob', roles: ['operator'] })
    const [gone, stays] = [tool('gone_v1'), tool('stays_v1')]
    const open = async (tools: readonly (typeof gone)[], sweepMs: number) =>
      openProviso({ ledger: await postgres(url), tools, sweepMs })
    const before = await open([gone, stays], 2 ** 31 - 1)
    const context = { user: 'ann', run: 'r', resumeOnDecision: true }
    for (let n = 0; n <= 40; n++) {
      const name = n < 40 ? 'gone_v1' : 'stays_v1'
      const { approval } = await before.call({ tool: name, arguments: { n } }, context)
      const { id = '', packetHash = '' } = approval ?? {}
      expect((await people.approvals.approve(id, { credential, packetHash })).status).toBe('approved')
    }
    await before.close()
    const after = await open([stays], 20)
    await expect.poll(() => seen, { timeout: 10_000 }).toEqual([40])
    for (const one of [after, desk]) await one.close()
  })
})
