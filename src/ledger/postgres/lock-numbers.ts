// The locks that all processes of a ledger share, each known by its number in the database. Statements and functions write them as
// `/* lock_partitions */`. Locks of single operations, approvals and owners are numbered by hashes of their names.
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
