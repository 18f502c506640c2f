// The transparency log of one ledger on Postgres: its sequencer, its signatures, and what people ask of it.
import type { EpochMs } from '../../../json/clock.ts'
import { checkpointOrigin, signCheckpoint } from '../../log/checkpoint.ts'
import { keepCheckpoint } from '../../log/kept-checkpoints.ts'
import { loadOrCreateKey } from '../../log/keys/key-file.ts'
import { frontierRoot } from '../../log/tree/frontier.ts'
import type { Checkpoints, TenantCheckpoint, TransparencyLog } from '../../ports/transparency-log.ts'
import type { Database } from '../driver/database.ts'
import { queryOn } from '../driver/query-on.ts'
import { retireBefore } from '../upkeep/retention.ts'
import { gatherProof } from './prove-call.ts'
import { createSequencer } from './sequencer.ts'
import { frontierOf } from './stored-tree.ts'
import { verifyLog } from './verify-log.ts'

export interface LogOptions {
  /** The private key that checkpoints are signed with; made on first use. Without it nothing is signed here. */
  readonly keyFile?: string
  /** A file or URL, kept elsewhere, that every minute's checkpoints are added to. */
  readonly checkpoints?: string
  /** Whether this process puts committed facts into the log; true by default. One process that does is enough. */
  readonly sequence?: boolean
}

export interface OpenLog extends TransparencyLog {
  /** Signs and sends checkpoints to where they are kept; undefined where this process cannot. */
  readonly publish: (() => Promise<string | undefined>) | undefined
  close(): Promise<void>
}

/** A checkpoint of a busy tenant is no older than this, while a process with the key is alive. */
const checkpointEveryMs = 10_000

export function openLog(
  database: Database,
  { keyFile, checkpoints: target, sequence = true }: LogOptions,
  report: (fault: unknown) => void = () => undefined,
): OpenLog {
  let signedAt = Number.NEGATIVE_INFINITY
  let lookedAt = Number.NEGATIVE_INFINITY
  const sequencer = createSequencer(database, {
    report,
    ticks: sequence,
    async afterTick(count) {
      const now = performance.now()
      // What others have put into the log is signed as well, but looked for less often.
      if (keyFile === undefined || now - (count > 0 ? signedAt : lookedAt) < checkpointEveryMs) return
      lookedAt = now
      if (count > 0) signedAt = now
      await signHeads(database, { keyFile, minAgeMs: checkpointEveryMs })
    },
  })
  const sign = async (tenant: string | undefined): Promise<string | undefined> =>
    keyFile === undefined
      ? 'This ledger has no key to sign with: see log.keyFile.'
      : signHeads(database, { keyFile, ...(tenant !== undefined && { tenant }) })

  const checkpoint = async (tenant?: string): Promise<Checkpoints> => {
    await sequencer.run()
    const reason = await sign(tenant)
    if (reason !== undefined) return { ok: false, reason }
    const rows = await database.read<[string, number, string]>(tenant, 'log-newest-checkpoints', [tenant ?? null])
    return { ok: true, checkpoints: rows.map(([owner, size, text]) => ({ tenant: owner, size, text })) }
  }

  const publishTo = (place: string) => {
    const send = createPublisher(place)
    return async () => {
      const newest = await checkpoint()
      return newest.ok ? send(newest.checkpoints) : newest.reason
    }
  }

  return {
    sequence: () => sequencer.run(),
    checkpoint,
    prove: (callId, tenant) => gatherProof(database, { callId, tenant, sequence: () => sequencer.run(), sign }),
    async verify(options) {
      let notSequenced: string | undefined
      let sequencedAt: EpochMs | undefined
      try {
        await sequencer.run()
        const [cursor] = await database.run<[string, number, number, boolean, string, number]>('log-cursor', [])
        sequencedAt = cursor?.[5] as EpochMs | undefined
      } catch (error) {
        // A copy that may only be read can be verified as well.
        notSequenced = error instanceof Error ? error.message : String(error)
      }
      return { ...(await verifyLog(database, { ...options, sequencedAt })), notSequenced }
    },
    retire: (retirement) => retireBefore(database, retirement, () => sequencer.run()),
    publish: target === undefined || keyFile === undefined ? undefined : publishTo(target),
    close: () => sequencer.close(),
  }
}

/**
 * Sends the newest checkpoint of each tenant to where it is kept out of reach of those who can write to the database. What was sent is
 * remembered here and not in the database, where a writer could say that it was. Returns why some could not be sent; those are sent the
 * next time.
 */
function createPublisher(target: string): (newest: readonly TenantCheckpoint[]) => Promise<string | undefined> {
  const sent = new Map<string, number>()
  return async (newest) => {
    for (const { tenant, size, text } of newest) {
      if (sent.get(tenant) === size) continue
      const keeping = await keepCheckpoint(target, text)
      if (!keeping.ok) return keeping.reason
      sent.set(tenant, size)
    }
    return undefined
  }
}

type UnsignedRow = [tenant: string, size: number, frontier: Buffer, now: number]

interface Signing {
  readonly keyFile: string
  /** One tenant's only. */
  readonly tenant?: string
  /** Only where the newest checkpoint is older than this. */
  readonly minAgeMs?: number
}

/**
 * Signs the heads of tenants whose log has grown. The key is read anew each time: a rotation counts at once, in every process. Gives why it
 * could not be done; undefined where it was, or where there was nothing to sign.
 */
function signHeads(database: Database, { keyFile, tenant, minAgeMs = 0 }: Signing): Promise<string | undefined> {
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
