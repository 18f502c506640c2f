import { describe, expect, it } from 'vitest'
import { compileOne, faultOf, form, schemas } from '../../../test/policy/rule-fixture.ts'
import { compileRules } from './compile-rules.ts'

describe('what a rule reads', () => {
  it('decides its phase: one that names the state waits for it', () => {
    expect(compileOne('args.amount > 100')).toMatchObject({
      phase: 'semantics',
      reads: { args: true, context: false, state: false },
    })
    expect(compileOne('state.balance >= args.amount')).toMatchObject({
      phase: 'state',
      reads: { args: true, context: false, state: true },
    })
    expect(compileOne('"clerk" in context.roles')).toMatchObject({
      reads: { args: false, context: true, state: false },
    })
  })

  it('is declared, also inside items, maps and macros', () => {
    expect(faultOf('args.noet == "x"')).toBe('`args` declares no "noet"; did you mean "note"?')
    expect(faultOf('args.items.all(i, i.qantity > 0)')).toContain('did you mean "quantity"?')
    expect(faultOf('args.items.filter(i, i.quantity > 1).exists(x, x.foo == 1)')).toContain('declares no "foo"')
    expect(faultOf('size(args.items) > 0 && args.items[0].x == 1')).toContain('declares no "x"')
    expect(faultOf('has(args.nope)')).toContain('declares no "nope"')
    expect(faultOf('args["nope"] == 1')).toContain('declares no "nope"')
    expect(faultOf('has(args.labels) && has(args.labels.anything)')).toBeUndefined()
  })

  it('is not a look-alike, nor anything of JavaScript', () => {
    for (const name of ['__proto__', 'constructor', 'toString', 'amount_', 'Amount', 'hasOwnProperty']) {
      expect(faultOf(`args.${name} == 1`)).toContain('declares no')
      expect(faultOf(`has(args.${name})`)).toContain('declares no')
    }
    // The first letter of this name is Cyrillic; an identifier of CEL is ASCII.
    expect(faultOf('args.аmount > 1')).toContain('no CEL')
    expect(faultOf('args["аmount"] > 1')).toContain('declares no')
  })

  it('is known: args, context, and state where its schema is declared', () => {
    expect(faultOf('arg.amount > 1')).toContain('Did you mean `args`?')
    expect(faultOf('context.tennant == "a"')).toContain('did you mean "tenant"?')
    expect(faultOf('state.balance > 1', { input: schemas.input })).toContain('The state has no declared schema')
  })

  it('is nothing of an open object beyond what it declares', () => {
    const input = form({ type: 'object', properties: { a: { type: 'integer' } }, required: ['a'] })
    expect(faultOf('args.a > 1', { input })).toBeUndefined()
    expect(faultOf('has(args.b)', { input })).toContain('declares no "b"')
  })
})

describe('an optional member', () => {
  it('has to be guarded, and the fault says how', () => {
    expect(faultOf('args.note != ""')).toBe(
      '`args.note` is optional and may be absent; guard it: `has(args.note) && …`, `!has(args.note) || …` or `has(args.note) ? … : …`.',
    )
    expect(faultOf('args.items.all(i, i.price > 1.0)')).toContain('guard it: `has(i.price) && …`')
    expect(faultOf('context.user == "ada"')).toContain('guard it')
  })

  it.each([
    'has(args.note) && args.note != ""',
    '!has(args.note) || args.note != ""',
    'has(args.note) ? args.note != "" : true',
    '!has(args.note) ? true : args.note != ""',
    '"note" in args && args.note != ""',
    '!("note" in args) || args["note"] != ""',
    '(has(args.note) && args.amount > 1) && args.note != ""',
    '!(has(args.note) && args.note == "x")',
    'args.items.all(i, !has(i.price) || i.price > 1.0)',
    'has(args.labels) && "a" in args.labels && args.labels.a != ""',
    'has(args.labels) && args.currency in args.labels && args.labels[args.currency] != ""',
    'has(args.labels) && args.labels.all(k, args.labels[k] != k)',
    'has(args.note) && cel.bind(n, args.note, n != "" && args.note != "x")',
    'has(context.user) && context.user != "root"',
  ])('is read behind a guard: %s', (when) => {
    expect(faultOf(when)).toBeUndefined()
  })

  it.each([
    'has(args.note) || args.note != ""',
    '!has(args.note) && args.note != ""',
    'has(args.note) ? true : args.note != ""',
    '(has(args.note) || args.amount > 1) && args.note != ""',
    'args.note != "" || !has(args.note)',
    'has(args.limit) && args.note != ""',
    'args.items.exists(i, has(i.price)) && args.items.all(i, i.price > 1.0)',
    'has(args.labels) && args.labels.all(k, args.labels[k + "x"] != "")',
    'has(args.labels) && args.labels.all(k, args.items.all(k, args.labels[k.sku] != ""))',
  ])('is not taken for guarded by: %s', (when) => {
    expect(faultOf(when)).toMatch(/absent|guard/)
  })

  it('may be null only where that was excluded', () => {
    expect(faultOf('has(args.limit) && args.limit > 3')).toContain('may be null or an integer')
    expect(faultOf('has(args.limit) && args.limit != null && args.limit > 3')).toBeUndefined()
    expect(faultOf('!has(args.limit) || args.limit == null || args.limit > 3')).toBeUndefined()
    expect(faultOf('args.amount != null')).toContain('never equal; whether a member is there is asked with has()')
  })
})

