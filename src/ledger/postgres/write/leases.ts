// The attempts that this process owns. Their leases are renewed together; between renewals each owner fences itself by the longer of
// monotonic and wall time, so that it never starts or acts for an attempt whose owner others may take for gone.
import { type Clock, elapsedSince, type Moment, momentOf } from '../../../json/clock.ts'
import type { Admission, AdmitRequest } from '../../ports/operations.ts'
import { mayActFor } from '../../rules/own-attempt.ts'
import type { AdmittedTexts } from '../codec/admitted.ts'
import type { Database } from '../driver/database.ts'

/** The moment of a question to the database, and how often the session had been lost by then. */
export interface AskMoment {
  readonly at: Moment
  readonly losses: number
}

export interface Leases {
  /** To be taken before an admission or a claim is sent. */
  askMoment(): AskMoment
  /** Where the session was lost since then, and is there again, the database has been asked once more when this returns. */
  begin(
    request: AdmitRequest,
    admission: Extract<Admission, { kind: 'admitted' }>,
    asked: AskMoment,
    admitted: AdmittedTexts | undefined,
  ): Promise<void> | undefined
  /** For a start for an owner that is gone: for so long after the question no other process does the same. It is not renewed. */
  claim(nonce: string, asked: AskMoment, ms: number): void
  end(nonce: string): void
  mayAct(nonce: string): boolean
  /** Whether this process was admitted with the attempt and has not ended it. */
  has(nonce: string): boolean
  /** The texts that this process wrote of the call at its admission. */
  admitted(nonce: string): AdmittedTexts | undefined
  /** To be called when the session of this process was lost: nothing is done for its attempts until the database confirms them. */
  doubt(): void
  /** Asks the database at once. */
  confirm(): void
  close(): void
}

interface Held {
  readonly tenant: string
  readonly slotKey: string
  readonly generation: number
  readonly nonce: string
  readonly admitted: AdmittedTexts | undefined
  /** The moment of the last renewal request. The database's lease cannot end earlier than one that is counted from there. */
  since: Moment
}

export interface LeasesInput {
  readonly database: Database
  readonly clock: Clock
  readonly leaseMs: number
  /** Whether the session of this process is there. */
  readonly isHeld: () => boolean
}

export function createLeases({ database, clock, leaseMs, isHeld }: LeasesInput): Leases {
  const held = new Map<string, Held>()
  const claims = new Map<string, { readonly since: Moment; readonly ms: number }>()
  /** Not confirmed since the session was lost. */
  const doubted = new Set<string>()
  let losses = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  let closed = false

  /** Without a session others take this process for dead, also for attempts whose admission it has not heard of yet. */
  const isSure = (asked: AskMoment): boolean => isHeld() && asked.losses === losses

  /** Attempts that this process never ended belong to another by now; kept, they would be kept for ever. */
  const claim = (nonce: string, asked: AskMoment, forMs: number) => {
    if (!isSure(asked)) return
    for (const [earlier, { since, ms }] of claims) if (elapsedSince(clock, since) >= ms) claims.delete(earlier)
    claims.set(nonce, { since: asked.at, ms: forMs })
  }

  const askMoment = (): AskMoment => ({ at: momentOf(clock), losses })

  const renew = async () => {
    const asked = askMoment()
    const all = [...held.values()]
    try {
      const rows = await database.run<[string]>('renew-leases', [
        all.map(({ tenant }) => tenant),
        all.map(({ slotKey }) => slotKey),
        all.map(({ generation }) => generation),
        all.map(({ nonce }) => nonce),
        leaseMs,
      ])
      for (const [nonce] of rows) {
        const lease = held.get(nonce)
        if (lease !== undefined) lease.since = asked.at
      }
      // The session was lost after this question: the answer is older than the loss, and confirms nothing.
      if (asked.losses === losses) for (const [nonce] of rows) doubted.delete(nonce)
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
    // The process is not kept alive for the sake of renewing.
    timer.unref()
  }

  return {
    askMoment,
    begin({ tenant, slot, nonce }, { generation }, asked, admitted) {
      if (slot === undefined) return undefined
      held.set(nonce, { tenant, slotKey: slot.key, generation, nonce, admitted, since: asked.at })
      schedule()
      if (isSure(asked)) return undefined
      doubted.add(nonce)
      // Without a session it is confirmed with all others once there is one again.
      return isHeld() ? renew() : undefined
    },
    claim,
    end(nonce) {
      held.delete(nonce)
      claims.delete(nonce)
      doubted.delete(nonce)
    },
    has: (nonce) => held.has(nonce),
    admitted: (nonce) => held.get(nonce)?.admitted,
    mayAct(nonce) {
      const lease = held.get(nonce)
      const claimed = lease === undefined ? claims.get(nonce) : undefined
      const since = lease?.since ?? claimed?.since
      if (since === undefined) return false
      return mayActFor({
        hasSession: isHeld(),
        isDoubted: doubted.has(nonce),
        heldForMs: elapsedSince(clock, since),
        leaseMs: claimed?.ms ?? leaseMs,
      })
    },
    doubt() {
      losses++
      for (const nonce of held.keys()) doubted.add(nonce)
      // They are not renewed, so nothing would confirm them.
      claims.clear()
    },
    confirm() {
      if (held.size > 0) void renew()
    },
    close() {
      closed = true
      clearTimeout(timer)
    },
  }
}
