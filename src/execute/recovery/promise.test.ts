// Which promise a tool gives follows from what recovery can do about its lost attempts.
import { describe, expect, it } from 'vitest'
import { defineTool } from '../../runtime/define-tool.ts'
import { openProviso } from '../../runtime/open-proviso.ts'
import { promiseOf } from './promise.ts'

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
