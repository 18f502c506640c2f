import { expect, test } from 'vitest'
import type { EpochMs } from '../../json/clock.ts'
import type { Contract } from '../tool/envelope.ts'
import { stageAt } from './lifecycle.ts'

type Lifecycle = Contract['identity']['lifecycle']

const stage = (lifecycle: Partial<Lifecycle>, now: string | undefined) => {
  const whole = { status: 'active', sunset_date: null, replacement: null, ...lifecycle } as const
  const contract = { identity: { name: 't', version: '1.0.0', owner: 'o', lifecycle: whole } } as Contract
  return stageAt(contract, now === undefined ? undefined : (Date.parse(now) as EpochMs))
}

const ending = { sunset_date: '2026-12-31' } as const

test.each([
  [{}, '2026-12-31T00:00:00Z', 'active'],
  [{ status: 'deprecated' }, '2026-12-31T00:00:00Z', 'deprecated'],
  [{ status: 'sunsetted' }, '2026-01-01T00:00:00Z', 'ended'],
  [ending, '2026-12-30T23:59:59.999Z', 'deprecated'],
  [ending, '2026-12-31T00:00:00.000Z', 'ended'],
  // The same moments elsewhere: the day is that of UTC.
  [ending, '2026-12-31T13:59:59.999+14:00', 'deprecated'],
  [ending, '2026-12-30T14:00:00.000-10:00', 'ended'],
  [ending, undefined, 'deprecated'],
  // What is no date is taken for one that has passed.
  [{ sunset_date: 'soon' }, '2026-01-01T00:00:00Z', 'ended'],
] as const)('A version that says %j is at %s %s [TC-051]', (lifecycle, now, kind) => {
  expect(stage(lifecycle, now).kind).toBe(kind)
})

test('What goes away says until when and what to use instead [TC-051]', () => {
  expect(stage({ ...ending, replacement: 'order_v2' }, '2026-01-01T00:00:00Z')).toEqual({
    kind: 'deprecated',
    note: 'deprecated: this tool will go away. It is refused from 2026-12-31 on, 00:00 UTC. Use order_v2 instead.',
  })
})
