// The ledger's suite: what every engine has to do. memory.test.ts runs it; each further engine adds one file that runs it too.
import { describe, expect, it } from 'vitest'
import type { RecordedAnswer } from '../../src/contract/answer.ts'
import type { Approval } from '../../src/contract/approval.ts'
import { idempotencyKey, type SlotRef } from '../../src/contract/slot.ts'
import { type EpochMs, type ManualClock, manualClock } from '../../src/json/clock.ts'
import type { AdmitRequest, CallRecord, Ledger, SettleRequest } from '../../src/ledger/ledger.ts'

export interface Engine {
  readonly ledger: Ledger
  readonly clock: ManualClock
}

const slot = (change: Partial<SlotRef> = {}): SlotRef => ({
  tenant: 'acme',
  key: 'slot-1',
  kind: 'implicit',
  operation: 'op-1',
  requestHash: 'hash-1',
  providerCallId: 'p1',
  run: 'run-1',
  resource: undefined,
  ...change,
})

const keyFields = {
  workflow: '',
  run: 'run-1',
  tenant: 'acme',
  user: '',
  tool: 'tool',
  version: '1',
  operation: 'op-1',
  payloadHash: 'hash-1',
}
const key = (generation: number) => idempotencyKey(keyFields, generation)

const admission = (change: Partial<AdmitRequest> = {}): AdmitRequest => ({
  callId: 'call-1',
  tenant: 'acme',
  slot: slot(),
  keyFields,
  approval: undefined,
  rate: { scope: 'tool', windowMs: 1_000, max: 100 },
  budget: { run: 'run-1', kind: 'write', max: 100 },
  ...change,
})

const settlement = (change: Partial<SettleRequest> = {}): SettleRequest => ({
  callId: 'call-1',
  tenant: 'acme',
  slotKey: 'slot-1',
  generation: 1,
  attempt: 1,
  tries: 1,
  status: 'COMPLETED',
  effect: 'happened',
  held: false,
  answer: undefined,
  ttlMs: undefined,
  approvalId: undefined,
  budget: { run: 'run-1', kind: 'write', max: 100 },
  ...change,
})

export const callRecord = (change: Partial<CallRecord> = {}): CallRecord => ({
  id: 'call-1',
  key: { tenant: 'acme', run: 'run-1', providerCallId: 'p1', tool: 'tool', inputHash: 'h' },
  workflow: undefined,
  traceId: 't',
  principal: { user: 'ann', roles: [], scopes: [], agent: undefined },
  operationId: undefined,
  version: '1.0.0',
  contractHash: 'c',
  argumentText: '{}',
  source: 'text',
  startedAt: 0 as EpochMs,
  passes: 1,
  status: 'SUCCESS',
  effect: 'happened',
  latencyMs: 1,
  hookOutputs: undefined,
  permissionInput: undefined,
  callInput: undefined,
  mutations: [],
  tenantNamed: true,
  refusal: undefined,
  surfaceEntry: undefined,
  answer: undefined,
  ...change,
})

const approval = (clock: ManualClock, change: Partial<Approval> = {}): Approval => ({
  id: 'appr-1',
  callId: 'call-1',
  run: 'run-1',
  subject: { tenant: 'acme', slotKey: 'slot-1', generation: 1, payloadHash: 'p' },
  packet: {
    action: { tool: 'tool', version: '1' },
    consequence: '',
    why: '',
    arguments: {},
    before: null,
    after: null,
    fingerprint: 'f',
    riskClass: 'HIGH_RISK_EXTERNAL',
    pattern: 'operator_review',
    quorum: 1,
    compensation: '',
    ifRejected: '',
    traceId: 't',
    requestedBy: undefined,
  },
  createdAt: clock.now(),
  expiresAt: (clock.now() + 60_000) as EpochMs,
  decisions: [],
  usedBy: undefined,
  resume: false,
  ...change,
})

