// What the steps of the ledger look at: the generations of a slot, as the rules that the real engines ask want to see them.
import type { SlotRecord, SlotRef } from '../../../src/contract/call/slot.ts'
import type { EpochMs } from '../../../src/json/clock.ts'
import { leaseMs, never, type Setting } from '../setting.ts'
import type { Generation, State } from '../state.ts'

export const now = 0 as EpochMs
const idLists: readonly string[][] = Array.from({ length: 256 }, (_, bits) =>
  [0, 1, 2, 3, 4, 5, 6, 7].filter((call) => (bits & (1 << call)) !== 0).map(String),
)

/** What rules look at of a record. */
export function viewOf(record: Generation, { kind }: Setting): SlotRecord {
  const view: Partial<SlotRecord> = {
    kind,
    status: record.status,
    effect: record.effect,
    held: record.held,
    overtaken: record.overtaken,
    providerCallIds: idLists[record.seen] ?? [],
    requestHash: String(record.arguments),
    expiresAt: record.expires === never ? undefined : (record.expires as EpochMs),
    nonce: String(record.nonce),
    attempt: record.attempt,
  }
  return view as SlotRecord
}

export function refOf(call: number, setting: Setting): SlotRef {
  return { requestHash: String(setting.calls[call]?.arguments), providerCallId: String(call) } as SlotRef
}

export const slotOfCall = (call: number, setting: Setting): number => setting.calls[call]?.slot ?? 0

export function newest(state: State, slot: number, call: number | undefined): Generation | undefined {
  const generations = state.slots[slot] ?? []
  if (call !== undefined)
    for (let at = generations.length - 1; at >= 0; at--) {
      const record = generations[at]
      if (record !== undefined && (record.seen & (1 << call)) !== 0) return record
    }
  return generations.at(-1)
}

export const numberOf = (state: State, slot: number, record: Generation): number =>
  (state.slots[slot] ?? []).indexOf(record) + 1

/** As in the database: only an attempt that still has this name is meant. */
export const pendingOf = (state: State, slot: number, generation: number, nonce: number): Generation | undefined => {
  const record = (state.slots[slot] ?? [])[generation - 1]
  return record?.status === 'PENDING' && record.nonce === nonce ? record : undefined
}

/** A time that is over. */
export const over = -leaseMs
