import { describe, expect, it } from 'vitest'
import { accountState, caller, form, judgeOne, order, orderInput, schemas } from '../../../test/policy/rule-fixture.ts'
import { compileRules } from './compile-rules.ts'
import { judgeRules } from './judge-rules.ts'

describe('judging', () => {
  it('reports all rules that do not hold, in order, with message and fields', () => {
    const compilation = compileRules(
      [
        { id: 'cap', when: 'args.amount <= 100', message: 'At most 100.', fields: ['/amount'] },
        { id: 'fine', when: 'args.items.size() <= 10', message: 'At most 10 items.' },
        { id: 'domain', when: 'args.email.endsWith("@acme.com")', message: 'Only to acme.com.', fields: ['/email'] },
      ],
      schemas,
    )
    if (!compilation.ok) throw new Error('refused')
    expect(judgeRules(compilation.rules, { args: order, context: caller })).toEqual({
      kind: 'fail',
      failures: [
        { id: 'cap', message: 'At most 100.', fields: ['/amount'] },
        { id: 'domain', message: 'Only to acme.com.', fields: ['/email'] },
      ],
    })
    const good = { ...order, amount: 99, email: 'bob@acme.com' }
    expect(judgeRules(compilation.rules, { args: good, context: caller })).toEqual({ kind: 'pass' })
    expect(judgeRules([], { args: order, context: caller })).toEqual({ kind: 'pass' })
  })

  it('refuses by an error where a rule cannot be judged, without repeating values', () => {
    const compilation = compileRules([{ id: 'ratio', when: '100 / (args.amount - 120) > 1', message: 'm' }], schemas)
    if (!compilation.ok) throw new Error('refused')
    expect(judgeRules(compilation.rules, { args: order, context: caller })).toEqual({
      kind: 'error',
      id: 'ratio',
      reason: 'The rule could not be judged: a division by zero.',
    })
  })

  it('ends as an error, not as an exception, where the values are not what the schemas promised', () => {
    expect(judgeOne('args.items.all(i, i.quantity > 0)', { amount: 1 })).toBe('error')
  })

  it('holds the state to its schema before it believes it', () => {
    const when = 'state.balance >= args.amount && state.status == "open"'
    const judge = (state?: never) => judgeOne(when, order, schemas, state)
    expect(judge({ balance: 200, status: 'open' } as never)).toBe(true)
    expect(judge({ balance: 100, status: 'open' } as never)).toBe(false)
    expect(judge({ balance: '200', status: 'open' } as never)).toBe('error')
    expect(judge()).toBe('error')
    expect(judge(null as never)).toBe('error')
  })

  it('reads no state for rules that name none', () => {
    expect(judgeOne('args.amount > 1', order, { input: orderInput, state: accountState })).toBe(true)
  })

  it('refuses callers with more roles than a rule may walk', () => {
    const compilation = compileRules([{ id: 'r', when: '"x" in context.roles', message: 'm' }], schemas)
    if (!compilation.ok) throw new Error('refused')
    const context = { ...caller, roles: Array.from({ length: 1_001 }, String) }
    expect(judgeRules(compilation.rules, { args: order, context })).toMatchObject({ kind: 'error', id: 'r' })
  })

  it('knows the context: names that may be absent, lists, and the time', () => {
    expect(judgeOne('has(context.user)')).toBe(false)
    expect(judgeOne('"clerk" in context.roles && "orders:write" in context.scopes')).toBe(true)
    expect(judgeOne('context.now.getHours() == 23 && context.now.getDayOfWeek() == 1')).toBe(true)
    expect(
      judgeOne('context.now.getHours("Europe/Berlin") == 0 && context.now.getDayOfWeek("Europe/Berlin") == 2'),
    ).toBe(true)
    expect(
      judgeOne(
        'context.now < timestamp("2026-01-06T00:00:00Z") && context.now + duration("30m") == timestamp("2026-01-06T00:00:00Z")',
      ),
    ).toBe(true)
    const args = { ...order, due: '2026-01-07T00:00:00+01:00' }
    expect(judgeOne('has(args.due) && timestamp(args.due) - context.now <= duration("24h")', args)).toBe(true)
    expect(judgeOne('has(args.due) && timestamp(args.due) - context.now <= duration("23h29m")', args)).toBe(false)
  })
})

