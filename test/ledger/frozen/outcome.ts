// What a row sees, as plain text: the operation, the answers, the counters and the questions, without what is made anew for every run.
import { idempotencyKey, type SlotRecord } from '../../../src/contract/call/slot.ts'
import type { CounterRef } from '../../../src/ledger/ports/limits.ts'
import type { Admission, AdmitRequest } from '../../../src/ledger/ports/operations.ts'
import { counter } from './arrange.ts'
import { balanceOf, escalationsOf, slotAt } from './port.ts'
import { beginning, type Place } from './stage.ts'

const numbers = Array.from({ length: 12 }, (_, number) => number)

const after = (at: number | undefined) => (at === undefined ? '-' : String(at - beginning))

/** Where an operation stands, in short. */
export function headline(record: SlotRecord | undefined): string {
  if (record === undefined) return 'absent'
  const { status, effect, held, overtaken, answer } = record
  const kept = status === 'EXPIRED' && answer !== undefined ? ' with its answer' : ''
  return `${status} ${effect}${held ? ' held' : ''}${overtaken ? ' overtaken' : ''}${kept}`
}

/** One line on a record: where it stands, which generation and attempt, whose, and when. */
export function recordText(place: Place, record: SlotRecord | undefined): string {
  if (record === undefined) return 'absent'
  const { generation, attempt, starts, providerCallIds, reserved, answer } = record
  const call = numbers.find((number) => place.call(number) === record.callId)
  const nonce = numbers.find((number) => place.nonce(number) === record.nonce)
  const ids = providerCallIds.length > 3 ? `${providerCallIds.length} of them` : providerCallIds.join(' ')
  return [
    headline(record),
    `generation ${generation} attempt ${attempt} starts ${starts}`,
    `call ${call} nonce ${nonce}`,
    `ids ${ids === '' ? '-' : ids}`,
    `reserved ${reserved.reduce((sum, { amount }) => sum + amount, 0)}`,
    `answer ${answer === undefined ? '-' : String((answer.value as { text: string }).text)}`,
    `created ${after(record.createdAt)} admitted ${after(record.admittedAt)} ended ${after(record.completedAt)} lapses ${after(record.expiresAt)}`,
  ].join(' | ')
}

export async function readRecord(place: Place, provider?: string, slotKey = 'slot-1'): Promise<SlotRecord | undefined> {
  return (await slotAt(place.ledger, place.tenant, slotKey, provider)).record
}

/** `same` where nothing of it has changed. */
export function changeText(place: Place, before: SlotRecord | undefined, now: SlotRecord | undefined): string {
  const text = recordText(place, now)
  return text === recordText(place, before) && before?.idempotencyKey === now?.idempotencyKey ? 'same' : text
}

export async function usedOf(place: Place, of: CounterRef = counter): Promise<number> {
  return (await balanceOf(place.ledger, place.tenant, of))?.used ?? -1
}

/** What an admission came to. A key is new where it is made of what this call brings. */
export function admissionText({ keyFields }: AdmitRequest, before: SlotRecord | undefined, outcome: Admission): string {
  switch (outcome.kind) {
    case 'admitted': {
      const { generation, attempt, starts, idempotencyKey: key } = outcome
      const isNew = key === idempotencyKey(keyFields, generation)
      const whose = isNew ? 'new' : key === undefined ? 'none' : key === before?.idempotencyKey ? 'kept' : 'other'
      return `admitted, generation ${generation} attempt ${attempt} starts ${starts}, key ${whose}`
    }
    case 'rate':
      return `rate, again after ${outcome.retryAfterMs}`
    case 'budget': {
      const { claim, used, max, resets } = outcome
      const when = resets === undefined ? 'never' : `${resets.at - beginning}, in ${resets.afterMs}`
      return `budget ${claim.name}, used ${used} of ${max}, begins anew ${when}`
    }
    case 'slot':
    case 'contradicted':
    case 'known':
    case 'approval':
    case 'grant':
      return outcome.kind
  }
}

/** Open questions, in any order: those that a row has asked by their numbers, others by what they are. */
export async function questionsText(place: Place): Promise<string> {
  const open = await escalationsOf(place.ledger, place.tenant)
  const texts = open.map(({ id, kind, callId }) => {
    const number = numbers.find((each) => place.question(each) === id)
    const call = numbers.find((each) => place.call(each) === callId)
    return number === undefined ? `${kind} of call ${call}` : String(number)
  })
  return texts.length === 0 ? 'none' : texts.sort().join(', ')
}
