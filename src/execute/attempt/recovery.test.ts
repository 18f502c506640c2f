// What reading the world says of a lost attempt: presence counts at once, absence only once nothing can come of it any more.
// The promise that a tool gives follows from what recovery can do about its lost attempts.
import { describe, expect, it } from 'vitest'
import { epochMs } from '../../json/clock.ts'
import { restartLeaseMs } from '../../ledger/rules/recovery-times.ts'
import { defineTool } from '../../runtime/define-tool.ts'
import { openProviso } from '../../runtime/open-proviso.ts'
import { judgeReadBack, planRecovery, promiseOf, type RecoveryReading, unseenGraceMs } from './recovery.ts'

const countsAt = epochMs(1_000_000)
const judge = (given: Partial<RecoveryReading>) =>
  judgeReadBack({ word: 'absent', at: countsAt, absenceCountsAt: countsAt, horizonMs: 60_000, owner: 'dead', ...given })
const before = epochMs(countsAt - 5_000)
const muchLater = epochMs(countsAt + 700_000)

it('presence counts whenever it is seen, for every state of the owner', () => {
  for (const owner of ['dead', 'fenced', 'alive', 'unseen'] as const)
    for (const at of [before, countsAt]) expect(judge({ word: 'verified', at, owner })).toEqual({ kind: 'happened' })
})

it('absence counts once deadline and horizon are over and the owner is dead [sleeping-owners-are-cut-off]', () => {
  expect(judge({ owner: 'dead' })).toEqual({ kind: 'none' })
  expect(judge({ at: before })).toEqual({ kind: 'later', ms: 5_000 })
  expect(judge({ at: before, owner: 'alive' })).toEqual({ kind: 'later', ms: 5_000 })
})

it('an owner that was cut off just now may have sent something just before: a horizon later it counts as dead', () => {
  expect(judge({ owner: 'fenced' })).toEqual({ kind: 'later', ms: 60_000 })
})

it('an owner that cannot be cut off is asked about again, and at last people are', () => {
  expect(judge({ owner: 'alive' }).kind).toBe('later')
  expect(judge({ owner: 'alive', at: muchLater })).toEqual({ kind: 'hold' })
})

it('where nothing tells whether the owner lives, absence counts later by the stated time', () => {
  expect(judge({ owner: 'unseen' })).toEqual({ kind: 'later', ms: unseenGraceMs })
  expect(judge({ owner: 'unseen', at: epochMs(countsAt + unseenGraceMs) })).toEqual({ kind: 'none' })
})

it('a verifier without a word is asked again until the horizon is long past; one that contradicts is for people', () => {
  expect(judge({ word: undefined }).kind).toBe('later')
  expect(judge({ word: undefined, at: muchLater })).toEqual({ kind: 'hold' })
  expect(judge({ word: 'partial' })).toEqual({ kind: 'hold' })
  expect(judge({ word: 'failed', at: before })).toEqual({ kind: 'hold' })
})

it('a request is sent again only where it arrives within the window of the key, though it is started and sent in its last moments', () => {
  const createdAt = epochMs(1_000_000)
  const timeoutMs = 30_000
  const planAt = (at: number) =>
    planRecovery({
      slot: { createdAt, idempotencyKey: 'key' },
      tool: {
        contract: { runtime: { timeout_ms: timeoutMs } },
        binding: {
          executor: {},
          recovery: { providerWindowMs: 100_000, horizonMs: 0, expired: 'reject' },
          verifier: undefined,
        },
      },
      lastStart: epochMs(at),
      at: epochMs(at),
    })
  const lastMoment = createdAt + 100_000 - restartLeaseMs(timeoutMs) - 1_000
  expect(planAt(lastMoment - 1)).toEqual({ kind: 'send_again', how: 'provider_key', withinMs: lastMoment - createdAt })
  expect(planAt(lastMoment)).toEqual({ kind: 'hold', how: 'provider_key' })
})

const base = {
  name: 'write_v1',
  description: 'Writes.',
  effect: 'MEDIUM_RISK_WRITE',
  input: { type: 'object', additionalProperties: false },
  execute: () => ({}),
} as const
const verify = () => ({ status: 'verified' }) as const

describe('the promise of a tool', () => {
  it('is exactly once where the effect commits with its record', () => {
    expect(promiseOf(defineTool({ ...base, commits: 'ledger', verify }))).toEqual({ kind: 'exactly_once' })
  })

  it('is once within the window where a provider honours the key, and tells whether it can be read back after that', () => {
    const recovery = { providerWindowMs: 60_000, horizonMs: 5_000 }
    expect(promiseOf(defineTool({ ...base, recovery }))).toEqual({ kind: 'once_within_window', windowMs: 60_000 })
    expect(promiseOf(defineTool({ ...base, recovery, verify }))).toEqual({
      kind: 'once_within_window',
      windowMs: 60_000,
      horizonMs: 5_000,
    })
  })

  it('is once beyond the horizon where the world can be read back, and at most once otherwise', () => {
    expect(promiseOf(defineTool({ ...base, recovery: { horizonMs: 5_000 }, verify }))).toEqual({
      kind: 'once_beyond_horizon',
      horizonMs: 5_000,
    })
    expect(promiseOf(defineTool(base))).toEqual({ kind: 'at_most_once' })
  })

  it('is kept with every call that may have an effect, and with what is not to be shown', async () => {
    const read = { ...base, name: 'read_v1', effect: 'READ_ONLY' } as const
    const proviso = await openProviso({ tools: [defineTool({ ...base, sensitive: ['/to'] }), defineTool(read)] })
    const termsOf = async (tool: string) => {
      const answer = await proviso.call({ tool, arguments: '{}' }, { run: 'r' })
      return (await proviso.calls.get(answer.observation.tool_identity.call_id))?.terms
    }
    expect(await termsOf('write_v1')).toEqual({ promise: { kind: 'at_most_once' }, sensitive: ['/to'] })
    expect(await termsOf('read_v1')).toEqual({ sensitive: [] })
    expect(await termsOf('none_v1')).toBeUndefined()
  })
})
