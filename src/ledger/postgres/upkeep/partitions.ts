// Weekly partitions of calls and facts, made ahead of time: what has none goes to the default partition and is never lost.
import type { Database } from '../driver/database.ts'

const weeksAhead = 3

/** Makes what is due; asks first, because making takes a lock that calls wait for. */
export async function ensurePartitions(database: Database): Promise<void> {
  const [due] = await database.run<[boolean]>('partitions-due', [])
  if (due?.[0] === true) await database.run('ensure-partitions', [weeksAhead])
}
