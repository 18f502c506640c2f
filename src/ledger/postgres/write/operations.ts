// Operations on Postgres. Calls that arrive together share their reading, their admission and their record; each is still decided by
// itself, and one that the database refuses hurts no other.
import type {
  Admission,
  AdmitRequest,
  Operations,
  PassEntry,
  Settlement,
  TransactionAttempt,
} from '../../ports/operations.ts'
import { ownedName } from '../../rules/names.ts'
import { restartLeaseMs } from '../../rules/recovery-times.ts'
import { admittedOf } from '../codec/admitted.ts'
import type { Database } from '../driver/database.ts'
import { isConnectionLoss } from '../driver/errors.ts'
import { noCall, type Readings } from '../read/look-up.ts'
import { batching, type StoreWork } from '../work.ts'
import { admitBatch } from './admit.ts'
import { createBatcher } from './batch.ts'
import { createSeenCounters } from './counter-list.ts'
import { type AdmitItem, type AdmitOutcome, type RecordItem, recordItem } from './items.ts'
import { createLeases } from './leases.ts'
import type { OwnerSession } from './owner.ts'
import { createQuota, wideRate } from './quota.ts'
import { recordBatch } from './record.ts'
import { claimExpired, postponeSlot, resolveSlot, restartSlot } from './recovery.ts'
import { createSightings } from './sightings.ts'
import { createTrail } from './trail.ts'
import { beginTransaction } from './transaction.ts'

export interface PostgresOperations extends Operations {
  /** Resolves once all that was given is written. */
  flush(): Promise<void>
  close(): void
}

export interface OperationsInput {
  readonly readings: Readings
  readonly owner: OwnerSession
  /** The connections of tools that commit with the ledger; without them there are no such tools. */
  readonly tools: Database | undefined
}

export function createOperations(work: StoreWork, { readings, owner, tools }: OperationsInput): PostgresOperations {
  const { database, clock, leaseMs, patienceMs, writer, report, runKeys } = work
  const common = batching(work)
  const seenCounters = createSeenCounters()
  const admissions = createBatcher<AdmitItem, AdmitOutcome>({
    ...common,
    send: (items) => admitBatch({ database, leaseMs, owner: owner.name, seenCounters, runKeys }, items),
    key: ({ request: { slot, tenant } }) => (slot === undefined ? undefined : ownedName(tenant, slot.key)),
  })
  const records = createBatcher<RecordItem, Settlement>({
    ...common,
    send: (items) => recordBatch(database, items, writer),
    key: ({ entry: { call } }) => call.id,
  })
  const leases = createLeases({ database, clock, leaseMs, isHeld: owner.isHeld })
  owner.onChange((isHeld) => {
    // Others may have taken this process for dead meanwhile: only attempts that the database confirms are still its own.
    if (isHeld) leases.confirm()
    else leases.doubt()
  })
  const sightings = createSightings(clock, leaseMs)
  const quota = createQuota(database, { clock, patienceMs })
  const trail = createTrail(async (items) => {
    const written = await Promise.allSettled(items.map((item) => records.add(item)))
    return items.filter((_, index) => {
      const end = written[index]
      if (end?.status !== 'rejected') return false
      if (isConnectionLoss(end.reason)) return true
      // Its answer was given long ago: the caller does not learn of this failure.
      report(end.reason)
      return false
    })
  })

  const admitSlot = async (request: AdmitRequest): Promise<Admission> => {
    const rated = request.rate.max >= wideRate
    const drawing = rated ? quota.drawRate(request) : undefined
    const waitMs = drawing === undefined ? undefined : await drawing
    if (waitMs !== undefined) return { kind: 'rate', retryAfterMs: waitMs }
    const asked = leases.askMoment()
    const admitted = request.entry === undefined ? undefined : admittedOf(request.entry)
    let generation = request.generation
    for (;;) {
      const outcome = await admissions.add({ request, generation, rated, admitted })
      if (outcome.kind === 'stale') {
        generation = outcome.generation
        continue
      }
      if (outcome.kind === 'admitted') await leases.begin(request, outcome, asked, admitted)
      else if (rated) quota.giveBackRate(request)
      return outcome
    }
  }

  const record = async (entry: PassEntry): Promise<Settlement> => {
    const nonce = entry.settle?.nonce
    try {
      return await records.add({
        ...recordItem(entry),
        admitted: nonce === undefined ? undefined : leases.admitted(nonce),
      })
    } finally {
      // Settled or not: an attempt whose end could not be written is left to the recovery by others.
      if (nonce !== undefined) leases.end(nonce)
    }
  }

  return {
    lookUp: (lookUp) => readings.add(lookUp),
    async slot(tenant, key, providerCallId) {
      const { slot } = await readings.add({ key: { ...noCall, tenant }, slot: { key, providerCallId } })
      return slot ?? { record: undefined, at: clock.now() }
    },
    async admit(request) {
      if (request.slot !== undefined || request.approval !== undefined || request.exact) return admitSlot(request)
      const refusal = await quota.draw(request)
      return refusal ?? { kind: 'admitted', generation: 1, attempt: 1, starts: 0, idempotencyKey: undefined }
    },
    mayAct: leases.mayAct,
    record(entry) {
      if (entry.trails !== true) return record(entry)
      const full = trail.add(entry)
      return full === undefined ? 'settled' : full.then(() => 'settled')
    },
    ...(tools === undefined
      ? {}
      : {
          begin: (tenant: string, attempt?: TransactionAttempt) =>
            beginTransaction({ database, tools }, { tenant, attempt, writer, ended: (nonce) => leases.end(nonce) }),
        }),

    async claim(query) {
      const claims = await claimExpired(database, query, { sightings, watcher: writer, report })
      // A process ends its own attempts itself, also after it stood still for a long time.
      return claims.filter(({ slot }) => !leases.has(slot.nonce))
    },
    async restart(slot, restart) {
      const asked = leases.askMoment()
      const restarted = await restartSlot(database, slot, restart, owner.name)
      if (restarted) leases.claim(restart.nonce, asked, restartLeaseMs(restart.timeoutMs))
      return restarted
    },
    fence: (slot) => (leases.has(slot.nonce) ? Promise.resolve('alive') : owner.fence(slot)),
    postpone: (slot, ms) => postponeSlot(database, slot, ms),
    resolve: (resolution) => resolveSlot(database, resolution, writer),

    async flush() {
      await trail.flush()
      await Promise.all([admissions.idle(), records.idle()])
    },
    close: leases.close,
  }
}