describe('an item of a list', () => {
  it('is read by a literal index only where it is known to be there', () => {
    expect(faultOf('args.items[0].quantity > 1')).toContain('guard it: `size(args.items) > 0 && …`')
    expect(faultOf('args.items[-1].quantity > 1')).toContain('beyond the end')
    expect(faultOf('args.items.size() > 1 && args.items[1].quantity > 1')).toBeUndefined()
    expect(faultOf('args.items.size() > 1 && args.items[2].quantity > 1')).toContain('beyond the end')
    expect(faultOf('size(args.items) < 2 || args.items[1].quantity > 1')).toBeUndefined()
    expect(faultOf('1 <= size(args.items) && args.items[0].quantity > 1')).toBeUndefined()
    const input = form({
      type: 'object',
      required: ['a'],
      properties: { a: { type: 'array', minItems: 2, items: { type: 'integer' } } },
    })
    expect(faultOf('args.a[1] > 0', { input })).toBeUndefined()
  })
})

describe('types', () => {
  it('must fit, and the rule must be a condition', () => {
    expect(faultOf('args.amount')).toBe('`args.amount` is an integer; here a boolean is needed.')
    expect(faultOf('args.amount == "3"')).toContain('they are never equal')
    expect(faultOf('args.amount > "3"')).toContain('cannot be compared')
    expect(faultOf('args.amount && true')).toContain('here a boolean is needed')
    expect(faultOf('args.currency + 1 == "x"')).toContain('+ is not defined for a text and an integer')
    expect(faultOf('args.price % 2 == 0')).toContain('% is not defined')
    expect(faultOf('args.amount in ["a"]')).toContain('never among')
    expect(faultOf('[1, "a"].size() == 2')).toContain('All items must be of one type')
    expect(faultOf('args.email.sizee() > 1')).toContain('Did you mean `size`?')
    expect(faultOf('args.email.size(1) > 1')).toContain('does not take')
    expect(faultOf('context.now > 5')).toContain('a timestamp cannot be compared with an integer')
    expect(faultOf('b"x" == b"x"')).toContain('no place in JSON')
    expect(faultOf('3u == 3u')).toContain('no place in JSON')
    expect(faultOf('9007199254740993 > 1')).toContain('holds exactly')
  })

  it('refuses what is no CEL, wherever it stops being it', () => {
    for (const when of [
      '',
      'args.',
      'args.amount >',
      '"abc',
      'args.amount > 1)',
      'has()',
      'has(args)',
      'args.items.all(1, true)',
    ]) {
      expect(faultOf(when), when).toBeTypeOf('string')
    }
  })

  it('tells where in the expression the fault is', () => {
    const compilation = compileRules([{ id: 'r', when: 'true && args.foo == 1', message: 'm' }], schemas)
    expect(compilation).toMatchObject({
      ok: false,
      faults: [{ rule: 'r', pointer: '/0/when', at: { start: 8, end: 16 } }],
    })
  })
})

