// Class by class: what a declared verifier has to bring, with one that does and one for each thing it may lack.
import { describe, expect, it } from 'vitest'
import { defineTool } from '../../runtime/define-tool.ts'
import { type EffectClass, effects } from '../effects.ts'
import { missingDepth, verificationDepth } from './verification-depth.ts'
import type { Predicate, StateVerifier } from './verifier.ts'
import { isBrokenVerifier } from './verifier-fault.ts'

const input = {
  type: 'object',
  properties: { id: { type: 'string' }, to: { type: 'string' }, amount: { type: 'number' } },
  required: ['id'],
  additionalProperties: false,
} as const

interface Given {
  readonly verify?: readonly (StateVerifier | 'state')[]
  readonly verification?: { readonly delayMs?: number; readonly times?: number; readonly everyMs?: number }
  readonly state?: true
}

const tool = (effect: EffectClass, { verify, verification, state }: Given) =>
  defineTool({
    name: 'x_v1',
    description: 'x',
    effect,
    input,
    amount: { pointer: '/amount', currency: { const: 'EUR' } },
    ...(verify === undefined ? {} : { verify }),
    ...(verification === undefined ? {} : { verification }),
    ...(state === undefined ? {} : { state: { read: () => ({}), after: () => ({}) } }),
    execute: () => ({}),
  })

const place = (expect: readonly Predicate[], more: Partial<StateVerifier> = {}): StateVerifier => ({
  target: { id: '/args/id' },
  read: () => null,
  expect,
  ...more,
})
const value: Predicate = { path: '/status', is: 'equals', value: 'done' }
const actor: Predicate = { path: '/by', is: 'equals', from: '/call/user', about: 'actor' }
const changed: Predicate = { path: '/status', is: 'changed' }
const key: Predicate = { path: '/key', is: 'equals', from: '/call/idempotency_key', about: 'key' }
const target: Predicate = { path: '/to', is: 'equals', from: '/args/to', about: 'target' }
const amount: Predicate = { path: '/amount', is: 'equals', from: '/args/amount', about: 'amount' }
const whole = place([key, target, amount])

const table: readonly (readonly [EffectClass, Given, number])[] = [
  ['READ_ONLY', { verify: [place([value])] }, 0],
  ['EPHEMERAL_WRITE', { verify: [place([value])] }, 0],
  ['LOW_RISK_INTERNAL', { verify: [place([value])] }, 0],
  ['MEDIUM_RISK_WRITE', { verify: [place([value])] }, 1],
  ['MEDIUM_RISK_WRITE', { verify: [place([value, actor])] }, 0],
  ['MEDIUM_RISK_WRITE', { verify: [place([changed])], state: true }, 0],
  ['MEDIUM_RISK_WRITE', { verify: ['state'], state: true }, 0],
  ['HIGH_RISK_EXTERNAL', { verify: [place([value])] }, 3],
  ['HIGH_RISK_EXTERNAL', { verify: [place([target, amount])] }, 1],
  ['HIGH_RISK_EXTERNAL', { verify: [place([target, amount], { target: { id: '/result/id' } })] }, 0],
  ['HIGH_RISK_EXTERNAL', { verify: [whole] }, 0],
  ['CRITICAL_MUTATION', { verify: [whole] }, 1],
  ['CRITICAL_MUTATION', { verify: [whole, whole] }, 0],
]

describe('the depth of a verification', () => {
  it.each(table)('%s with %o lacks so much: %i [TC-425]', (effect, given, lacks) => {
    const made = tool(effect, given)
    expect(isBrokenVerifier(made)).toBe(false)
    expect(missingDepth(made)).toHaveLength(lacks)
  })

  it('has a row for every class, and each class is at least as strict as the one below', () => {
    const ranked = Object.entries(effects).toSorted(([, a], [, b]) => a.rank - b.rank)
    const rows = ranked.map(([name]) => verificationDepth[name as EffectClass])
    expect(rows.map(({ demands }) => demands.length)).toEqual([0, 1, 1, 1, 3, 4])
    expect(rows.map(({ unverifiable }) => unverifiable === 'escalated')).toEqual(
      ranked.map(([, row]) => row.verification === 'required'),
    )
  })
})

describe('a verifier', () => {
  const broken: readonly (readonly [string, EffectClass, Given])[] = [
    [
      'points at no place of the call',
      'LOW_RISK_INTERNAL',
      { verify: [place([{ ...value, value: undefined, from: '/x' }])] },
    ],
    ['reads a target from nowhere', 'LOW_RISK_INTERNAL', { verify: [place([value], { target: { id: 'id' } })] }],
    ['compares with two things', 'LOW_RISK_INTERNAL', { verify: [place([{ ...value, from: '/args/id' }])] }],
    ['compares with nothing', 'LOW_RISK_INTERNAL', { verify: [place([{ path: '/a', is: 'equals' }])] }],
    ['wants a set and has none', 'LOW_RISK_INTERNAL', { verify: [place([{ path: '/a', is: 'in', value: 1 }])] }],
    ['knows no state before', 'LOW_RISK_INTERNAL', { verify: [place([changed])] }],
    ['has no state to read again', 'LOW_RISK_INTERNAL', { verify: ['state'] }],
    ['expects nothing', 'LOW_RISK_INTERNAL', { verify: [place([])] }],
    [
      'has an operator of its own',
      'LOW_RISK_INTERNAL',
      { verify: [place([{ path: '/a', is: 'like' as never, value: 1 }])] },
    ],
    ['waits for years', 'LOW_RISK_INTERNAL', { verify: [place([value])], verification: { delayMs: 1e12 } }],
    ['reads for ever', 'LOW_RISK_INTERNAL', { verify: [place([value])], verification: { times: 1_000 } }],
    ['reads a read later', 'READ_ONLY', { verify: [place([value])], verification: { delayMs: 1 } }],
    ['has no source', 'LOW_RISK_INTERNAL', { verify: [] }],
    [
      'reads with what may write',
      'LOW_RISK_INTERNAL',
      { verify: [place([value], { read: { kind: 'fn', isolated: false, run: () => null } })] },
    ],
  ]

  it.each(broken)('is refused where it %s', (_, effect, given) => {
    expect(isBrokenVerifier(tool(effect, given))).toBe(true)
  })
})
