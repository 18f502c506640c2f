// Budgets as a host meets them: through openProviso, on memory and on Postgres.
import { afterAll, describe, expect, it } from 'vitest'
import {
  type CallContext,
  defineTool,
  type Ledger,
  openProviso,
  type Proviso,
  type ProvisoOptions,
  ToolError,
} from '../../../src/index.ts'
import { memory, postgres } from '../../../src/ledger/index.ts'
import { databasesOfFile } from '../../ledger/databases-of-file.ts'

const databases = databasesOfFile()

const engines: readonly (readonly [string, () => Promise<Ledger>])[] = [
  ['memory', async () => memory()],
  ['Postgres', async () => postgres(await databases.fresh(), { connections: 3 })],
]

const payInput = {
  type: 'object',
  properties: {
    to: { type: 'string' },
    amount: { type: ['number', 'string'] },
    currency: { type: 'string' },
  },
  required: ['to', 'amount', 'currency'],
  additionalProperties: false,
} as const

interface World {
  readonly paid: { readonly to: string; readonly amount: unknown }[]
  /** What the next payment comes to. */
  next: 'paid' | 'declined' | 'lost'
}

/** Money moves and no person has to approve: what is tested here is what it costs. */
const pay = (world: World, name = 'pay') =>
  defineTool({
    name,
    description: 'Pays a supplier.',
    effect: 'LOW_RISK_INTERNAL',
    input: payInput,
    amount: { pointer: '/amount', currency: '/currency' },
    trusted: true,
    errors: { declined: 'SEMANTIC_INVALIDITY' },
    execute({ to, amount }) {
      if (world.next === 'declined') throw new ToolError('declined', 'The card was declined.', { effect: 'none' })
      world.paid.push({ to, amount })
      if (world.next === 'lost') throw new Error('The line went dead.')
      return {}
    },
  })

const rates = (perCall: number) =>
  defineTool({
    name: 'rates',
    description: 'Looks up a rate, for a fee.',
    effect: 'READ_ONLY',
    input: { type: 'object', properties: {}, additionalProperties: false },
    cost: { currency: 'EUR', cost_per_call: perCall },
    trusted: true,
    execute: () => ({ rate: 1 }),
  })

const context: CallContext = { tenant: 'acme', user: 'ann', run: 'run-1' }
const day = { id: 'day', kind: 'financial', per: 'tenant', max: 100, currency: 'EUR' } as const

