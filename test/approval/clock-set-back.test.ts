// A clock that is set back gives no approval its time again.
import { describe, expect, it } from 'vitest'
import { type Clock, defineTool, keyring, openProviso } from '../../src/index.ts'
import { manualClock } from '../../src/public/testing.ts'

/** A wall clock that can be set, over time that goes on. */
function settable() {
  const time = manualClock()
  let off = 0
  const clock: Clock = { now: () => (time.now() + off) as ReturnType<Clock['now']>, monotonic: () => time.monotonic() }
  return { clock, advance: time.advance, set: (ms: number) => (off += ms) }
}

async function approved(ttlSeconds: number) {
  const time = settable()
  const people = keyring()
  let runs = 0
  const tool = defineTool({
    name: 'pay_v1',
    description: 'Pays.',
    effect: 'MEDIUM_RISK_WRITE',
    input: { type: 'object', additionalProperties: false },
    confirm: true,
    approval: { quorum: 1, ttlMs: ttlSeconds * 1_000 },
    execute: () => ({ runs: ++runs }),
  })
  const proviso = await openProviso({ tools: [tool], clock: time.clock, identity: people })
  const call = (callId: string) =>
    proviso.call({ tool: 'pay_v1', arguments: {}, callId }, { tenant: 'acme', user: 'ann', run: 'run-1' })
  const { approval } = await call('one')
  const credential = await people.issue({ user: 'bea', tenant: 'acme', roles: ['operator', 'approver'] })
  const decide = async () => {
    const packet = await proviso.approvals.get(approval?.id ?? '')
    return proviso.approvals.approve(approval?.id ?? '', { credential, packetHash: packet?.packetHash ?? '' })
  }
  return { ...time, proviso, call, decide, runs: () => runs }
}

describe('an approval whose time is over', () => {
  it('does not serve again when the clock is set back [approval-expiry-stands]', async () => {
    const { proviso, call, decide, advance, set, runs } = await approved(60)
    await decide()
    advance(120_000)
    expect(await proviso.approvals.list({ status: 'pending' })).toEqual([])
    set(-100_000)
    expect((await call('one')).effect).not.toBe('happened')
    expect(runs()).toBe(0)
    await proviso.close()
  })

  it('is over also where no call came in the meantime [approval-expiry-stands]', async () => {
    const { proviso, call, decide, advance, set, runs } = await approved(60)
    await decide()
    set(-100_000)
    advance(120_000)
    expect((await call('one')).effect).not.toBe('happened')
    expect(runs()).toBe(0)
    await proviso.close()
  })

  it('is not decided any more either [approval-expiry-stands]', async () => {
    const { proviso, call, decide, advance, set, runs } = await approved(60)
    set(-100_000)
    advance(120_000)
    await decide().catch(() => undefined)
    expect((await call('one')).effect).not.toBe('happened')
    expect(runs()).toBe(0)
    await proviso.close()
  })
})
