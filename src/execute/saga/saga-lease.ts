// Keeps a saga while its owner works on it: the ledger hears of the owner again and again. Whoever was not heard of for as long as the lease
// is no owner any more, by its own clock as by the ledger's.
import type { SagaRef } from '../../ledger/saga-store.ts'
import type { SagaPorts } from './saga-ports.ts'

export interface SagaLease {
  readonly isOwn: boolean
  /** A write of the owner's says the same as a renewal. */
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
    get isOwn() {
      return !lost && clock.monotonic() < until
    },
    heard(sentAt) {
      until = Math.max(until, sentAt + leaseMs)
    },
    end: () => clearInterval(timer),
  }
}