describe('numbers', () => {
  const input = form({
    type: 'object',
    required: ['i', 'd', 'list'],
    properties: {
      i: { type: 'integer' },
      j: { type: 'integer' },
      d: { type: 'number' },
      list: { type: 'array', maxItems: 5, items: { type: 'number' } },
      any: {},
    },
  })
  const judge = (when: string, args = {}) => judgeOne(when, { i: 3, d: 3, list: [1, 2.5], ...args }, { input })

  it('compare across integers and numbers, as values and as literals', () => {
    for (const when of [
      'args.i == 3',
      'args.i == 3.0',
      'args.d == 3',
      'args.d == args.i',
      'args.d > 2',
      'args.i > 2.5',
      '3 == 3.0',
      'args.i in [1, 3]',
      'args.d in [1, 3]',
      '1 in args.list',
      'args.i in [3.0]',
      'args.list == [1.0, 2.5]',
      'args.list.exists(x, x == 1)',
    ]) {
      expect(judge(when), when).toBe(true)
    }
  })

  it('mix in arithmetic without loss', () => {
    expect(judge('args.d * 2 == 6')).toBe(true)
    expect(judge('args.d * args.i == 9')).toBe(true)
    expect(judge('args.d / 2 == 1.5')).toBe(true)
  })

  it('cannot be judged where a number is divided by zero, or comes to none that JSON can hold [zero-division-refuses]', () => {
    const zero = { ...order, amount: 0 }
    for (const when of [
      '10.0 / double(args.amount) > 1.0',
      'double(args.amount) / 0.0 < 5.0',
      '-1.0 / 0.0 < 0.0',
      '0.0 / 0.0 != 1.0',
      'double(args.amount) / -0.0 <= 0.0',
      '10.0 / args.amount > 1',
      '10 / double(args.amount) > 1',
      '1e308 * 10.0 > 1.0',
      '-1e308 - 1e308 < 1.0',
      '1e308 + 1e308 > 1.0',
      '1e300 / 1e-300 > 1.0',
    ])
      expect(judgeOne(when, zero), when).toBe('error')
    expect(judgeOne('10.0 / double(args.amount) > 1.0 || args.amount == 0', zero)).toBe(true)
    expect(judgeOne('10.0 / 4.0 == 2.5', zero)).toBe(true)
  })

  it('divide integers towards zero, and take the remainder with the sign of the dividend', () => {
    expect(judge('args.i / 2 == 1 && -args.i / 2 == -1 && args.i % 2 == 1 && -args.i % 2 == -1')).toBe(true)
    expect(judge('args.i / 0 == 1')).toBe('error')
    expect(judge('args.i % 0 == 1')).toBe('error')
  })

  it('compare exactly at the edge of what a JSON number holds', () => {
    expect(judge('args.i > 9007199254740991', { i: 2 ** 53 })).toBe(true)
    expect(judge('args.i == args.d', { i: 2 ** 53, d: 2 ** 53 + 2 })).toBe(false)
    expect(judge('args.i < args.d', { i: 2 ** 53, d: 2 ** 53 + 2 })).toBe(true)
  })

  it('never round an integer: an operation that would is an error', () => {
    expect(judge('args.i + 1 > 0', { i: Number.MAX_SAFE_INTEGER })).toBe('error')
    expect(judge('args.i + 1 > 0', { i: Number.MAX_SAFE_INTEGER - 1 })).toBe(true)
    expect(judge('args.i - 1 > 0', { i: 2 ** 53 })).toBe('error')
    expect(judge('args.i * args.i > 0', { i: 2 ** 30 })).toBe('error')
    expect(judge('args.i % 7 == 0', { i: 1e300 })).toBe('error')
    expect(judge('args.i / 2 > 0', { i: 2 ** 60 })).toBe('error')
    expect(judge('int(args.d) > 0', { d: 1e300 })).toBe('error')
  })

  it('equal anything that may hold them, by value', () => {
    expect(judge('has(args.any) && args.any == 3', { any: 3 })).toBe(true)
    expect(judge('has(args.any) && args.any == 3', { any: '3' })).toBe(false)
    expect(judge('has(args.any) && args.any == args.list', { any: [1, 2.5] })).toBe(true)
  })
})

