// The ledger's suite: what every engine has to do. memory.test.ts runs it; each further engine adds one file that runs it too.
import { describe, expect, it } from 'vitest'
import type { RecordedAnswer } from '../../src/contract/answer.ts'
import type { ApprovalRequest } from '../../src/contract/approval.ts'
import type { SettleRequest } from '../../src/contract/settlement.ts'
import { idempotencyKey, type SlotRef } from '../../src/contract/slot.ts'
import type { EpochMs } from '../../src/json/clock.ts'
import type { AdmitRequest, CallRecord, Ledger, PassEntry } from '../../src/ledger/ledger.ts'

export interface Engine {
  readonly ledger: Ledger
  /** Lets time pass, as the ledger's own clock has it. */
  advance(ms: number): Promise<void>
}

/** Ids as the pipeline makes them, one for each number. */
export const callId = (number: number) => `018f0000-0000-7000-8000-${String(number).padStart(12, '0')}`
const one = callId(1)
const two = callId(2)
const answer: RecordedAnswer = JSON.parse('{"effect":"happened","observation":{"status":{"code":200}},"response":{}}')
const settleOn = (ledger: Ledger, change: Partial<SettleRequest> = {}, entry: Partial<PassEntry> = {}) =>
  ledger.record({ call: callRecord(), facts: [], findAgain: true, settle: settlement(change), ...entry })
const slotAt = async (ledger: Ledger, key = 'slot-1', providerCallId?: string, tenant = 'acme') =>
  (await ledger.slot(tenant, key, providerCallId)).record
const found = async (ledger: Ledger, key: CallRecord['key']) => (await ledger.lookUp({ key, slot: undefined })).call