describe('the bound of work', () => {
  it('refuses nested loops over lists without a limit, and names the limit to declare', () => {
    expect(faultOf('has(args.ids) && args.ids.all(a, args.ids.all(b, a <= b))')).toMatch(
      /units of work; 100,000 is the limit\. Declare maxItems for args\.ids\.$/,
    )
    expect(faultOf('args.items.all(i, !has(i.tags) || i.tags.all(t, t != ""))')).toContain(
      'Declare maxItems for args.items[].tags',
    )
  })

  it('refuses three nested loops over 200 items, though the limit is declared', () => {
    const nested = 'args.items.all(a, args.items.all(b, args.items.all(c, a.quantity + b.quantity != c.quantity)))'
    expect(faultOf(nested)).toContain('Declare smaller maxItems for args.items, nest fewer loops')
    expect(faultOf('args.items.all(a, args.items.all(b, a.sku != b.sku || a.quantity == b.quantity))')).toContain(
      'units of work',
    )
    expect(faultOf('args.items.all(a, a.quantity > 0)')).toBeUndefined()
  })

  it('counts one loop over a list without a limit by what can be read at all', () => {
    expect(compileOne('!has(args.ids) || args.ids.all(a, a > 0)').units).toBeGreaterThan(20_000)
  })

  it('counts texts by their length', () => {
    expect(faultOf('has(args.note) && args.note.matches("a+b")')).toContain('Declare maxLength for args.note')
    expect(faultOf('has(args.note) && args.note.contains("needle in a haystack")')).toContain(
      'Declare maxLength for args.note',
    )
    expect(faultOf('has(args.note) && args.note.startsWith("Dear")')).toBeUndefined()
    expect(faultOf('has(args.note) && args.note != args.email')).toBeUndefined()
    expect(compileOne('args.email.matches("^[a-z]+@")').units).toBeLessThan(100)
    const growing = 'args.email + args.email + args.email + args.email'
    expect(compileOne(`(${growing}).size() < 10`).units).toBeGreaterThan(
      compileOne('args.email.size() < 10').units + 60,
    )
  })

  it('takes the length of a text from its pattern, its format and its listed values', () => {
    const bounded = [
      { type: 'string', pattern: '^[a-z]{2,8}$' },
      { type: 'string', format: 'uuid' },
      { enum: ['a', 'bcd'] },
      { type: 'string', maxLength: 40 },
    ]
    for (const t of bounded) {
      const input = form({ type: 'object', required: ['t'], properties: { t } })
      expect(faultOf('args.t.matches("x|y")', { input })).toBeUndefined()
    }
    const open = form({ type: 'object', required: ['t'], properties: { t: { type: 'string', pattern: '^[a-z]+$' } } })
    expect(faultOf('args.t.matches("x|y")', { input: open })).toContain('Declare maxLength for args.t')
  })

  it('holds for all rules of a tool together', () => {
    const when = '!has(args.ids) || args.ids.all(a, a > 0)'
    const sources = ['a', 'b'].map((id) => ({ id, when, message: 'm' }))
    const compilation = compileRules(sources, schemas)
    expect(compilation).toMatchObject({ ok: false, faults: [{ rule: 'b', pointer: '/1/when' }] })
    expect(JSON.stringify(compilation)).toContain('With the rules before it, it may take')
  })

  it('survives expressions written to hurt', () => {
    const hostile = [
      '!'.repeat(3_999),
      `${'!'.repeat(1_200)}true`,
      `${'('.repeat(1_900)}true${')'.repeat(1_900)}`,
      Array.from({ length: 380 }, () => 'true').join(' && '),
      `${'-'.repeat(900)}1 == 1`,
      `${'['.repeat(35)}1${']'.repeat(35)} == []`,
      `args.amount in [${Array.from({ length: 1_100 }, (_, index) => index).join(',')}]`,
      `args.email == "${'x'.repeat(5_000)}"`,
      `args${'.a'.repeat(200)} == 1`,
      `1 ${'in [1 '.repeat(38)}${']'.repeat(38)}`,
      `${'1 / args.amount > 0 && has(args.note) && ('.repeat(38)}true${')'.repeat(38)}`,
      `${'args.items.all(x, '.repeat(30)}true${')'.repeat(30)}`,
      '1e999 > 1.0',
      `${'9'.repeat(3_000)} > 1`,
    ]
    const started = performance.now()
    for (const when of hostile)
      expect(faultOf(when)).toSatisfy((fault) => fault === undefined || typeof fault === 'string')
    expect(performance.now() - started).toBeLessThan(2_000)
  })
})

describe('matches', () => {
  it('takes only literal patterns that RE2 accepts', () => {
    expect(faultOf('args.email.matches(args.currency)')).toContain('a pattern is a literal')
    expect(faultOf('args.email.matches("(")')).toContain('not accepted by RE2')
    expect(faultOf(String.raw`args.email.matches("(a)\\1")`)).toContain('not accepted by RE2')
    expect(faultOf('args.email.matches("(?=a)b")')).toContain('not accepted by RE2')
    expect(faultOf('args.email.matches("(((a{1,100}){1,100}){1,100})")')).toContain('not accepted by RE2')
  })
})

describe('a rule', () => {
  it('needs an id of its own, a message, and fields that exist', () => {
    const sources = [
      { id: 'a', when: 'true', message: 'm', fields: ['/items/0/sku', '/labels/x', '/amount', ''] },
      { id: 'a', when: 'true', message: ' ', fields: ['/nope', 'amount', '/items/x'] },
    ]
    const compilation = compileRules(sources, schemas)
    if (compilation.ok) throw new Error('accepted')
    expect(compilation.faults.map(({ pointer }) => pointer)).toEqual([
      '/1/id',
      '/1/message',
      '/1/fields/0',
      '/1/fields/1',
      '/1/fields/2',
    ])
  })
})