describe.each(engines)('budgets on %s', (_, start) => {
  const open: Proviso[] = []
  afterAll(async () => {
    for (const proviso of open) await proviso.close()
  })

  const desk = async (budgets: ProvisoOptions['budgets'], more: Omit<ProvisoOptions, 'budgets' | 'ledger'> = {}) => {
    const world: World = { paid: [], next: 'paid' }
    const tools = [pay(world), pay(world, 'pay_other'), rates(0.3)]
    const proviso = await openProviso({ ledger: await start(), tools, budgets: { ...budgets }, ...more })
    open.push(proviso)
    let calls = 0
    const call = async (tool: string, args: object, change: Partial<CallContext> = {}) => {
      const answer = await proviso.call({ tool, arguments: args, callId: `c${++calls}` }, { ...context, ...change })
      const { taxonomy_class: status } = answer.observation.status
      return { status, answer, error: answer.feedback?.field_errors[0] }
    }
    const spend = (amount: unknown, change: Partial<CallContext> = {}, currency = 'EUR') =>
      call('pay', { to: `who-${calls}`, amount, currency }, change)
    const left = async (limit: string) => (await proviso.budgets.left(context)).find((one) => one.limit === limit)
    return { proviso, world, call, spend, left }
  }

  it('spends a financial limit exactly, and tells the model what is left and what to do [budget-tells-what-is-left] [TC-152]', async () => {
    const { spend, world, left } = await desk({ limits: [day] })
    for (const amount of [0.1, '0.2', 59.7]) expect((await spend(amount)).status).toBe('SUCCESS')
    const { status, answer, error } = await spend(40.000001)
    expect([status, answer.effect, answer.response.next_action]).toEqual(['BUDGET_EXHAUSTED', 'none', 'request_budget'])
    expect(error).toEqual({
      field: 'amount',
      expected: 'at most 40 EUR',
      actual: '40.000001 EUR',
      message:
        'The limit day allows 100 EUR (EUR spent by calls of this tenant); 60 EUR used, 40 EUR left. This call needs 40.000001 EUR. Finish with what you have, do with less, or have the limit raised.',
    })
    expect((await spend(40)).status).toBe('SUCCESS')
    expect((await spend(0)).status).toBe('SUCCESS')
    expect((await spend('0.000001')).status).toBe('BUDGET_EXHAUSTED')
    expect(world.paid).toHaveLength(5)
    expect(await left('day')).toEqual({
      limit: 'day',
      kind: 'financial',
      per: 'tenant',
      unit: 'EUR',
      max: '100',
      raised: '0',
      used: '100',
      left: '0',
    })
  })

  it.each([
    ['negative', -1, 'EUR', 'amount'],
    ['negative as text', '-0.01', 'EUR', 'amount'],
    ['no amount', 'much', 'EUR', 'amount'],
    ['an amount with an exponent', '1e3', 'EUR', 'amount'],
    ['finer than a millionth', 0.0000001, 'EUR', 'amount'],
    ['beyond all counting', 1e15, 'EUR', 'amount'],
    ['in no currency', 1, '€', 'currency'],
  ])(
    'refuses an amount that is %s before a person is asked, also where nothing limits it [amount-must-be-countable]',
    async (_name, amount, currency, field) => {
      const { spend, world } = await desk({})
      const { status, answer, error } = await spend(amount, {}, currency)
      expect([status, answer.effect, error?.field]).toEqual(['SEMANTIC_INVALIDITY', 'none', field])
      expect(world.paid).toHaveLength(0)
    },
  )

  it('refuses money of a currency that no limit counts where money is counted [amount-must-be-countable]', async () => {
    const { spend, call, world } = await desk({ limits: [day] })
    const { status, error } = await spend(1, {}, 'USD')
    expect([status, error?.message]).toEqual([
      'POLICY_VIOLATION',
      'There is no budget in USD for this tool, only in EUR. (policy budget/currency)',
    ])
    expect((await spend(1, {}, 'eur')).status).toBe('SUCCESS')
    expect((await call('rates', {})).status).toBe('SUCCESS')
    expect(world.paid).toHaveLength(1)
  })

  it('counts each currency by its own limit', async () => {
    const { spend, left } = await desk({ limits: [day, { ...day, id: 'dollars', currency: 'USD', max: 5 }] })
    expect((await spend(5, {}, 'USD')).status).toBe('SUCCESS')
    expect((await spend(1, {}, 'USD')).error?.message).toContain('The limit dollars')
    expect((await spend(99)).status).toBe('SUCCESS')
    expect([(await left('day'))?.used, (await left('dollars'))?.used]).toEqual(['99', '5'])
  })

  it('debits what a call costs by its contract, also of a read [cost-is-debited] [TC-141, TC-336]', async () => {
    const { call, left } = await desk({ limits: [{ ...day, max: 1 }] })
    for (const _call of [1, 2, 3]) expect((await call('rates', {})).status).toBe('SUCCESS')
    const { status, error } = await call('rates', {}, { run: 'run-2' })
    expect([status, error?.field, error?.actual]).toEqual(['BUDGET_EXHAUSTED', '$', '0.3 EUR'])
    expect((await left('day'))?.left).toBe('0.1')
  })

  it('takes from every limit that applies: by run, tool, tenant, user, class and name [TC-336]', async () => {
    const count = { kind: 'write', max: 9 } as const
    const { spend, call, proviso } = await desk({
      limits: [
        { ...count, id: 'user', per: 'user' },
        { ...count, id: 'tool', per: 'tool', tools: ['pay'] },
        { ...count, id: 'all', per: 'tenant', windowSec: 31_536_000 },
        { ...count, id: 'never', per: 'tenant', classes: ['HIGH_RISK_EXTERNAL'] },
        { ...day, id: 'run-money', per: 'run' },
      ],
    })
    await spend(10)
    await spend(20, { user: 'bob', run: 'run-2' })
    await call('pay_other', { to: 'x', amount: 5, currency: 'EUR' })
    const left = await proviso.budgets.left(context)
    expect(left.map(({ limit, tool, used }) => [limit, tool, used])).toEqual([
      ['read', undefined, '0'],
      ['write', undefined, '2'],
      ['external', undefined, '0'],
      ['critical', undefined, '0'],
      ['user', undefined, '2'],
      ['tool', 'pay', '2'],
      ['all', undefined, '3'],
      ['never', undefined, '0'],
      ['run-money', undefined, '15'],
    ])
    expect(left.find(({ limit }) => limit === 'all')?.resetsAt).toMatch(/T00:00:00.000Z$/)
    expect((await proviso.budgets.left({ ...context, tenant: 'globex' })).every(({ used }) => used === '0')).toBe(true)
  })

  it('says when a window ends, and takes that long to be asked again', async () => {
    const { spend } = await desk({ limits: [{ ...day, windowSec: 31_536_000, max: 1 }] })
    const { answer, error } = await spend(2)
    expect(answer.retryAfterMs).toBeGreaterThan(0)
    expect(error?.message).toMatch(/wait until \d{4}-\d\d-\d\dT00:00:00\.000Z/)
  })

  it('gives back what a declined payment reserved, and keeps an unknown one until its effect is known [reservation-settled-once]', async () => {
    const { spend, world, left } = await desk({ limits: [day] })
    world.next = 'declined'
    expect((await spend(60)).answer.effect).toBe('none')
    expect((await left('day'))?.used).toBe('0')
    world.next = 'lost'
    expect((await spend(60)).answer.effect).toBe('unknown')
    world.next = 'paid'
    expect((await spend(60)).status).toBe('BUDGET_EXHAUSTED')
    expect((await left('day'))?.used).toBe('60')
  })

  it('counts a repeated call once, and a refused one not at all [budget-per-run]', async () => {
    const { proviso, world, left } = await desk({ limits: [day] })
    const proposal = { tool: 'pay', arguments: { to: 'x', amount: 40, currency: 'EUR' }, callId: 'same' }
    for (const _time of [1, 2, 3]) await proviso.call(proposal, context)
    expect(world.paid).toHaveLength(1)
    expect((await left('day'))?.used).toBe('40')
  })

  it('allows no critical call unless critical calls are allowed [TC-153]', async () => {
    const { proviso } = await desk({})
    const left = await proviso.budgets.left(context)
    expect(left.find(({ limit }) => limit === 'critical')).toMatchObject({ max: '0', left: '0' })
  })

  it('allows more once a limit is raised [limit-raised]', async () => {
    const ledger = await start()
    const world: World = { paid: [], next: 'paid' }
    const proviso = await openProviso({ ledger, tools: [pay(world)], budgets: { limits: [day] } })
    open.push(proviso)
    const spend = async (amount: number) => {
      const args = { to: `x${amount}`, amount, currency: 'EUR' }
      return (await proviso.call({ tool: 'pay', arguments: args, callId: `c${amount}` }, context)).observation.status
        .taxonomy_class
    }
    expect([await spend(90), await spend(20)]).toEqual(['SUCCESS', 'BUDGET_EXHAUSTED'])
    const counter = { name: 'budget:day:', windowMs: undefined }
    await ledger.limits.raise({
      ...counter,
      id: 'r1',
      tenant: 'acme',
      amount: 15_000_000,
      by: 'boss',
      why: 'a large order',
    })
    expect([await spend(20), await spend(6)]).toEqual(['SUCCESS', 'BUDGET_EXHAUSTED'])
    expect(await proviso.budgets.left(context)).toContainEqual(
      expect.objectContaining({ limit: 'day', max: '100', raised: '15', used: '110', left: '5' }),
    )
  })
})

it('refuses to open with a limit that cannot be meant', async () => {
  await expect(openProviso({ budgets: { limits: [{ ...day, max: -1 }] } })).rejects.toThrow('The budget limit day')
})

it('shows those who may raise a limit how much it is in money, and names the limits there are', async () => {
  const proviso = await openProviso({ budgets: { limits: [day] } })
  const more = { amount: 50, why: 'A fair.' }
  const { packet } = await proviso.budgets.request({ limit: 'day', ...more }, { user: 'ann' })
  expect(packet.arguments).toContainEqual({ pointer: '/amount', value: '50 EUR', origin: 'given' })
  await expect(proviso.budgets.request({ limit: 'dya', ...more })).rejects.toThrow(/known are .*day/)
  await expect(proviso.budgets.request({ limit: 'day', ...more })).rejects.toThrow(/who asks/)
  await proviso.close()
})
