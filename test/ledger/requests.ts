// What the ledger's tests ask of it: requests with everything filled in, each test changing only what it is about.

import type { ApprovalRequest, Decision, Escalation } from '../../src/contract/approval/approval.ts'
import { requirementOf } from '../../src/contract/approval/approval-pattern.ts'
import type { RecordedAnswer } from '../../src/contract/call/answer.ts'
import type { CounterClaim } from '../../src/contract/call/claim.ts'
import type { Fact } from '../../src/contract/call/fact.ts'
import type { SettleRequest } from '../../src/contract/call/settlement.ts'
import { idempotencyKey, type KeyFields, type SlotRecord, type SlotRef } from '../../src/contract/call/slot.ts'
import type { VerificationRequest } from '../../src/contract/verification/verifier.ts'
import type { EpochMs } from '../../src/json/clock.ts'
import type { CallRecord } from '../../src/ledger/ports/calls.ts'
import type { Ledger } from '../../src/ledger/ports/ledger.ts'
import type { AdmitRequest, PassEntry, Settlement } from '../../src/ledger/ports/operations.ts'
import type { SagaStart } from '../../src/ledger/ports/sagas.ts'
import type { IssueToken } from '../../src/ledger/rules/decision.ts'

/** Ids as the pipeline makes them, one for each number. */
export const callId = (number: number) => `018f0000-0000-7000-8000-${String(number).padStart(12, '0')}`
export const one = callId(1)
export const two = callId(2)

/** A success as plain as most are, with this text as its result. */
export const answerOf = (text: string): RecordedAnswer => {
  const data = { text }
  const flags = { retryable: false, repairable: false, requires_approval: false, fail_closed: false }
  return {
    observation: {
      tool_identity: { name: 'tool', version: '1.0.0', call_id: one },
      execution_metadata: {
        timestamp: '1970-01-01T00:00:00.001Z',
        latency_ms: 1,
        idempotency_hit: false,
        trace_id: 't',
        attempt_number: 1,
      },
      status: { code: 200, is_error: false, taxonomy_class: 'SUCCESS', ...flags },
      result_payload: { data, errors: [], warnings: [] },
      verification: {
        post_action_verification_required: false,
        target_state_reference: null,
        expected_state: null,
        delay_seconds: 0,
      },
    },
    response: { error_code: 'SUCCESS', ...flags, escalate: false, next_action: 'continue' },
    effect: 'happened',
    value: data,
  }
}

let nonces = 0
const newNonce = () => callId(1_000_000 + ++nonces)

export const keyFields: KeyFields = {
  workflow: '',
  run: 'run-1',
  tenant: 'acme',
  user: '',
  tool: 'tool',
  version: '1',
  operation: 'op-1',
  payloadHash: 'aa01',
}
export const key = (generation: number) => idempotencyKey(keyFields, generation)

export const slot = (change: Partial<SlotRef> = {}): SlotRef => ({
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

/** One call of a limit that allows so many, given back where nothing happened. */
export const claim = (max: number, change: Partial<CounterClaim> = {}): CounterClaim => ({
  name: 'budget:write:=run-1',
  amount: 1,
  max,
  windowMs: undefined,
  returns: true,
  limit: 'write',
  what: 'write calls of this run',
  currency: undefined,
  ...change,
})

export const admission = (change: Partial<AdmitRequest> = {}): AdmitRequest => ({
  callId: one,
  tenant: 'acme',
  nonce: newNonce(),
  entry: entryOf({
    id: change.callId ?? one,
    key: { ...callRecord().key, tenant: change.tenant ?? 'acme' },
    status: 'RUNNING',
    effect: 'unknown',
  }),
  exact: false,
  unseen: false,
  unlabelled: false,
  slot: slot(),
  generation: 1,
  keyFields,
  approval: undefined,
  grant: undefined,
  rate: { scope: 'tool', windowMs: 1_000, max: 100 },
  claims: [claim(100)],
  ...change,
})

/** An admission with a call and a slot of its own. */
export const distinct = (number: number, change: Partial<AdmitRequest> = {}): AdmitRequest => {
  const id = callId(number)
  const tenant = change.tenant ?? 'acme'
  return admission({
    callId: id,
    slot: slot({ tenant, key: `slot-${number}`, providerCallId: `p${number}` }),
    entry: entryOf({
      id,
      key: { ...callRecord().key, tenant, providerCallId: `p${number}` },
      status: 'RUNNING',
      effect: 'unknown',
    }),
    ...change,
  })
}

export const settlement = (change: Partial<SettleRequest> = {}): SettleRequest => ({
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
  rebuild: false,
  named: false,
  ...change,
})

export const unknown = { status: 'PENDING', effect: 'unknown', held: true } as const
export const declined = { status: 'FAILED_FINAL', effect: 'none' } as const
export const retryable = { status: 'FAILED_RETRYABLE', effect: 'none' } as const

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
  latencyMs: 0,
  hookOutputs: undefined,
  permissionInput: undefined,
  callInput: undefined,
  mutations: [],
  tenantNamed: true,
  refusal: undefined,
  surfaceEntry: undefined,
  told: undefined,
  ...change,
})

export const entryOf = (call: Partial<CallRecord> = {}, change: Partial<PassEntry> = {}): PassEntry => ({
  call: callRecord(call),
  facts: [],
  findAgain: true,
  ...change,
})

export const fact = (change: Partial<Fact> = {}): Fact => ({
  callId: one,
  pass: 1,
  seq: 1,
  phase: 'resolve',
  at: 0 as EpochMs,
  micros: 1,
  verdict: { kind: 'pass' },
  evidence: undefined,
  ...change,
})

