// The attempts that this process has in hand. Their leases are renewed together; between renewals each owner fences itself on monotonic
// time, so that it never starts an executor which others may take for gone.
import type { Clock } from '../../../json/clock.ts'
import type { Admission, AdmitRequest } from '../../ports/operations.ts'
import type { Admitted } from '../codec/admitted.ts'
import type { Database } from '../driver/database.ts'

export interface Leases {
  begin(
    request: AdmitRequest,
    admission: Extract<Admission, { kind: 'admitted' }>,
    sentAt: number,
    admitted: Admitted | undefined,
  ): void
  /** Taken over to find out about: for this long nobody else will. */
  claim(nonce: string, untilMonotonic: number): void
  end(nonce: string): void
  mayStart(nonce: string): boolean
  /** Whether this process was admitted with it and has not come to its end. */
  has(nonce: string): boolean
  /** What was written of the call at its admission by this process. */
  admitted(nonce: string): Admitted | undefined
  close(): void
}

interface Held {
  readonly tenant: string
  readonly slotKey: string
  readonly generation: number
  readonly nonce: string
  readonly admitted: Admitted | undefined
  until: number
}

export function createLeases(database: Database, clock: Clock, leaseMs: number): Leases {
  const held = new Map<string, Held>()
  const claims = new Map<string, number>()
  let timer: ReturnType<typeof setTimeout> | undefined
  let closed = false

  /** Those that were never brought to an end here are somebody else's by now; kept, they would be kept for ever. */
  const claim = (nonce: string, until: number) => {
    const now = clock.monotonic()
    for (const [earlier, end] of claims) if (end <= now) claims.delete(earlier)
    claims.set(nonce, until)
  }

  const renew = async () => {
    const sentAt = clock.monotonic()
    const all = [...held.values()]
    try {
      const rows = await database.run<[string]>('renew-leases', [
        all.map(({ tenant }) => tenant),
        all.map(({ slotKey }) => slotKey),
        all.map(({ generation }) => generation),
        all.map(({ nonce }) => nonce),
        leaseMs,
      ])
      // Counted from when the renewal was sent: the database's lease cannot end earlier than ours.
      for (const [nonce] of rows) {
        const lease = held.get(nonce)
        if (lease !== undefined) lease.until = sentAt + leaseMs
      }
    } catch {
      // Not renewed: the leases run out by themselves unless the next renewal comes in time.
    }
  }

  const schedule = () => {
    if (timer !== undefined || closed || held.size === 0) return
    timer = setTimeout(() => {
      timer = undefined
      if (held.size > 0) void renew().finally(schedule)
    }, leaseMs / 3)
    // Nobody is kept alive for the sake of renewing.
    timer.unref()
  }

  return {
    begin({ tenant, slot, nonce }, { generation }, sentAt, admitted) {
      if (slot === undefined) return
      held.set(nonce, { tenant, slotKey: slot.key, generation, nonce, admitted, until: sentAt + leaseMs })
      schedule()
    },
    claim,
    end(nonce) {
      held.delete(nonce)
      claims.delete(nonce)
    },
    has: (nonce) => held.has(nonce),
    admitted: (nonce) => held.get(nonce)?.admitted,
    mayStart(nonce) {
      const until = held.get(nonce)?.until ?? claims.get(nonce)
      return until !== undefined && clock.monotonic() < until
    },
    close() {
      closed = true
      clearTimeout(timer)
    },
  }
}