const slot = (change: Partial<SlotRef> = {}): SlotRef => ({
  tenant: 'acme',
  key: 'slot-1',
  kind: 'implicit',
  operation: 'op-1',
  requestHash: 'aa01',
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
  payloadHash: 'aa01',
}
let nonces = 0
const key = (generation: number) => idempotencyKey(keyFields, generation)

const admission = (change: Partial<AdmitRequest> = {}): AdmitRequest => ({
  callId: one,
  tenant: 'acme',
  nonce: callId(1_000_000 + ++nonces),
  entry: { call: callRecord({ id: change.callId ?? one, status: 'RUNNING' }), facts: [], findAgain: true },
  timeoutMs: 1_000,
  exact: false,
  slot: slot(),
  generation: 1,
  keyFields,
  approval: undefined,
  rate: { scope: 'tool', windowMs: 1_000, max: 100 },
  budget: { run: 'run-1', kind: 'write', max: 100 },
  ...change,
})

const settlement = (change: Partial<SettleRequest> = {}): SettleRequest => ({
  callId: one,
  tenant: 'acme',
  nonce: '',
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
  id: one,
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

const approval = (change: Partial<ApprovalRequest> = {}): ApprovalRequest => ({
  id: 'appr-1',
  callId: one,
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
  ttlMs: 60_000,
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
      expect(await ledger.admit(admission({ callId: two }))).toMatchObject({
        kind: 'slot',
        record: { status: 'PENDING', effect: 'unknown', callId: one },
      })
      expect(await settleOn(ledger)).toBe('settled')
      expect(await ledger.admit(admission({ slot: slot({ providerCallId: 'p2' }) }))).toMatchObject({
        kind: 'slot',
        record: { status: 'COMPLETED', effect: 'happened' },
      })
    })

    it('takes a settle only from the attempt that is pending', async () => {
      const { ledger } = await start()
      expect(await settleOn(ledger)).toBe('late')
      await ledger.admit(admission())
      expect(await settleOn(ledger, { attempt: 2 })).toBe('late')
      expect(await settleOn(ledger, { status: 'PENDING', effect: 'unknown', held: true })).toBe('settled')
      expect(await slotAt(ledger, 'slot-1')).toMatchObject({ status: 'PENDING', held: true })
      expect(await settleOn(ledger)).toBe('settled')
      expect(await settleOn(ledger, { status: 'FAILED_FINAL', effect: 'none' })).toBe('late')
      expect(await slotAt(ledger, 'slot-1')).toMatchObject({ status: 'COMPLETED', held: false })
    })

    it('opens a generation only where repeating repeats nothing, and remembers who saw which', async () => {
      const { ledger } = await start()
      await ledger.admit(admission())
      await settleOn(ledger, { status: 'FAILED_FINAL', effect: 'none' })
      expect(await ledger.admit(admission())).toMatchObject({ kind: 'slot' })
      expect(await ledger.admit(admission({ slot: slot({ providerCallId: 'p2' }) }))).toEqual({
        kind: 'admitted',
        generation: 2,
        attempt: 1,
        starts: 0,
        idempotencyKey: key(2),
      })
      expect(await slotAt(ledger, 'slot-1', 'p1')).toMatchObject({ generation: 1, status: 'FAILED_FINAL' })
      expect(await slotAt(ledger, 'slot-1', 'p3')).toMatchObject({ generation: 2 })
      await ledger.record({
        call: callRecord(),
        facts: [],
        findAgain: true,
        seen: { slotKey: 'slot-1', generation: 1, providerCallId: 'p9' },
      })
      expect(await slotAt(ledger, 'slot-1', 'p9')).toMatchObject({ generation: 1 })
    })

    it('keeps the key over the attempts of one generation', async () => {
      const { ledger } = await start()
      await ledger.admit(admission())
      await settleOn(ledger, { status: 'FAILED_RETRYABLE', effect: 'none' })
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
      await settleOn(ledger)
      await ledger.admit(admission({ slot: slot({ key: 'slot-2', resource: 'r' }) }))
      await settleOn(ledger, { slotKey: 'slot-2' })
      expect(await slotAt(ledger, 'slot-1')).toMatchObject({ overtaken: true })
      expect(await slotAt(ledger, 'slot-2')).toMatchObject({ overtaken: false })
    })

    it('replaces the answer of a settled generation and of no other', async () => {
      const { ledger } = await start()
      const amend = { slotKey: 'slot-1', generation: 1, answer }
      const entry = { call: callRecord(), facts: [], findAgain: true, amend }
      await ledger.admit(admission())
      await ledger.record(entry)
      expect(await slotAt(ledger, 'slot-1')).toMatchObject({ answer: undefined })
      await settleOn(ledger)
      await ledger.record(entry)
      expect(await slotAt(ledger, 'slot-1')).toMatchObject({ answer })
    })

    it('refuses beyond budget or rate without leaving a trace on the slot', async () => {
      const { ledger, advance } = await start()
      expect(await ledger.admit(admission({ budget: { run: 'run-1', kind: 'write', max: 0 } }))).toEqual({
        kind: 'budget',
        budget: 'write',
        max: 0,
      })
      expect(await slotAt(ledger, 'slot-1')).toBeUndefined()
      const rate = { scope: 'tool', windowMs: 86_400_000, max: 1 }
      expect(await ledger.admit(admission({ rate }))).toMatchObject({ kind: 'admitted' })
      const next = admission({ rate, slot: slot({ key: 'slot-2' }) })
      const refused = await ledger.admit(next)
      expect(refused).toMatchObject({ kind: 'rate' })
      expect(refused.kind === 'rate' && refused.retryAfterMs > 0 && refused.retryAfterMs <= rate.windowMs).toBe(true)
      expect(await slotAt(ledger, 'slot-2')).toBeUndefined()
      await advance(rate.windowMs)
      expect(await ledger.admit(next)).toMatchObject({ kind: 'admitted' })
    })

    it('gives a budget back when nothing happened, and never a rate', async () => {
      const { ledger } = await start()
      const budget = { run: 'run-1', kind: 'write', max: 1 } as const
      await ledger.admit(admission({ budget }))
      expect(await ledger.admit(admission({ budget, slot: slot({ key: 'slot-2' }) }))).toMatchObject({ kind: 'budget' })
      await settleOn(ledger, { budget, status: 'FAILED_FINAL', effect: 'none' })
      expect(await ledger.admit(admission({ budget, slot: slot({ key: 'slot-2' }) }))).toMatchObject({
        kind: 'admitted',
      })
    })

    it('opens one approval per subject and uses it once', async () => {
      const { ledger, advance } = await start()
      await ledger.openApproval(approval(), 10)
      expect((await ledger.openApproval(approval({ id: 'appr-2' }), 10))?.id).toBe('appr-1')
      const wanted = { id: 'appr-1', payloadHash: 'p' }
      expect(await ledger.admit(admission({ approval: wanted }))).toEqual({ kind: 'approval' })
      await ledger.decide('appr-1', { by: 'boss', verdict: 'approved', reason: undefined })
      expect(await ledger.admit(admission({ approval: { ...wanted, payloadHash: 'q' } }))).toEqual({ kind: 'approval' })
      expect(await ledger.admit(admission({ approval: wanted }))).toMatchObject({ kind: 'admitted' })
      expect(await ledger.admit(admission({ approval: wanted, slot: slot({ key: 'slot-2' }) }))).toEqual({
        kind: 'approval',
      })
    })

    it('frees an approval whose attempt had no effect and may be retried, and no other', async () => {
      const { ledger, advance } = await start()
      await ledger.openApproval(approval(), 10)
      await ledger.decide('appr-1', { by: 'boss', verdict: 'approved', reason: undefined })
      const wanted = { id: 'appr-1', payloadHash: 'p' }
      await ledger.admit(admission({ approval: wanted }))
      await settleOn(ledger, { status: 'FAILED_RETRYABLE', effect: 'none', approvalId: 'appr-1' })
      expect(await ledger.admit(admission({ approval: wanted }))).toMatchObject({ kind: 'admitted', attempt: 2 })
      await settleOn(ledger, { attempt: 2, approvalId: 'appr-1' })
      expect((await ledger.approval('appr-1'))?.usedBy).toBe(one)
    })

    it('takes no decision after the last one, and opens anew what ran out', async () => {
      const { ledger, advance } = await start()
      await ledger.openApproval(approval(), 10)
      await ledger.decide('appr-1', { by: 'boss', verdict: 'rejected', reason: undefined })
      await ledger.decide('appr-1', { by: 'chief', verdict: 'approved', reason: undefined })
      expect((await ledger.approval('appr-1'))?.decisions).toHaveLength(1)
      const subject = { tenant: 'acme', slotKey: 'slot-2', generation: 1, payloadHash: 'p' }
      await ledger.openApproval(approval({ id: 'appr-2', subject }), 10)
      await advance(60_000)
      expect((await ledger.openApproval(approval({ id: 'appr-3', subject }), 10))?.id).toBe('appr-3')
      expect((await ledger.findApproval(subject))?.id).toBe('appr-3')
    })

    it('finds a call again by its key and keeps the facts of every pass', async () => {
      const { ledger } = await start()
      const fact = {
        callId: one,
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
      await ledger.record({ call: callRecord({ passes: 2 }), facts: [{ ...fact, seq: 1_000 }], findAgain: true })
      expect(await found(ledger, callRecord().key)).toMatchObject({ id: one, passes: 2 })
      expect(await found(ledger, { ...callRecord().key, tenant: 'globex' })).toBeUndefined()
      expect(await found(ledger, { ...callRecord().key, providerCallId: undefined })).toBeUndefined()
      expect((await ledger.facts(one)).map((entry) => [entry.pass, entry.seq])).toEqual([
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
      expect(await slotAt(ledger, 'slot-1', undefined, 'globex')).toBeUndefined()
      const ref = await ledger.saveResult('acme', one, { a: 1 })
      expect([await ledger.result('acme', ref), await ledger.result('globex', ref)]).toEqual([{ a: 1 }, undefined])
      await ledger.discover('acme', 'run-1', ['tool'])
      expect([
        [...(await ledger.discovered('acme', 'run-1'))],
        [...(await ledger.discovered('globex', 'run-1'))],
      ]).toEqual([['tool'], []])
    })
  })
}
