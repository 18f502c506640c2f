// Where keys are kept: four things a store can do. No secret ever passes through it.
import type { EpochMs } from '../json/clock.ts'
import type { StoredKey } from './key.ts'

export interface KeyStore {
  /** A key whose id is taken is a bug, and throws. */
  save(key: StoredKey): Promise<void>
  /** In order of creation; of one tenant, or of all. */
  list(tenant?: string): Promise<readonly StoredKey[]>
  find(id: string): Promise<StoredKey | undefined>
  /** The key as it is now, or undefined where there is none. A key that is revoked keeps its first moment. */
  revoke(id: string, at: EpochMs): Promise<StoredKey | undefined>
}
