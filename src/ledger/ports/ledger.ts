// The ledger: eleven small ports, one for each concern. Every engine passes one suite (test/ledger/).
import type { KeyStore } from '../../contract/approval/identity.ts'
import type { Awaitable } from '../../contract/tool/executor.ts'
import type { Approvals } from './approvals.ts'
import type { Calls } from './calls.ts'
import type { Limits } from './limits.ts'
import type { Operations } from './operations.ts'
import type { LedgerStanding } from './outside.ts'
import type { PinStore } from './pins.ts'
import type { Repairs } from './repairs.ts'
import type { Results } from './results.ts'
import type { Runs } from './runs.ts'
import type { SagaStore } from './sagas.ts'
import type { TransparencyLog } from './transparency-log.ts'
import type { Verifications } from './verifications.ts'
import type { VersionStore } from './versions.ts'

/** How many a list gives, where no other number is asked for. */
export const defaultPage = 100

export interface Ledger {
  /** Ephemeral: a crash empties it. Registration refuses what must not be lost. */
  readonly durability: 'ephemeral' | 'durable'
  readonly operations: Operations
  readonly calls: Calls
  readonly approvals: Approvals
  readonly limits: Limits
  readonly runs: Runs
  readonly repairs: Repairs
  readonly results: Results
  readonly sagas: SagaStore
  /** Which versions of tools are in force, and which one a run began with. */
  readonly versions: VersionStore
  /** What people have approved of what others publish. */
  readonly pins: PinStore
  readonly verifications: Verifications
  /** Keys of people and agents that are kept with the ledger; absent where it keeps none. */
  readonly keys?: KeyStore
  /** What was recorded, in an order that cannot be changed afterwards unnoticed; absent where nothing is kept. */
  readonly log?: TransparencyLog
  /** Whether it has all that was kept of it outside; absent where nothing is kept. */
  readonly standing?: LedgerStanding
  close(): Awaitable<void>
}
