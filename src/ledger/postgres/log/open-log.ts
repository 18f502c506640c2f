// The transparency log of one ledger on Postgres: its sequencer, its key, and what people ask of it.
import type { EpochMs } from '../../../json/clock.ts'
import { keepCheckpoint } from '../../log/kept-checkpoints.ts'
import type { Checkpoints, TenantCheckpoint, TransparencyLog } from '../../ports/transparency-log.ts'
import type { Database } from '../driver/database.ts'
import { retireBefore } from '../upkeep/retention.ts'
import { proveCall } from './prove-call.ts'
import { createSequencer } from './sequencer.ts'
import { signHeads } from './sign-heads.ts'
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
    prove: (callId, tenant) => proveCall(database, { callId, tenant, sequence: () => sequencer.run(), sign }),
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