describe('errors inside conditions', () => {
  it('do not matter where the other side decides alone', () => {
    const zero = { ...order, amount: 0 }
    expect(judgeOne('10 / args.amount > 1 || args.amount == 0', zero)).toBe(true)
    expect(judgeOne('10 / args.amount > 1 && args.amount != 0', zero)).toBe(false)
    expect(judgeOne('10 / args.amount > 1 || args.amount == 1', zero)).toBe('error')
    expect(judgeOne('10 / args.amount > 1 && args.amount == 0', zero)).toBe('error')
    expect(judgeOne('[1, 0].exists(x, 10 / x > 100) || true', zero)).toBe(true)
    expect(judgeOne('[0, 1].all(x, 10 / x > 100)', zero)).toBe(false)
    expect(judgeOne('[0, 1].all(x, 10 / x > 1)', zero)).toBe('error')
    expect(judgeOne('[0, 1].exists(x, 10 / x > 1)', zero)).toBe(true)
    expect(judgeOne('[0, 1].exists_one(x, 10 / x > 1)', zero)).toBe('error')
  })

  it('never let the right side run on what the left side failed to prove', () => {
    const when = '!((10 / args.amount > 1 ? has(args.note) : false) && args.note == "x")'
    expect(judgeOne(when, { ...order, amount: 0 })).toBe('error')
    expect(judgeOne(when, { ...order, amount: 1, note: 'y' })).toBe(true)
  })
})

describe('names of JavaScript', () => {
  it('are ordinary members where a schema declares them, and absent where the arguments have none', () => {
    const properties = { constructor: { type: 'string' }, toString: { type: 'string' }, ok: { type: 'string' } }
    const input = form({ type: 'object', additionalProperties: false, properties })
    expect(judgeOne('has(args.constructor)', {}, { input })).toBe(false)
    expect(judgeOne('has(args.toString) || "toString" in args', {}, { input })).toBe(false)
    expect(judgeOne('has(args.constructor) && args.constructor == "x"', { constructor: 'x' }, { input })).toBe(true)
    expect(judgeOne('has(args.ok) && args.ok == "x"', Object.assign(Object.create(null), { ok: 'x' }), { input })).toBe(
      true,
    )
  })

  it('are no keys of a map that does not hold them', () => {
    for (const key of ['__proto__', 'constructor', 'valueOf']) {
      expect(judgeOne(`has(args.labels) && "${key}" in args.labels`, { ...order, labels: { a: 'b' } })).toBe(false)
      expect(judgeOne(`"${key}" in {"a": 1}`)).toBe(false)
      expect(judgeOne(`{"${key}": 1}["${key}"] == 1`)).toBe(true)
    }
  })

  it('of a required member are read from the member itself', () => {
    const input = form({ type: 'object', required: ['valueOf'], properties: { valueOf: { type: 'integer' } } })
    expect(judgeOne('args.valueOf == 4', { valueOf: 4 } as never, { input })).toBe(true)
    expect(judgeOne('args.valueOf == 4', {}, { input })).toBe('error')
  })
})

describe('matches', () => {
  it('searches in linear time, with any pattern and any text', () => {
    const args = { ...order, email: `${'a'.repeat(199)}!` }
    const started = performance.now()
    expect(judgeOne('args.email.matches("(a+)+$")', args)).toBe(false)
    expect(judgeOne('args.email.matches("^(a|aa)+$")', args)).toBe(false)
    expect(judgeOne('args.email.matches("^(?:a?){15}a{15}")', args)).toBe(true)
    expect(performance.now() - started).toBeLessThan(500)
  })

  it('searches anywhere in the text unless the pattern says otherwise', () => {
    expect(judgeOne('args.email.matches("@example") && matches(args.email, "^ada") && !args.email.matches("^@")')).toBe(
      true,
    )
  })
})
