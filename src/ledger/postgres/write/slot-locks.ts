// The numbers under which slots are locked for the time of a decision, in the one order that all take them in.
import { hash } from 'node:crypto'
import { compareNames, ownedName } from '../../rules/names.ts'

export interface SlotName {
  readonly tenant: string
  readonly key: string
}

/** As an array text, because a lock's number is larger than a double can count. */
export function slotLocks(slots: readonly SlotName[]): string | null {
  if (slots.length === 0) return null
  const numbers = new Set(slots.map(({ tenant, key }) => lockOf(tenant, key)))
  return `{${[...numbers].sort(compare).join(',')}}`
}

/** The order of their rows, also in record.sql: a plain statement locks those, and no number. */
export const compareSlots = (a: SlotName, b: SlotName): number =>
  compareNames(a.tenant, b.tenant) || compareNames(a.key, b.key)

const lockOf = (tenant: string, key: string): bigint =>
  hash('sha256', ownedName(tenant, key), 'buffer').readBigInt64BE()

const compare = (a: bigint, b: bigint) => (a < b ? -1 : a > b ? 1 : 0)
