import { describe, expect, it } from 'vitest'
import { compileOne, faultOf, form, judgeOne } from '../../../../test/policy/rule-fixture.ts'

describe('shapes of schemas', () => {
  it('follow references and allOf', () => {
    const input = form({
      $defs: { money: { type: 'object', required: ['cents'], properties: { cents: { type: 'integer' } } } },
      type: 'object',
      required: ['price'],
      properties: { price: { allOf: [{ $ref: '#/$defs/money' }, { properties: { unit: { type: 'string' } } }] } },
    })
    expect(judgeOne('args.price.cents > 5', { price: { cents: 6 } }, { input })).toBe(true)
    expect(faultOf('args.price.unit == "EUR"', { input })).toContain('optional')
  })

  it('make a member of some alternatives optional', () => {
    const branch = (kind: string, name: string) => ({
      type: 'object',
      additionalProperties: false,
      required: ['kind', name],
      properties: { kind: { const: kind }, [name]: { type: 'integer' } },
    })
    const input = form({ oneOf: [branch('a', 'x'), branch('b', 'y')] })
    expect(faultOf('args.kind == "a"', { input })).toBeUndefined()
    expect(faultOf('args.x > 1', { input })).toContain('optional')
    expect(judgeOne('!has(args.x) || args.x > 1', { kind: 'a', x: 2 }, { input })).toBe(true)
    expect(judgeOne('!has(args.x) || args.x > 1', { kind: 'b', y: 0 }, { input })).toBe(true)
    expect(faultOf('has(args.z)', { input })).toContain('declares no "z"')
  })

  it('require a member only where every alternative does', () => {
    const properties = { a: { type: 'integer' }, b: { type: 'integer' } }
    const some = form({ type: 'object', properties, anyOf: [{ required: ['a'] }, { required: ['b'] }] })
    const all = form({ type: 'object', properties, anyOf: [{ required: ['a'] }, { required: ['a', 'b'] }] })
    expect(faultOf('args.a > 1', { input: some })).toContain('optional')
    expect(faultOf('args.a > 1', { input: all })).toBeUndefined()
  })

  it('see the branches of if, then and else', () => {
    const properties = { kind: { enum: ['a', 'b'] }, x: { type: 'integer' } }
    const condition = JSON.parse(
      '{ "if": { "properties": { "kind": { "const": "a" } } }, "then": { "required": ["x"] } }',
    )
    const input = form({ type: 'object', required: ['kind'], properties, ...condition })
    expect(faultOf('args.x > 1', { input })).toContain('optional')
    expect(faultOf('!has(args.x) || args.x > 1', { input })).toBeUndefined()
  })

  it('tell values of several types apart, and refuse to treat them as one', () => {
    const input = form({ type: 'object', required: ['v'], properties: { v: { type: ['string', 'integer'] } } })
    expect(faultOf('args.v > 1', { input })).toContain('may be an integer or a text')
    expect(judgeOne('args.v == 1 || args.v == "one"', { v: 'one' }, { input })).toBe(true)
    expect(faultOf('args.v == true', { input })).toContain('never equal')
  })

  it('know maps by patterns and by additional properties', () => {
    const input = form({
      type: 'object',
      required: ['m'],
      properties: {
        m: { type: 'object', additionalProperties: false, patternProperties: { '^x_': { type: 'integer' } } },
      },
    })
    expect(judgeOne('has(args.m.x_a) && args.m.x_a > 1', { m: { x_a: 2 } }, { input })).toBe(true)
    expect(faultOf('has(args.m.y_a)', { input })).toContain('declares no "y_a"')
    expect(faultOf('args.m.all(k, args.m[k] > 0)', { input })).toContain('maxProperties for args.m')
  })

  it('know the items of tuples one by one', () => {
    const input = form({
      type: 'object',
      required: ['t'],
      properties: {
        t: { type: 'array', minItems: 2, prefixItems: [{ type: 'string' }, { type: 'integer' }], items: false },
      },
    })
    expect(judgeOne('args.t[0] == "a" && args.t[1] > 1', { t: ['a', 2] }, { input })).toBe(true)
    expect(faultOf('args.t[2] == 1', { input })).toContain('never there')
    expect(faultOf('args.t.all(x, x > 1)', { input })).toContain('may be an integer or a text')
    expect(compileOne('args.t.size() == 2', { input }).units).toBeLessThan(10)
  })

  it('end also where a schema refers to itself from many members', () => {
    const names = Array.from({ length: 60 }, (_, index) => `n${index}`)
    const input = form({
      $defs: {
        node: { type: 'object', properties: Object.fromEntries(names.map((name) => [name, { $ref: '#/$defs/node' }])) },
      },
      $ref: '#/$defs/node',
    })
    const started = performance.now()
    expect(faultOf('has(args.n1) && has(args.n1.n2) && args.n1.n2 == args', { input })).toBeUndefined()
    expect(performance.now() - started).toBeLessThan(1_000)
  })

  it('admit nothing where nothing can be valid', () => {
    const input = form({ type: 'object', properties: { never: false } })
    expect(faultOf('has(args.never)', { input })).toContain('declares no "never"')
  })
})
