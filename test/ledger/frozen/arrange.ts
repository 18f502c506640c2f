// Brings a ledger to the state that a row names, by steps of its port alone: admissions, ends of attempts, and the clock.
import type { Escalation } from '../../../src/contract/approval/approval.ts'
import type { AttemptEnd } from '../../../src/contract/call/settlement.ts'
import type { SlotKind } from '../../../src/contract/call/slot.ts'
import type { CallRecord } from '../../../src/ledger/ports/calls.ts'
import type { AdmitRequest, PassEntry } from '../../../src/ledger/ports/operations.ts'
import {
  admission,
  answerOf,
  callRecord,
  claim,
  entryOf,
  escalation,
  fact,
  keyFields,
  settlement,
  slot,
} from '../requests.ts'
import { admit, record } from './port.ts'
import type { Place } from './stage.ts'

/** The counter that every admission takes one from, given back where nothing happened. */
export const counter = { name: 'budget:write:=run-1', windowMs: undefined }

/** What calls are known by: each number is a call of its own. */
export const keyOfCall = ({ tenant }: Place, number: number): CallRecord['key'] => ({
  ...callRecord().key,
  tenant,
  providerCallId: `call-${number}`,
})

export interface Asked {
  /** Which call asks, and under which name of the admission; the same number where nothing else is said. */
  readonly call: number
  readonly nonce?: number
  readonly slot?: string
  readonly kind?: SlotKind
  readonly provider?: string | undefined
  readonly hash?: string | undefined
  readonly resource?: string | undefined
  readonly run?: string
}

/** The key that a call brings is made of its number, so that one that was kept can be told from a new one. */
export function admissionOf(
  place: Place,
  {
    call,
    nonce = call,
    slot: key = 'slot-1',
    kind = 'implicit',
    provider,
    hash = 'aa01',
    resource,
    run = 'run-1',
  }: Asked,
  change: Partial<AdmitRequest> = {},
): AdmitRequest {
  const { tenant } = place
  const callKey = keyOfCall(place, call)
  return admission({
    callId: place.call(call),
    tenant,
    nonce: place.nonce(nonce),
    slot: slot({ tenant, key, kind, providerCallId: provider, requestHash: hash, resource, run }),
    keyFields: { ...keyFields, tenant, payloadHash: `call-${call}` },
    entry: entryOf(
      { id: place.call(call), key: callKey, status: 'RUNNING', effect: 'unknown' },
      { facts: [fact({ callId: place.call(call) })] },
    ),
    claims: [claim(1_000, counter)],
    ...change,
  })
}

export interface Ended {
  readonly call: number
  /** Undefined: no admission is named. */
  readonly nonce: number | undefined
  readonly end: AttemptEnd
  readonly slot?: string
  readonly generation?: number
  readonly attempt?: number
  readonly ttlMs?: number | undefined
  readonly rebuild?: boolean
  readonly named?: boolean
  readonly answer?: string
}

/** The end of an attempt, with one start of its executor and an answer that names it. */
export function endOf(
  place: Place,
  {
    call,
    nonce,
    end,
    slot: slotKey = 'slot-1',
    generation = 1,
    attempt = 1,
    ttlMs,
    rebuild = false,
    named = false,
    answer,
  }: Ended,
  change: Partial<PassEntry> = {},
): PassEntry {
  const id = place.call(call)
  const settle = settlement({
    ...end,
    callId: id,
    tenant: place.tenant,
    nonce: nonce === undefined ? '' : place.nonce(nonce),
    slotKey,
    generation,
    attempt,
    ttlMs,
    rebuild,
    named,
    answer: answerOf(answer ?? `call ${call}`),
  })
  const recorded = { id, key: keyOfCall(place, call), status: 'SUCCESS', effect: end.effect } as const
  return entryOf(recorded, { settle, facts: [fact({ callId: id, seq: 2 })], ...change })
}

/** A question about a call; its number says which. */
export const questionOf = (place: Place, number: number, call: number, kind: Escalation['kind']): Escalation =>
  escalation(number, { id: place.question(number), tenant: place.tenant, callId: place.call(call), kind })

/** `COMPLETED happened held`: what an end says, as rows name it. */
export function readEnd(text: string): AttemptEnd {
  const [status, effect, held] = text.split(' ')
  return { status, effect, held: held === 'held' } as AttemptEnd
}

const statuses = ['PENDING', 'COMPLETED', 'FAILED_RETRYABLE', 'FAILED_FINAL', 'COMPENSATED'] as const
export const effects = ['none', 'happened', 'unknown'] as const

/** Those that are not held. */
export const plainEnds: readonly string[] = statuses.flatMap((status) => effects.map((effect) => `${status} ${effect}`))

/** Every end that can be written: what is held is pending, however it ended. */
export const ends: readonly string[] = [...plainEnds, ...effects.map((effect) => `PENDING ${effect} held`)]

/** How long an answer is kept where a row says that it lapses. */
export const ttlMs = 60_000

/**
 * Call 1 under id `p1` brings the operation to this state. Where it is overtaken, call 9 of another operation did that; what is overtaken
 * and not completed turned out to have happened after all and then ended once more.
 */
export async function arrangeOperation(place: Place, state: string, kind: SlotKind): Promise<void> {
  if (state === 'absent') return
  const [end = '', how = ''] = state.split(', ')
  const resource = how === 'overtaken' ? 'thing-1' : undefined
  await admit(place.ledger, admissionOf(place, { call: 1, kind, provider: 'p1', resource }))
  if (end === 'admitted') return
  const lapses = how !== '' && resource === undefined
  const first = resource !== undefined && !end.startsWith('COMPLETED') ? 'COMPLETED none' : end
  const rebuild = how.endsWith('kept')
  const settle = { call: 1, nonce: 1, named: resource !== undefined, rebuild, ttlMs: lapses ? ttlMs : undefined }
  await record(place.ledger, endOf(place, { ...settle, end: readEnd(first) }))
  if (resource === undefined) return
  await overtake(place, 'run-1', resource)
  if (first === end) return
  await record(place.ledger, endOf(place, { ...settle, end: readEnd('PENDING happened') }))
  await record(place.ledger, endOf(place, { ...settle, end: readEnd(end) }))
}

/** Another operation of this run happens on the resource. */
export async function overtake(place: Place, run: string, resource: string): Promise<void> {
  const own = { call: 9, slot: 'slot-9', run, resource }
  await admit(place.ledger, admissionOf(place, own, { claims: [] }))
  const happened = { call: 9, nonce: 9, slot: 'slot-9', named: true, end: readEnd('COMPLETED happened') }
  await record(place.ledger, endOf(place, happened))
}
