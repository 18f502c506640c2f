// Keeps a saga while its owner works on it: the owner renews its lease again and again. An owner that could not do so for as long as the
// lease asks the ledger before it goes on: another process may own the saga by now.
import type { SagaRef } from '../../ledger/ports/sagas.ts'
import type { SagaPorts } from './saga-ports.ts'

export interface SagaLease {
  /** Whether the saga is still this owner's. An owner that stood still for longer than its lease asks the ledger. */
  isOwn(): Promise<boolean>
  /** A write of the owner counts as a renewal. */
  heard(sentAt: number): void
  end(): void
}

export function keepLease(ref: SagaRef, { store, clock, report }: SagaPorts): SagaLease {
  const { leaseMs } = store
  let until = clock.monotonic() + leaseMs
  let lost = false
  const renew = async () => {
    const sentAt = clock.monotonic()
    if (await store.renew(ref, leaseMs)) until = Math.max(until, sentAt + leaseMs)
    else lost = true
  }
  // A renewal that fails is followed by the next.
  const timer = setInterval(() => void renew().catch(report), Math.max(leaseMs / 3, 50)).unref()
  return {
    async isOwn() {
      if (!lost && clock.monotonic() >= until) await renew()
      return !lost && clock.monotonic() < until
    },
    heard(sentAt) {
      until = Math.max(until, sentAt + leaseMs)
    },
    end: () => clearInterval(timer),
  }
}
