// What people say of operations and of approvals, what sagas do to the operations of their steps, and what is forgotten: played.
import { toIso } from '../../../src/json/clock.ts'
import { hashJson } from '../../../src/json/hash.ts'
import { expireSlots } from '../../../src/ledger/postgres/upkeep/maintenance.ts'
import { answerOf, approval, issue, people, question, sagaStart, says } from '../../../test/ledger/requests.ts'
import type { DeedOf } from '../deed.ts'
import { tickMs } from '../setting.ts'
import type { Plays, Said, Stage } from './stage.ts'

type PeopleDeed = 'word' | 'mistake' | 'undoing' | 'closing' | 'expire' | 'approve' | 'reject' | 'replace' | 'revoke'

export function playPeople(stage: Stage): Plays<PeopleDeed> {
  const { names, setting, real, any } = stage
  const { tenant, approvalId, callOf, keyOf } = names
  let isBegun = false

  async function resolve({ call, person, says: effect, came }: DeedOf<'word' | 'mistake'>): Promise<Said> {
    const by = `person-${person}`
    const quorum = setting.quorum ?? 1
    const said = await any().operations.resolve({ tenant, callId: callOf(call), effect, by, why: 'asked', quorum })
    return said.kind === came ? undefined : `it is ${said.kind}`
  }

  async function append(change: object): Promise<string> {
    const saga = { tenant, id: `saga-${tenant}` }
    if (!isBegun) await any().sagas.create(sagaStart(saga), 3_600_000)
    isBegun = true
    return any().sagas.append({
      ...saga,
      epoch: 1,
      seq: 1,
      state: 'RUNNING',
      direction: 'forward',
      entries: [],
      dueMs: 3_600_000,
      ...change,
    })
  }

  async function decide(verdict: 'approved' | 'rejected'): Promise<undefined> {
    await any().approvals.decide(approvalId, says('ann', verdict), issue, tenant)
  }

  return {
    word: resolve,
    mistake: resolve,
    async undoing({ slot }) {
      const said = await append({ undone: keyOf(slot) })
      return said === 'written' ? undefined : `it was ${said}`
    },
    async closing({ slot, came }) {
      const said = await append({
        close: {
          slotKey: keyOf(slot),
          operation: 'op-1',
          requestHash: 'aa00',
          callId: callOf(0),
          run: 'run-1',
          answer: answerOf('closed'),
        },
      })
      const wanted = came === 'open' ? 'open' : 'written'
      return said === wanted ? undefined : `it was ${said}`
    },
    async expire() {
      await expireSlots(real.database)
      return undefined
    },
    approve: () => decide('approved'),
    reject: () => decide('rejected'),
    async replace() {
      const other = { id: `${tenant}-b`, packetHash: 'shown anew', callId: callOf(1) }
      await any().approvals.open(packetOf(stage, other), 10)
      return undefined
    },
    async revoke() {
      await any().approvals.revokeGrant(approvalId, { by: 'boss', reason: 'no more' })
      return undefined
    },
  }
}

/** What people are asked to approve: the operation of the first call, or what a standing approval would cover. */
export function packetOf({ setting, names, real }: Stage, change: object) {
  const { tenant, approvalId, callOf } = names
  const isGrant = setting.consent === 'grant'
  const limits = { expires_at: toIso((real.now() + 2 * tickMs) as never) }
  const content = isGrant ? { tool: 'tool', principal: { user: 'carol' }, limits } : undefined
  return approval({
    id: approvalId,
    kind: isGrant ? 'grant' : 'call',
    callId: callOf(0),
    subject: { tenant, slotKey: 'slot-0', generation: 1, payloadHash: 'aa00' },
    ground: {
      payloadHash: content === undefined ? 'aa00' : hashJson(content),
      contractHash: 'c',
      executorVersion: null,
      stateVersion: null,
    },
    question: { ...question, tenant, requester: { user: 'carol', agent: undefined } },
    requirement: people(1),
    barred: [],
    content,
    ttlMs: 2 * tickMs,
    ...change,
  })
}
