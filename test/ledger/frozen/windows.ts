// Limits by the clock: where a window begins and ends, what is counted in it, and what comes back to it.
import type { CounterClaim } from '../../../src/contract/call/claim.ts'
import { claim } from '../requests.ts'
import { admissionOf, endOf, readEnd } from './arrange.ts'
import { admissionText } from './outcome.ts'
import { admit, balanceOf, raise, record, resolve } from './port.ts'
import { type Family, type Given, product, type Verdict } from './rows.ts'
import { beginning, type Place } from './stage.ts'

/** Every row begins where a window of each of these lengths begins. */
const lengths = ['1', '7', '1000', '86400000', '604800000', 'none']

/** In terms of the length, so that the same rows are asked of each. */
const moments: Readonly<Record<string, (ms: number) => number>> = {
  'a moment before': () => -1,
  start: () => 0,
  'last moment': (ms) => ms - 1,
  end: (ms) => ms,
  'a moment after': (ms) => ms + 1,
  'one on': (ms) => 2 * ms,
}

interface Scene extends Place {
  readonly windowMs: number | undefined
  /** Three are taken at the first moment, five may be. */
  claims(amount: number, max?: number): readonly CounterClaim[]
  raise(id: string, amount: number): Promise<string>
  balance(): Promise<string>
}

interface Ask {
  first(scene: Scene): Promise<unknown>
  next(scene: Scene): Promise<string>
}

const text = ({ used, raised, resetsAt }: { used: number; raised: number; resetsAt: number | undefined }) =>
  `used ${used}, raised ${raised}, ${resetsAt === undefined ? 'for ever' : `until ${resetsAt - beginning}`}`

async function take(scene: Scene, call: number, amount: number): Promise<string> {
  const slot = `slot-${call}`
  const request = admissionOf(scene, { call, slot, provider: `p${call}` }, { claims: scene.claims(amount) })
  return admissionText(request, undefined, await admit(scene.ledger, request))
}

async function end(scene: Scene, call: number, said: string): Promise<string> {
  return record(scene.ledger, endOf(scene, { call, nonce: call, slot: `slot-${call}`, end: readEnd(said) }))
}

async function atRate(scene: Scene, call: number): Promise<string> {
  const rate = { scope: 'narrow', windowMs: scene.windowMs ?? 1_000, max: 1 }
  const request = admissionOf(scene, { call, slot: `slot-${call}` }, { rate, claims: [] })
  return admissionText(request, undefined, await admit(scene.ledger, request))
}

/** A read that costs something: counted at once, and never given back. */
async function payFor(scene: Scene, call: number, amount: number): Promise<string> {
  const { slot: _, ...request } = admissionOf(scene, { call }, { claims: scene.claims(amount), exact: true })
  return admissionText(
    { ...request, slot: undefined },
    undefined,
    await admit(scene.ledger, { ...request, slot: undefined }),
  )
}

/** A read that costs nothing but its place: processes draw such from blocks. When it may come again is told by their own clocks. */
async function draw(scene: Scene, call: number): Promise<string> {
  const { slot: _, ...request } = admissionOf(scene, { call }, { claims: scene.claims(1, 1) })
  const outcome = await admit(scene.ledger, { ...request, slot: undefined })
  if (outcome.kind !== 'budget') return outcome.kind
  return `budget, used ${outcome.used} of ${outcome.max}, begins anew in ${outcome.resets?.afterMs ?? 'no time'}`
}

const asks: Readonly<Record<string, Ask>> = {
  balance: { first: (scene) => take(scene, 1, 3), next: async () => 'read' },
  claim: { first: (scene) => take(scene, 1, 3), next: (scene) => take(scene, 2, 3) },
  'paid read': { first: (scene) => payFor(scene, 1, 3), next: (scene) => payFor(scene, 2, 3) },
  read: { first: (scene) => draw(scene, 1), next: (scene) => draw(scene, 2) },
  rate: { first: (scene) => atRate(scene, 1), next: (scene) => atRate(scene, 2) },
  raise: { first: (scene) => scene.raise('raise-1', 2), next: (scene) => scene.raise('raise-2', 4) },
  'the same raise': { first: (scene) => scene.raise('raise-1', 2), next: (scene) => scene.raise('raise-1', 2) },
  'claim what was raised': {
    async first(scene) {
      await take(scene, 1, 3)
      await scene.raise('raise-1', 2)
    },
    next: (scene) => take(scene, 2, 4),
  },
  'give back': { first: (scene) => take(scene, 1, 3), next: (scene) => end(scene, 1, 'FAILED_FINAL none') },
  'give back after another': {
    first: (scene) => take(scene, 1, 3),
    async next(scene) {
      await take(scene, 2, 1)
      return end(scene, 1, 'FAILED_FINAL none')
    },
  },
  'take again': {
    async first(scene) {
      await take(scene, 1, 3)
      await end(scene, 1, 'FAILED_FINAL none')
    },
    next: (scene) => end(scene, 1, 'COMPLETED happened'),
  },
  'take again after another': {
    async first(scene) {
      await take(scene, 1, 3)
      await end(scene, 1, 'FAILED_FINAL none')
    },
    async next(scene) {
      await take(scene, 2, 1)
      return end(scene, 1, 'COMPLETED happened')
    },
  },
  'give back by a person': {
    async first(scene) {
      await take(scene, 1, 3)
      await end(scene, 1, 'PENDING unknown held')
    },
    async next(scene) {
      const found = { callId: scene.call(1), effect: 'none', by: 'ann', why: 'looked', quorum: 1 } as const
      return (await resolve(scene.ledger, { ...found, tenant: scene.tenant })).kind
    },
  },
}

async function play({ ms = '', first = '', later = '', ask = '' }: Given, place: Place): Promise<Verdict> {
  const windowMs = ms === 'none' ? undefined : Number(ms)
  const length = windowMs ?? 1_000
  const counter = { name: 'budget:sum:', windowMs }
  const scene: Scene = {
    ...place,
    windowMs,
    claims: (amount, max = 5) => [claim(max, { ...counter, amount })],
    async raise(id, amount) {
      return text(await raise(place.ledger, { ...counter, id, tenant: place.tenant, amount, by: 'ann', why: 'asked' }))
    },
    async balance() {
      const balance = await balanceOf(place.ledger, place.tenant, counter)
      return balance === undefined ? 'none' : text(balance)
    },
  }
  await place.at(moments[first]?.(length) ?? 0)
  await asks[ask]?.first(scene)
  await place.at(moments[later]?.(length) ?? 0)
  const answer = (await asks[ask]?.next(scene)) ?? ''
  return { answer, balance: await scene.balance() }
}

export const windows: readonly Family[] = [
  {
    name: 'windows',
    combinations: () =>
      product({ ms: lengths, first: ['start', 'last moment'], later: Object.keys(moments), ask: Object.keys(asks) }),
    play,
  },
]
