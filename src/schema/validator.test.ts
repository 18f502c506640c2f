import { describe, expect, it } from 'vitest'
import type { JsonValue } from '../json/value.ts'
import { preprocess } from './preprocess.ts'
import { compileValidator, type Validator } from './validator.ts'

function validator(schema: JsonValue): Validator {
  const result = preprocess(schema)
  if (!result.ok) throw new Error(JSON.stringify(result.refusals))
  return compileValidator(result.schema)
}

function accepts(schema: JsonValue, value: JsonValue): boolean {
  return validator(schema).matches(value)
}

const parse = (text: string): JsonValue => JSON.parse(text) as JsonValue

describe('validators', () => {
  it('look at own properties only', () => {
    expect(accepts({ required: ['toString'] }, {})).toBe(false)
    expect(accepts({ properties: { toString: { type: 'string' }, constructor: false } }, {})).toBe(true)
    expect(accepts({ dependentRequired: { toString: ['a'] } }, {})).toBe(true)
    expect(accepts(parse('{"required":["__proto__"]}'), {})).toBe(false)
    expect(accepts(parse('{"required":["__proto__"]}'), parse('{"__proto__":1}'))).toBe(true)
    expect(accepts(parse('{"properties":{"__proto__":{"type":"string"}}}'), parse('{"__proto__":1}'))).toBe(false)
    const closed = parse('{"properties":{"__proto__":{}},"additionalProperties":false}')
    expect(accepts(closed, parse('{"__proto__":1}'))).toBe(true)
    expect(
      accepts(
        parse('{"allOf":[{"properties":{"__proto__":{}}}],"unevaluatedProperties":false}'),
        parse('{"__proto__":1}'),
      ),
    ).toBe(true)
    const bare: Record<string, JsonValue> = Object.create(null)
    bare.a = 1
    expect(
      accepts(
        { required: ['a'], properties: { a: { type: 'integer' } }, additionalProperties: false, const: { a: 1 } },
        bare,
      ),
    ).toBe(true)
  })

  it('see nothing of a polluted prototype', () => {
    const required = validator({ required: ['leaked'] })
    const closed = validator({ properties: { leaked: false }, additionalProperties: false, maxProperties: 0 })
    const pollute = { value: 'x', enumerable: true, configurable: true, writable: true }
    Object.defineProperty(Object.prototype, 'leaked', pollute)
    const answers = [required.matches({}), closed.matches({})]
    delete (Object.prototype as { leaked?: string }).leaked
    expect(answers).toEqual([false, true])
  })

  it('compare values whose names belong to methods elsewhere', () => {
    for (const name of ['valueOf', 'toString', 'constructor', '__proto__', 'hasOwnProperty']) {
      const value = parse(`{"${name}":1}`)
      expect(accepts({ const: value }, parse(`{"${name}":1}`))).toBe(true)
      expect(accepts({ enum: [value, [value]] }, [parse(`{"${name}":2}`)])).toBe(false)
      expect(accepts({ uniqueItems: true }, [value, parse(`{"${name}":1}`)])).toBe(false)
    }
  })

  it('keep 0, false, null, "" and [] apart', () => {
    const values: readonly JsonValue[] = [0, false, null, '', [], {}, '0', [0]]
    for (const [index, one] of values.entries()) {
      for (const [other, value] of values.entries()) {
        expect(accepts({ const: one }, value)).toBe(index === other)
        expect(accepts({ enum: [one] }, value)).toBe(index === other)
      }
    }
    expect(accepts({ uniqueItems: true }, values)).toBe(true)
    expect(accepts({ uniqueItems: true }, [{ a: 1, b: 2 }, 1, { b: 2, a: 1 }])).toBe(false)
    expect(accepts({ uniqueItems: true }, ['[1]', [1]])).toBe(true)
  })

  it('take any number without fraction as an integer, however large', () => {
    for (const text of ['1.0', '1e2', '9007199254740993', '1e300', '-0'])
      expect(accepts({ type: 'integer' }, parse(text))).toBe(true)
    expect(accepts({ type: 'integer' }, 1.5)).toBe(false)
    expect(accepts({ multipleOf: 0.01 }, 19.99)).toBe(true)
    expect(accepts({ multipleOf: 0.01 }, 19.999)).toBe(false)
  })

  it('count code points, not UTF-16 units', () => {
    expect(accepts({ maxLength: 2 }, '😀😀')).toBe(true)
    expect(accepts({ maxLength: 2 }, '😀😀a')).toBe(false)
    expect(accepts({ minLength: 3 }, '😀😀')).toBe(false)
    expect(accepts({ minLength: 2 }, '\ud800\ud800')).toBe(true)
    expect(accepts({ minLength: 1 }, '')).toBe(false)
  })

  it('go down thousands of levels', () => {
    const list = validator({ type: 'object', properties: { next: { $ref: '#' } }, additionalProperties: false })
    let good: JsonValue = {}
    let bad: JsonValue = { x: 1 }
    for (let level = 0; level < 3000; level++) [good, bad] = [{ next: good }, { next: bad }]
    expect(list.matches(good)).toBe(true)
    expect(list.matches(bad)).toBe(false)
  })

  it('never run text of the schema as code', () => {
    const hostile = '"]);globalThis.hacked=1;//\u2028`'
    const schema = {
      properties: { [hostile]: { const: hostile, enum: [hostile] } },
      required: [hostile],
      dependentRequired: { [hostile]: [hostile] },
      additionalProperties: false,
      $defs: { [hostile]: { type: 'object' } },
      $ref: `#/$defs/${encodeURIComponent(hostile.replaceAll('~', '~0').replaceAll('/', '~1'))}`,
    }
    expect(accepts(schema, { [hostile]: hostile })).toBe(true)
    expect(accepts(schema, {})).toBe(false)
    expect('hacked' in globalThis).toBe(false)
  })

  it('see what recursive references and every matching branch have evaluated', () => {
    const schema = {
      $defs: {
        base: {
          properties: { kind: true },
          anyOf: [{ properties: { a: true }, required: ['a'] }, { properties: { b: true } }],
        },
      },
      $ref: '#/$defs/base',
      if: { properties: { c: { const: 1 } }, required: ['c'] },
      unevaluatedProperties: { $ref: '#' },
    }
    expect(accepts(schema, { kind: 1, a: 1, b: 1, c: 1 })).toBe(true)
    expect(accepts({ ...schema, unevaluatedProperties: false }, { kind: 1, c: 2 })).toBe(false)
    expect(accepts({ ...schema, unevaluatedProperties: false }, { kind: 1, c: 1, b: 2 })).toBe(true)
    expect(accepts({ not: { not: { properties: { a: true } } }, unevaluatedProperties: false }, { a: 1 })).toBe(false)
    expect(
      accepts(
        {
          oneOf: [{ prefixItems: [true] }, { maxItems: 0 }],
          contains: { const: 9 },
          unevaluatedItems: { type: 'string' },
        },
        [1, 'x', 9],
      ),
    ).toBe(true)
    expect(
      accepts(
        {
          oneOf: [{ prefixItems: [true] }, { maxItems: 0 }],
          contains: { const: 9 },
          unevaluatedItems: { type: 'string' },
        },
        [1, 2, 9],
      ),
    ).toBe(false)
  })

  it('stay exact when a schema is too long for one function', () => {
    const properties: Record<string, JsonValue> = {}
    for (let index = 0; index < 200; index++) {
      properties[`p${index}`] = {
        type: 'object',
        properties: { x: { anyOf: [{ const: index }, { type: 'null' }] } },
        unevaluatedProperties: false,
      }
    }
    const schema = { allOf: [{ properties }], unevaluatedProperties: false }
    expect(accepts(schema, { p199: { x: 199 }, p0: { x: null } })).toBe(true)
    expect(accepts(schema, { p199: { x: 198 } })).toBe(false)
    expect(accepts(schema, { p199: { y: 1 } })).toBe(false)
    expect(accepts(schema, { p200: {} })).toBe(false)
  })

  it('count contained items between their bounds', () => {
    const schema = { contains: { const: 1 }, minContains: 0, maxContains: 1 }
    expect([[], [1], [1, 1]].map((value) => accepts(schema, value))).toEqual([true, true, false])
    expect(accepts({ minContains: 5, maxContains: 1 }, [1, 2])).toBe(true)
  })

  it('do not multiply their work along unions of references', () => {
    const step = { properties: { next: { $ref: '#' } }, required: ['next'] }
    const recursive = { anyOf: [{ ...step, minProperties: 2 }, step, { const: 'end' }], unevaluatedProperties: true }
    const closed = { ...recursive, unevaluatedProperties: false }
    let value: JsonValue = 'end'
    for (let level = 0; level < 200; level++) value = { next: value }
    expect(accepts(recursive, value)).toBe(true)
    expect(accepts(closed, value)).toBe(true)
    expect(accepts({ ...recursive, oneOf: [{ ...step, minProperties: 2 }, step, { const: 'other' }] }, value)).toBe(
      false,
    )
    const $defs: Record<string, JsonValue> = { d60: { type: 'string' } }
    for (let level = 0; level < 60; level++) {
      const $ref = `#/$defs/d${level + 1}`
      $defs[`d${level}`] = { anyOf: [{ $ref, minLength: 9 }, { $ref }] }
    }
    expect(accepts({ $ref: '#/$defs/d0', $defs }, 'text')).toBe(true)
    expect(accepts({ $ref: '#/$defs/d0', $defs }, 1)).toBe(false)
  })

  it('need linear time for many items and long names', () => {
    const started = performance.now()
    const items = Array.from({ length: 50_000 }, (_, index) => ({ index }))
    expect(accepts({ uniqueItems: true }, items)).toBe(true)
    expect(accepts({ type: 'string', minLength: 1_000_000, maxLength: 2_000_000 }, '😀'.repeat(1_000_000))).toBe(true)
    expect(performance.now() - started).toBeLessThan(2000)
  })
})
