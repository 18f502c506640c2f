// What the calls, slots and attempts of a history are called on a real ledger, where many are played one after another.
import { callId } from '../../../test/ledger/requests.ts'
import type { Setting } from '../setting.ts'

export type Names = ReturnType<typeof namesOf>

export function namesOf({ calls }: Setting, number: number) {
  const tenant = `history-${number}`
  const id = (kind: number, each: number) => callId(kind * 10_000_000_000 + number * 100 + each)
  return {
    tenant,
    contract: `contract-${number}`,
    approvalId: `${tenant}-a`,
    id,
    nonceOf: (nonce: number) => id(6, nonce),
    callOf: (call: number) => id(7, call),
    slotOf: (call: number) => `slot-${calls[call]?.slot ?? 0}`,
    keyOf: (slot: number | undefined) => `slot-${slot ?? 0}`,
    hashOf: (call: number) => `aa0${calls[call]?.arguments ?? 0}`,
  }
}