export function ledgerSuite(name: string, start: () => Promise<Engine>): void {
  describe(`the ledger on ${name}`, () => {
    it('admits an operation once and answers the next with its record', async () => {
      const { ledger } = await start()
      expect(await ledger.admit(admission())).toEqual({
        kind: 'admitted',
        generation: 1,
        attempt: 1,
        starts: 0,
        idempotencyKey: key(1),
      })
      expect(await ledger.admit(admission({ callId: 'call-2' }))).toMatchObject({
        kind: 'slot',
        record: { status: 'PENDING', effect: 'unknown', callId: 'call-1' },
      })
      expect(await ledger.settle(settlement())).toBe('settled')
      expect(await ledger.admit(admission({ slot: slot({ providerCallId: 'p2' }) }))).toMatchObject({
        kind: 'slot',
        record: { status: 'COMPLETED', effect: 'happened' },
      })
    })

    it('takes a settle only from the attempt that is pending', async () => {
      const { ledger } = await start()
      expect(await ledger.settle(settlement())).toBe('late')
      await ledger.admit(admission())
      expect(await ledger.settle(settlement({ attempt: 2 }))).toBe('late')
      expect(await ledger.settle(settlement({ status: 'PENDING', effect: 'unknown', held: true }))).toBe('settled')
      expect(await ledger.slot('acme', 'slot-1', undefined)).toMatchObject({ status: 'PENDING', held: true })
      expect(await ledger.settle(settlement())).toBe('settled')
      expect(await ledger.settle(settlement({ status: 'FAILED_FINAL', effect: 'none' }))).toBe('late')
      expect(await ledger.slot('acme', 'slot-1', undefined)).toMatchObject({ status: 'COMPLETED', held: false })
    })

    it('opens a generation only where repeating repeats nothing, and remembers who saw which', async () => {
      const { ledger } = await start()
      await ledger.admit(admission())
      await ledger.settle(settlement({ status: 'FAILED_FINAL', effect: 'none' }))
      expect(await ledger.admit(admission())).toMatchObject({ kind: 'slot' })
      expect(await ledger.admit(admission({ slot: slot({ providerCallId: 'p2' }) }))).toEqual({
        kind: 'admitted',
        generation: 2,
        attempt: 1,
        starts: 0,
        idempotencyKey: key(2),
      })
      expect(await ledger.slot('acme', 'slot-1', 'p1')).toMatchObject({ generation: 1, status: 'FAILED_FINAL' })
      expect(await ledger.slot('acme', 'slot-1', 'p3')).toMatchObject({ generation: 2 })
      await ledger.seeSlot('acme', 'slot-1', 1, 'p9')
      expect(await ledger.slot('acme', 'slot-1', 'p9')).toMatchObject({ generation: 1 })
    })

    it('keeps the key over the attempts of one generation', async () => {
      const { ledger } = await start()
      await ledger.admit(admission())
      await ledger.settle(settlement({ status: 'FAILED_RETRYABLE', effect: 'none' }))
      expect(await ledger.admit(admission({ keyFields: { ...keyFields, user: 'another' } }))).toEqual({
        kind: 'admitted',
        generation: 1,
        attempt: 2,
        starts: 1,
        idempotencyKey: key(1),
      })
    })

    it('marks what a later call on the same resource overtook', async () => {
      const { ledger } = await start()
      await ledger.admit(admission({ slot: slot({ resource: 'r' }) }))
      await ledger.settle(settlement())
      await ledger.admit(admission({ slot: slot({ key: 'slot-2', resource: 'r' }) }))
      await ledger.settle(settlement({ slotKey: 'slot-2' }))
      expect(await ledger.slot('acme', 'slot-1', undefined)).toMatchObject({ overtaken: true })
      expect(await ledger.slot('acme', 'slot-2', undefined)).toMatchObject({ overtaken: false })
    })

    it('replaces the answer of a settled generation and of no other', async () => {
      const { ledger } = await start()
      const answer = { effect: 'happened' } as RecordedAnswer
      await ledger.admit(admission())
      await ledger.amend('acme', 'slot-1', 1, answer)
      expect(await ledger.slot('acme', 'slot-1', undefined)).toMatchObject({ answer: undefined })
      await ledger.settle(settlement())
      await ledger.amend('acme', 'slot-1', 1, answer)
      expect(await ledger.slot('acme', 'slot-1', undefined)).toMatchObject({ answer })
    })

    it('refuses beyond budget or rate without leaving a trace on the slot', async () => {
      const { ledger, clock } = await start()
      expect(await ledger.admit(admission({ budget: { run: 'run-1', kind: 'write', max: 0 } }))).toEqual({
        kind: 'budget',
        budget: 'write',
        max: 0,
      })
      expect(await ledger.slot('acme', 'slot-1', undefined)).toBeUndefined()
      const rate = { scope: 'tool', windowMs: 1_000, max: 1 }
      expect(await ledger.admit(admission({ rate }))).toMatchObject({ kind: 'admitted' })
      const next = admission({ rate, slot: slot({ key: 'slot-2' }) })
      expect(await ledger.admit(next)).toEqual({ kind: 'rate', retryAfterMs: 1_000 })
      expect(await ledger.slot('acme', 'slot-2', undefined)).toBeUndefined()
      clock.advance(1_000)
      expect(await ledger.admit(next)).toMatchObject({ kind: 'admitted' })
    })

    it('gives a budget back when nothing happened, and never a rate', async () => {
      const { ledger } = await start()
      const budget = { run: 'run-1', kind: 'write', max: 1 } as const
      await ledger.admit(admission({ budget }))
      expect(await ledger.admit(admission({ budget, slot: slot({ key: 'slot-2' }) }))).toMatchObject({ kind: 'budget' })
      await ledger.settle(settlement({ budget, status: 'FAILED_FINAL', effect: 'none' }))
      expect(await ledger.admit(admission({ budget, slot: slot({ key: 'slot-2' }) }))).toMatchObject({
        kind: 'admitted',
      })
    })

    it('opens one approval per subject and uses it once', async () => {
      const { ledger, clock } = await start()
      await ledger.openApproval(approval(clock), 10)
      expect((await ledger.openApproval(approval(clock, { id: 'appr-2' }), 10))?.id).toBe('appr-1')
      const wanted = { id: 'appr-1', payloadHash: 'p' }
      expect(await ledger.admit(admission({ approval: wanted }))).toEqual({ kind: 'approval' })
      await ledger.decide('appr-1', { by: 'boss', verdict: 'approved', reason: undefined, at: clock.now() })
      expect(await ledger.admit(admission({ approval: { ...wanted, payloadHash: 'q' } }))).toEqual({ kind: 'approval' })
      expect(await ledger.admit(admission({ approval: wanted }))).toMatchObject({ kind: 'admitted' })
      expect(await ledger.admit(admission({ approval: wanted, slot: slot({ key: 'slot-2' }) }))).toEqual({
        kind: 'approval',
      })
    })

    it('frees an approval whose attempt had no effect and may be retried, and no other', async () => {
      const { ledger, clock } = await start()
      await ledger.openApproval(approval(clock), 10)
      await ledger.decide('appr-1', { by: 'boss', verdict: 'approved', reason: undefined, at: clock.now() })
      const wanted = { id: 'appr-1', payloadHash: 'p' }
      await ledger.admit(admission({ approval: wanted }))
      await ledger.settle(settlement({ status: 'FAILED_RETRYABLE', effect: 'none', approvalId: 'appr-1' }))
      expect(await ledger.admit(admission({ approval: wanted }))).toMatchObject({ kind: 'admitted', attempt: 2 })
      await ledger.settle(settlement({ attempt: 2, approvalId: 'appr-1' }))
      expect((await ledger.approval('appr-1'))?.usedBy).toBe('call-1')
    })

    it('takes no decision after the last one, and opens anew what ran out', async () => {
      const { ledger, clock } = await start()
      await ledger.openApproval(approval(clock), 10)
      await ledger.decide('appr-1', { by: 'boss', verdict: 'rejected', reason: undefined, at: clock.now() })
      await ledger.decide('appr-1', { by: 'chief', verdict: 'approved', reason: undefined, at: clock.now() })
      expect((await ledger.approval('appr-1'))?.decisions).toHaveLength(1)
      const subject = { tenant: 'acme', slotKey: 'slot-2', generation: 1, payloadHash: 'p' }
      await ledger.openApproval(approval(clock, { id: 'appr-2', subject }), 10)
      clock.advance(60_000)
      expect((await ledger.openApproval(approval(clock, { id: 'appr-3', subject }), 10))?.id).toBe('appr-3')
      expect((await ledger.findApproval(subject))?.id).toBe('appr-3')
    })

    it('finds a call again by its key and keeps the facts of every pass', async () => {
      const { ledger } = await start()
      const fact = {
        callId: 'call-1',
        pass: 1,
        seq: 1,
        phase: 'resolve',
        at: 0 as EpochMs,
        micros: 1,
        verdict: { kind: 'pass' },
        evidence: undefined,
      } as const
      await ledger.record({ call: callRecord(), facts: [fact], findAgain: true })
      await ledger.record({ call: callRecord({ passes: 2 }), facts: [{ ...fact, pass: 2 }], findAgain: true })
      await ledger.appendFact({ ...fact, seq: 1_000 })
      expect(await ledger.findCall(callRecord().key)).toMatchObject({ id: 'call-1', passes: 2 })
      expect(await ledger.findCall({ ...callRecord().key, tenant: 'globex' })).toBeUndefined()
      expect(await ledger.findCall({ ...callRecord().key, providerCallId: undefined })).toBeUndefined()
      expect((await ledger.facts('call-1')).map((entry) => [entry.pass, entry.seq])).toEqual([
        [1, 1],
        [2, 1],
        [1, 1_000],
      ])
      expect(await ledger.calls({ tenant: 'acme', limit: 1 })).toHaveLength(1)
      expect(await ledger.calls({ tenant: 'globex' })).toEqual([])
    })

    it('keeps tenants apart in slots, results and discoveries', async () => {
      const { ledger } = await start()
      await ledger.admit(admission())
      expect(await ledger.slot('globex', 'slot-1', undefined)).toBeUndefined()
      const ref = await ledger.saveResult('acme', 'call-1', { a: 1 })
      expect([await ledger.result('acme', ref), await ledger.result('globex', ref)]).toEqual([{ a: 1 }, undefined])
      await ledger.discover('acme', 'run-1', ['tool'])
      expect([
        [...(await ledger.discovered('acme', 'run-1'))],
        [...(await ledger.discovered('globex', 'run-1'))],
      ]).toEqual([['tool'], []])
    })
  })
}

export const newClock = manualClock
