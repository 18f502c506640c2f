// The locks that all processes of a ledger share, each known by its number in the database. Statements and functions write them as
// `/* lock_partitions */`. Locks of single operations, approvals and owners are numbered by hashes of their names.
import { hash } from 'node:crypto'
import { compareNames, ownedName } from '../rules/names.ts'

export const lockNumbers = {
  /** Tables and functions are made by one process at a time. */
  lock_tables: 7_466_920_141,
  /** Partitions are made by one process at a time. */
  lock_partitions: 7_466_920_142,
  /** Groups come into the log in one order. */
  lock_log: 7_466_920_143,
  /** The first key is made once. */
  lock_keys: 7_466_920_147,
} as const

export const withLockNumbers = (text: string): string =>
  Object.entries(lockNumbers).reduce((before, [name, number]) => before.replaceAll(`/* ${name} */`, `${number}`), text)

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
