// Rates and limits in memory. A window is fixed, not sliding: its count falls to zero when it ends, and what people had added with it.
import type { CounterClaim, Reserved } from '../../contract/call/claim.ts'
import type { EpochMs } from '../../json/clock.ts'
import type { Balance, CounterRef, Raise } from '../ports/limits.ts'
import type { Admission, AdmitRequest } from '../ports/operations.ts'
import { ownedName, rateName } from '../rules/names.ts'
import { type Count, countIn, hasRoom, windowEnd, windowLeft, windowStart } from '../rules/window.ts'

export interface Counters {
  /** Counts the call, or says why it may not run; refused calls are not counted. */
  claim(request: Pick<AdmitRequest, 'tenant' | 'rate' | 'claims'>, now: EpochMs): Admission | undefined
  /** Gives back to the window of the admission only: a later one owes nothing. */
  giveBack(tenant: string, reserved: readonly Reserved[], admittedAt: EpochMs): void
  /** Takes again what was given back although the effect had happened, also where it no longer fits. */
  takeAgain(tenant: string, reserved: readonly Reserved[], admittedAt: EpochMs): void
  raise(raise: Raise, now: EpochMs): Balance
  balance(tenant: string, counter: CounterRef, now: EpochMs): Balance
}

type Counter = { -readonly [K in keyof Count]: Count[K] }

export function createCounters(): Counters {
  const counters = new Map<string, Counter>()
  const raises = new Map<string, Raise>()

  const counterOf = (tenant: string, { name, windowMs }: CounterRef, now: EpochMs): Counter => {
    const key = ownedName(tenant, name)
    const known = counters.get(key)
    const counter = countIn(known, windowStart(windowMs, now))
    if (counter !== known) counters.set(key, counter)
    return counter
  }

  const change = (tenant: string, reserved: readonly Reserved[], admittedAt: EpochMs, sign: 1 | -1) => {
    for (const { name, amount, windowMs } of reserved) {
      const counter = counters.get(ownedName(tenant, name))
      if (counter === undefined || counter.from !== windowStart(windowMs, admittedAt)) continue
      counter.used = Math.max(0, counter.used + sign * amount)
    }
  }

  const balanceOf = ({ from, used, raised }: Counter, windowMs: number | undefined): Balance => ({
    used,
    raised,
    resetsAt: windowMs === undefined || from === undefined ? undefined : windowEnd(windowMs, from),
  })

  const refusalOf = (claim: CounterClaim, counter: Counter, now: EpochMs): Admission | undefined => {
    const { from, used, raised } = counter
    if (hasRoom(used, claim.amount, claim.max, raised)) return undefined
    const { windowMs } = claim
    const resets =
      windowMs === undefined || from === undefined
        ? undefined
        : { at: windowEnd(windowMs, from), afterMs: windowLeft(windowMs, from, now) }
    return { kind: 'budget', claim, used, max: claim.max + raised, resets }
  }

  return {
    claim({ tenant, rate, claims }, now) {
      const rated = counterOf(tenant, { name: rateName(rate), windowMs: rate.windowMs }, now)
      if (!hasRoom(rated.used, 1, rate.max, 0))
        return { kind: 'rate', retryAfterMs: windowLeft(rate.windowMs, rated.from ?? now, now) }
      const claimed = claims.map((claim) => ({ claim, counter: counterOf(tenant, claim, now) }))
      for (const { claim, counter } of claimed) {
        const refusal = refusalOf(claim, counter, now)
        if (refusal !== undefined) return refusal
      }
      for (const { claim, counter } of claimed) counter.used += claim.amount
      rated.used++
      return undefined
    },
    giveBack: (tenant, reserved, admittedAt) => change(tenant, reserved, admittedAt, -1),
    takeAgain: (tenant, reserved, admittedAt) => change(tenant, reserved, admittedAt, 1),
    raise(raise, now) {
      const counter = counterOf(raise.tenant, raise, now)
      const key = ownedName(raise.tenant, raise.id)
      if (!raises.has(key)) {
        raises.set(key, raise)
        counter.raised += raise.amount
      }
      return balanceOf(counter, raise.windowMs)
    },
    balance(tenant, counter, now) {
      const known = counters.get(ownedName(tenant, counter.name))
      return balanceOf(countIn(known, windowStart(counter.windowMs, now)), counter.windowMs)
    },
  }
}
