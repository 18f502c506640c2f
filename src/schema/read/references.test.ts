import { describe, expect, it } from 'vitest'
import type { JsonValue } from '../../json/value.ts'
import type { Preprocessed, SchemaRefusal } from '../normal.ts'
import { type PreprocessOptions, preprocess } from '../preprocess.ts'
import { compileValidator } from '../validator.ts'

function read(schema: JsonValue, options: PreprocessOptions = {}): Preprocessed {
  const result = preprocess(schema, options)
  if (!result.ok) throw new Error(JSON.stringify(result.refusals))
  return result.schema
}

function refusals(schema: JsonValue, options: PreprocessOptions = {}): readonly SchemaRefusal[] {
  const result = preprocess(schema, options)
  return result.ok ? [] : result.refusals
}

function accepts(schema: JsonValue, value: JsonValue, options: PreprocessOptions = {}): boolean {
  return compileValidator(read(schema, options)).matches(value)
}

const draft07 = 'http://json-schema.org/draft-07/schema#'
const draft2019 = 'https://json-schema.org/draft/2019-09/schema'

describe('references', () => {
  it('takes a $ref inside enum, const, default, examples and unknown words as data', () => {
    const schema = {
      enum: [{ $ref: '#/nowhere' }],
      const: { $ref: '#/nowhere' },
      default: { $ref: '#/nowhere' },
      examples: [{ $ref: '#/nowhere' }],
      unknown: { $ref: '#/nowhere' },
    }
    expect(accepts(schema, { $ref: '#/nowhere' })).toBe(true)
    expect(accepts(schema, {})).toBe(false)
  })

  it('follows pointers into unknown words, percent escapes and tilde escapes', () => {
    const schema = {
      odd: { 'a/b~c d"': { type: 'integer' } },
      properties: { a: { $ref: '#/odd/a~1b~0c%20d%22' }, b: { $ref: '#/odd/a~1b~0c d"' } },
    }
    expect(accepts(schema, { a: 1, b: 2 })).toBe(true)
    expect(accepts(schema, { a: 'x' })).toBe(false)
    expect(accepts(schema, { b: 'x' })).toBe(false)
  })

  it('resolves against the base of the place that is reached', () => {
    const schema = {
      $id: 'http://example.test/root',
      $defs: {
        inner: { $id: 'http://example.test/inner', $defs: { x: { $ref: '#/$defs/y' }, y: { type: 'string' } } },
        y: { type: 'number' },
      },
      properties: { a: { $ref: '#/$defs/inner/$defs/x' }, b: { $ref: 'inner#/$defs/y' } },
    }
    expect(accepts(schema, { a: 'text', b: 'text' })).toBe(true)
    expect(accepts(schema, { a: 1 })).toBe(false)
  })

  it('makes dynamic references static by the outermost anchor', () => {
    const tree = {
      $id: 'http://example.test/tree',
      $dynamicAnchor: 'node',
      type: 'object',
      properties: { data: true, children: { type: 'array', items: { $dynamicRef: '#node' } } },
    }
    const strict = {
      $id: 'http://example.test/strict',
      $dynamicAnchor: 'node',
      $ref: 'tree',
      unevaluatedProperties: false,
    }
    const resources = new Map<string, JsonValue>([['http://example.test/tree', tree]])
    expect(accepts(strict, { children: [{ data: 1 }] }, { resources })).toBe(true)
    expect(accepts(strict, { children: [{ daat: 1 }] }, { resources })).toBe(false)
    expect(accepts(tree, { children: [{ daat: 1 }] })).toBe(true)
    for (const node of read(strict, { resources }).defs.values()) expect(JSON.stringify(node)).not.toContain('dynamic')
  })

  it('follows $recursiveRef to the outermost recursive anchor in 2019-09', () => {
    const tree = {
      $schema: draft2019,
      $id: 'http://example.test/tree',
      $recursiveAnchor: true,
      type: 'object',
      properties: { data: true, children: { type: 'array', items: { $recursiveRef: '#' } } },
    }
    const strict = {
      $schema: draft2019,
      $id: 'http://example.test/strict',
      $recursiveAnchor: true,
      $ref: 'tree',
      unevaluatedProperties: false,
    }
    const resources = new Map<string, JsonValue>([['http://example.test/tree', tree]])
    expect(accepts(strict, { children: [{ daat: 1 }] }, { resources })).toBe(false)
    expect(accepts({ ...strict, $recursiveAnchor: false }, { children: [{ daat: 1 }] }, { resources })).toBe(true)
    expect(accepts(tree, { children: [{ daat: 1 }] })).toBe(true)
  })

  it('knows the official meta-schemas without fetching anything', () => {
    for (const $ref of [
      'https://json-schema.org/draft/2020-12/schema',
      draft2019,
      draft07,
      'http://json-schema.org/draft-06/schema#',
    ]) {
      expect(accepts({ $ref }, { properties: { a: { type: 'string', minLength: 1 } } })).toBe(true)
      expect(accepts({ $ref }, { properties: { a: { type: 'strnig' } } })).toBe(false)
      expect(accepts({ $ref }, { properties: { a: { minLength: -1 } } })).toBe(false)
    }
  })

  it.each<[string, JsonValue]>([
    ['itself', { $ref: '#' }],
    [
      'another',
      { $ref: '#/$defs/a', $defs: { a: { anyOf: [{ $ref: '#/$defs/b' }] }, b: { not: { $ref: '#/$defs/a' } } } },
    ],
    ['a condition', { if: { allOf: [{ $ref: '#' }] }, else: true }],
    ['dependentSchemas', { dependentSchemas: { a: { $ref: '#' } } }],
    ['a root dynamic reference', { $dynamicAnchor: 'a', $dynamicRef: '#a' }],
  ])('refuses a reference that leads back through %s without going into the value', (_name, schema) => {
    expect(refusals(schema)[0]).toMatchObject({ construct: '$ref' })
  })

  it('accepts recursion that goes into the value', () => {
    const list = { type: 'object', properties: { next: { $ref: '#' } }, additionalProperties: false }
    expect(accepts(list, { next: { next: {} } })).toBe(true)
    expect(accepts(list, { next: { next: { x: 1 } } })).toBe(false)
  })
})
