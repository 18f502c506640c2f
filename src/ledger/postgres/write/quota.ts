// Reads, and calls with a wide rate, draw on blocks that this process has leased from the ledger's counters, so that they cost no round
// trip of their own. A block is a quarter of what is left at most, and belongs to its window.
import type { Clock, EpochMs } from '../../../json/clock.ts'
import type { CounterRef } from '../../ports/limits.ts'
import type { Admission, AdmitRequest } from '../../ports/operations.ts'
import { ownedName, rateName } from '../../rules/names.ts'
import type { Database } from '../driver/database.ts'
import { patiently } from '../driver/errors.ts'

/** A larger block would lie unused in one process while others are refused. */
const largestBlock = 256
/** With more counters than this, unused blocks are dropped: what is lost counts as used. */
const maxBlocks = 10_000

interface Block {
  left: number
  until: number
}

interface Lease {
  readonly block: Block
  readonly granted: number
  /** How long to wait for the next window, where there are windows. */
  readonly waitMs: number | undefined
  /** The state of the counter, and its whole limit. */
  readonly used: number
  readonly max: number
}

interface Source extends CounterRef {
  readonly tenant: string
  readonly max: number
}

export interface Quota {
  /** Takes one call of a rate that is wide enough for blocks. Gives how long to wait where none is left, and nothing where one was at hand. */
  drawRate(request: Pick<AdmitRequest, 'tenant' | 'rate'>): Promise<number | undefined> | undefined
  /** Gives back a call that was drawn and not used. */
  giveBackRate(request: Pick<AdmitRequest, 'tenant' | 'rate'>): void
  /** Undefined where the rate and every claim allow the call; each is one call. */
  draw(request: AdmitRequest): Promise<Exclude<Admission, { kind: 'admitted' | 'slot' }> | undefined>
}

const keyOf = ({ tenant, name }: Source) => ownedName(tenant, name)

/** A rate is drawn from blocks where it allows this many calls in a window; a narrow one is counted call by call. */
export const wideRate = 1_000

export interface QuotaOptions {
  readonly clock: Clock
  /** How long a database that is gone is waited for. */
  readonly patienceMs: number
}

export function createQuota(database: Database, { clock, patienceMs }: QuotaOptions): Quota {
  const blocks = new Map<string, Block>()
  const leasing = new Map<string, Promise<Lease>>()

  const blockOf = (key: string) => {
    const block = blocks.get(key)
    return block !== undefined && clock.monotonic() < block.until ? block : undefined
  }

  const ask = async (key: string, { tenant, name, max, windowMs }: Source): Promise<Lease> => {
    const sentAt = clock.monotonic()
    const values = [tenant, name, max, windowMs ?? 0, largestBlock]
    const [row] = await database.run<[number, number | null, number, number]>('lease-quota', values)
    const [granted, leftMs, used, most] = row ?? [0, null, 0, max]
    if (blocks.size >= maxBlocks) blocks.clear()
    const block = { left: granted, until: leftMs === null ? Number.POSITIVE_INFINITY : sentAt + leftMs }
    blocks.set(key, block)
    return { block, granted, waitMs: leftMs ?? undefined, used, max: most }
  }

  /** One request for all who wait for the same block. */
  const lease = (key: string, source: Source): Promise<Lease> => {
    const known = leasing.get(key)
    if (known !== undefined) return known
    // A block whose answer was lost counts as used, like the block of a process that ended.
    const request = patiently(patienceMs, () => ask(key, source)).finally(() => leasing.delete(key))
    leasing.set(key, request)
    return request
  }

  /** Takes one from a block that this process has. */
  const takeOwn = (source: Source): boolean => {
    const block = blockOf(keyOf(source))
    if (block === undefined || block.left === 0) return false
    block.left--
    return true
  }

  /** Takes one, or gives the state of the counter that has none. */
  const take = async (source: Source): Promise<Lease | undefined> => {
    while (!takeOwn(source)) {
      const leased = await lease(keyOf(source), source)
      // A call that waited for a block may take from it, even where its window ended on the way: it was counted in that window.
      if (leased.block.left > 0) {
        leased.block.left--
        return undefined
      }
      // Others of this process took the whole block: there may be another one, unless nothing was left to lease.
      if (leased.granted === 0) return leased
    }
    return undefined
  }

  const giveBack = (source: Source) => {
    const block = blockOf(keyOf(source))
    if (block !== undefined) block.left++
  }

  const resetsIn = (afterMs: number | undefined) =>
    afterMs === undefined ? undefined : { at: Math.round(clock.now() + afterMs) as EpochMs, afterMs }

  const rated = ({ tenant, rate }: Pick<AdmitRequest, 'tenant' | 'rate'>): Source => ({
    tenant,
    name: rateName(rate),
    max: rate.max,
    windowMs: rate.windowMs,
  })

  return {
    drawRate(request) {
      const source = rated(request)
      if (takeOwn(source)) return undefined
      return take(source).then((refused) => (refused === undefined ? undefined : (refused.waitMs ?? 0)))
    },
    giveBackRate: (request) => giveBack(rated(request)),
    async draw({ tenant, rate, claims }) {
      const none = await take(rated({ tenant, rate }))
      if (none !== undefined) return { kind: 'rate', retryAfterMs: none.waitMs ?? 0 }
      const drawn = [rated({ tenant, rate })]
      for (const claim of claims) {
        const source = { tenant, name: claim.name, max: claim.max, windowMs: claim.windowMs }
        const refused = await take(source)
        if (refused !== undefined) {
          for (const earlier of drawn) giveBack(earlier)
          return { kind: 'budget', claim, used: refused.used, max: refused.max, resets: resetsIn(refused.waitMs) }
        }
        drawn.push(source)
      }
      return undefined
    },
  }
}
