// Signs the heads of tenants whose log has grown. The key is read anew each time: a rotation counts at once, in every process.
import type { EpochMs } from '../../../json/clock.ts'
import { checkpointOrigin, signCheckpoint } from '../../log/checkpoint.ts'
import { frontierRoot } from '../../log/frontier.ts'
import { loadOrCreateKey } from '../../log/key-file.ts'
import type { Database } from '../driver/database.ts'
import { queryOn } from '../driver/query-on.ts'
import { frontierOf } from './stored-tree.ts'

type UnsignedRow = [tenant: string, size: number, frontier: Buffer, now: number]

export interface Signing {
  readonly keyFile: string
  /** One tenant's only. */
  readonly tenant?: string
  /** Only where the newest checkpoint is older than this. */
  readonly minAgeMs?: number
}

/** Why it could not be done; undefined where it was, or where there was nothing to sign. */
export function signHeads(database: Database, { keyFile, tenant, minAgeMs = 0 }: Signing): Promise<string | undefined> {
  return database.transaction(async (client) => {
    const query = queryOn(client)
    // One at a time: what was read before another signed must not be stored after that, or the log seems to shrink.
    await query('log-lock-signing')
    const rows = await query<UnsignedRow>('log-unsigned', [tenant ?? null, minAgeMs])
    if (rows.length === 0) return undefined
    const loading = await loadOrCreateKey(keyFile)
    if (!loading.ok) return loading.reason
    const signed = rows.map(([owner, size, bytes, now]) => {
      const root = frontierRoot(frontierOf([owner, size, bytes]))
      return signCheckpoint({ origin: checkpointOrigin(owner), size, root, at: now as EpochMs }, loading.key)
    })
    await query('log-add-checkpoints', [rows.map(([owner]) => owner), rows.map(([, size]) => size), signed])
    return undefined
  })
}