/** The effect of call one, to be read back in a minute. */
export const verification = (change: Partial<VerificationRequest> = {}): VerificationRequest => ({
  afterMs: 60_000,
  slotKey: 'slot-1',
  generation: 1,
  reads: 0,
  body: {
    sources: [{ kind: 'read', target: { id: 'x' }, expect: [] }],
    result: null,
    before: undefined,
    idempotencyKey: 'k',
    payloadHash: undefined,
    approved: undefined,
    attempt: 1,
    target: 'id="x"',
  },
  ...change,
})

export const escalation = (number: number, change: Partial<Escalation> = {}): Escalation => ({
  id: callId(2_000_000 + number),
  tenant: 'acme',
  callId: one,
  kind: 'unknown_effect',
  message: `Question ${number}`,
  at: 0 as EpochMs,
  ...change,
})

/** So many people of any role. */
export const people = (quorum: number) => requirementOf('operator_review', { quorum, roles: [] })

export const question: ApprovalRequest['question'] = {
  actionName: { tool: 'tool', version: '1', title: 'Tool' },
  consequence: '',
  arguments: [],
  beforeState: null,
  afterState: null,
  fingerprint: 'f',
  riskClass: { class: 'HIGH_RISK_EXTERNAL', why: [] },
  compensation: '',
  rejectionPath: '',
  trace: 't',
  callId: one,
  tenant: 'acme',
  requester: { user: undefined, agent: undefined },
  run: 'run-1',
}

export const approval = (change: Partial<ApprovalRequest> = {}): ApprovalRequest => ({
  id: 'appr-1',
  kind: 'call',
  callId: one,
  run: 'run-1',
  subject: { tenant: 'acme', slotKey: 'slot-1', generation: 1, payloadHash: 'p' },
  question,
  ground: { payloadHash: 'p', contractHash: 'c', executorVersion: null, stateVersion: null },
  packetHash: 'shown',
  requirement: people(1),
  policies: [],
  requirementHash: 'r',
  barred: [],
  content: undefined,
  ttlMs: 60_000,
  replaces: undefined,
  waiting: undefined,
  resume: false,
  ...change,
})

export const says = (
  by: string,
  verdict: Decision['verdict'],
  change: Partial<Decision> = {},
): Omit<Decision, 'at'> => ({
  by,
  kind: 'person',
  roles: [],
  verdict,
  reason: undefined,
  keyId: 'k',
  packetHash: 'shown',
  ...change,
})

/** A token that says when it was issued, and by whom. */
export const issue: IssueToken = ({ id, decisions }, at) => `${id} ${decisions.map(({ by }) => by).join('+')} ${at > 0}`

/**
 * How an admission and its end are written. Most calls go the short way: they are taken for new, their rate is wide, and the end says the
 * name of its admission. On Postgres one plain statement writes each (admit-new, settle-new). All others go by the functions. What a test
 * says of what is written has to hold for both.
 */
export const ways = ['short', 'long'] as const

/** Admits call one and ends its attempt, by this way. */
export async function endOn(
  ledger: Ledger,
  way: (typeof ways)[number],
  {
    request = {},
    settle = {},
    facts,
  }: { request?: Partial<AdmitRequest>; settle?: Partial<SettleRequest>; facts?: PassEntry['facts'] } = {},
): Promise<{ readonly nonce: string; readonly before: SlotRecord | undefined; readonly settlement: Settlement }> {
  const isShort = way === 'short'
  const rate = isShort ? { scope: 'tool', windowMs: 86_400_000, max: 1_000_000 } : admission().rate
  const asked = admission({ unseen: isShort, rate, ...request })
  await ledger.operations.admit(asked)
  const before = await slotAt(ledger)
  const nonce = isShort ? asked.nonce : ''
  const ended = await settleOn(ledger, { nonce, ...settle }, facts === undefined ? {} : { facts })
  return { nonce: asked.nonce, before, settlement: ended }
}

/** Records the end of the attempt of call one, or of the call that the change names, without the name of its admission (see `ways`). */
export async function settleOn(
  ledger: Ledger,
  change: Partial<SettleRequest> = {},
  entry: Partial<PassEntry> = {},
): Promise<Settlement> {
  const settle = settlement(change)
  const call = { id: settle.callId, key: { ...callRecord().key, tenant: settle.tenant } }
  return ledger.operations.record(entryOf(call, { settle, ...entry }))
}

export async function slotAt(
  ledger: Ledger,
  slotKey = 'slot-1',
  providerCallId?: string,
  tenant = 'acme',
): Promise<SlotRecord | undefined> {
  return (await ledger.operations.slot(tenant, slotKey, providerCallId)).record
}

export async function found(ledger: Ledger, wanted: CallRecord['key']): Promise<CallRecord | undefined> {
  return (await ledger.operations.lookUp({ key: wanted, slot: undefined })).call
}

/** A saga as it is begun: its first call is written down. */
export const sagaStart = (changes: Partial<SagaStart> = {}): SagaStart => ({
  id: 'saga-1',
  tenant: 'acme',
  name: 'trip',
  definition: 'd1',
  plan: [{ id: 'hotel', tool: 'hotel_v1', kind: 'compensable', compensation: 'cancel_v1' }],
  input: { trip: 't1' },
  context: { run: 'run-1', user: 'ann' },
  entries: [
    { kind: 'rendered', step: 'hotel', direction: 'forward', round: 1, tool: 'hotel_v1', arguments: { trip: 't1' } },
  ],
  ...changes,
})
