// The parts that all stores of one open ledger share, and how their batches are sent.
import type { Clock } from '../../json/clock.ts'
import type { Database } from './driver/database.ts'
import type { StatementBatchOptions } from './write/batch.ts'
import type { RunKeys } from './write/run-keys.ts'

export interface StoreWork {
  readonly database: Database
  readonly clock: Clock
  /** For how long an attempt counts as alive after its process was last heard of. */
  readonly leaseMs: number
  /** How long a call waits for a database that is gone. */
  readonly patienceMs: number
  /** Names this process in what it writes. */
  readonly writer: string
  readonly runKeys: RunKeys
  /** Called with failures behind the calls. */
  readonly report: (fault: unknown) => void
}

/** On two cores a fourth batch only takes time from the others; on more it would wait for this process. */
export const batching = ({
  patienceMs,
}: StoreWork): Pick<StatementBatchOptions<never, never>, 'maxItems' | 'maxInFlight' | 'patienceMs'> => ({
  maxItems: 128,
  maxInFlight: 3,
  patienceMs,
})
