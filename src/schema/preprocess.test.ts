import { describe, expect, it } from 'vitest'
import type { JsonValue } from '../json/value.ts'
import type { NormalObject, Preprocessed, SchemaRefusal } from './normal.ts'
import { type PreprocessOptions, preprocess } from './preprocess.ts'
import { compileValidator } from './validator.ts'

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
const draft04 = 'http://json-schema.org/draft-04/schema#'
const draft2019 = 'https://json-schema.org/draft/2019-09/schema'

describe('dialects', () => {
  it('drops what stands beside a $ref up to draft-07 and keeps it from 2019-09 on', () => {
    const schema = { $defs: { text: { type: 'string' } }, properties: { a: { $ref: '#/$defs/text', maxLength: 1 } } }
    expect(accepts(schema, { a: 'long' })).toBe(false)
    expect(accepts({ ...schema, $schema: draft2019 }, { a: 'long' })).toBe(false)
    expect(accepts({ ...schema, $schema: draft07 }, { a: 'long' })).toBe(true)
    expect(accepts(schema, { a: 'long' }, { dialect: 'draft-04' })).toBe(true)
    expect(accepts(schema, { a: 'long' }, { dialect: 'openapi-3.0' })).toBe(true)
    expect(accepts({ ...schema, $schema: draft07 }, { a: 1 })).toBe(false)
  })

  it('reads boolean exclusive bounds and id in draft-04', () => {
    const schema = {
      $schema: draft04,
      id: 'http://example.test/root.json',
      properties: {
        n: { minimum: 1, exclusiveMinimum: true, maximum: 5, exclusiveMaximum: false },
        m: { $ref: 'm.json' },
      },
      definitions: { m: { id: 'm.json', type: 'integer' } },
    }
    expect(accepts(schema, { n: 1 })).toBe(false)
    expect(accepts(schema, { n: 5, m: 2 })).toBe(true)
    expect(accepts(schema, { m: 'x' })).toBe(false)
    const { n } = (read(schema).root as NormalObject).properties ?? {}
    expect(n).toEqual({ exclusiveMinimum: 1, maximum: 5 })
  })

  it('knows no word before its draft', () => {
    const schema = { const: 1, contains: false, propertyNames: false, if: false, else: false }
    expect(accepts(schema, { a: 1 }, { dialect: 'draft-04' })).toBe(true)
    expect(accepts({ if: false, else: false }, 1, { dialect: 'draft-06' })).toBe(true)
    expect(accepts({ if: false, else: false }, 1, { dialect: 'draft-07' })).toBe(false)
    expect(accepts({ contains: { const: 1 }, minContains: 2 }, [1], { dialect: 'draft-07' })).toBe(true)
    expect(accepts({ contains: { const: 1 }, minContains: 2 }, [1])).toBe(false)
    expect(accepts({ dependencies: { a: ['b'] } }, { a: 1 }, { dialect: 'draft-07' })).toBe(false)
    expect(accepts({ dependencies: { a: ['b'] } }, { a: 1 })).toBe(true)
    expect(read({ dependencies: { a: ['b'] } }).ignored).toEqual(['/dependencies'])
  })

  it('reads tuples with additionalItems before 2020-12', () => {
    const schema = { items: [{ type: 'string' }], additionalItems: { type: 'number' } }
    expect(accepts(schema, ['a', 1], { dialect: '2019-09' })).toBe(true)
    expect(accepts(schema, ['a', 'b'], { dialect: 'draft-07' })).toBe(false)
    expect(accepts({ items: { type: 'string' }, additionalItems: false }, ['a', 'b'], { dialect: 'draft-07' })).toBe(
      true,
    )
    expect(refusals(schema)[0]).toMatchObject({ pointer: '/items', construct: 'schema' })
  })

  it('widens the type beside nullable in OpenAPI 3.0 and nothing else', () => {
    const dialect = 'openapi-3.0'
    expect(accepts({ type: 'string', nullable: true, maxLength: 1 }, null, { dialect })).toBe(true)
    expect(accepts({ type: 'string', nullable: false }, null, { dialect })).toBe(false)
    expect(accepts({ type: 'string', nullable: true, enum: ['a'] }, null, { dialect })).toBe(false)
    expect(accepts({ enum: ['a'], nullable: true }, null, { dialect })).toBe(false)
    expect(accepts({ type: 'string', nullable: true }, null)).toBe(false)
    expect(accepts({ minimum: 1, exclusiveMinimum: true, example: 3 }, 1, { dialect })).toBe(false)
  })

  it('finds OpenAPI components in the document around the schema', () => {
    const document = { openapi: '3.0.3', components: { schemas: { Pet: { type: 'object', required: ['name'] } } } }
    const resources = new Map<string, JsonValue>([['https://api.test/openapi.json', document]])
    const schema = { $ref: 'https://api.test/openapi.json#/components/schemas/Pet' }
    expect(accepts(schema, {}, { dialect: 'openapi-3.0', resources })).toBe(false)
  })

  it('leaves items that only contains has seen unevaluated in 2019-09, but not in 2020-12', () => {
    const schema = { contains: { type: 'string' }, unevaluatedItems: false }
    expect(accepts(schema, ['a'])).toBe(true)
    expect(accepts(schema, ['a'], { dialect: '2019-09' })).toBe(false)
    expect(accepts({ contains: { type: 'string' } }, [1], { dialect: '2019-09' })).toBe(false)
  })

  it('switches keywords off that a custom meta-schema leaves out, and refuses vocabularies it demands', () => {
    const meta = (vocabulary: JsonValue): ReadonlyMap<string, JsonValue> =>
      new Map([
        [
          'https://example.test/meta',
          { $schema: 'https://json-schema.org/draft/2020-12/schema', $vocabulary: vocabulary },
        ],
      ])
    const schema = { $schema: 'https://example.test/meta', type: 'number', properties: { a: false } }
    const applicator = 'https://json-schema.org/draft/2020-12/vocab/applicator'
    expect(accepts(schema, 'text', { resources: meta({ [applicator]: true, 'https://x.test/v': false }) })).toBe(true)
    expect(accepts(schema, { a: 1 }, { resources: meta({ [applicator]: true }) })).toBe(false)
    expect(refusals(schema, { resources: meta({ 'https://x.test/v': true }) })[0]?.message).toContain(
      'https://x.test/v',
    )
  })
})

describe('refusals', () => {
  it.each<[string, JsonValue, string, string, string]>([
    ['a misspelt type', { type: 'strnig' }, '/type', 'type', '"string"'],
    ['a type in a list', { type: ['string', 'nul'] }, '/type/1', 'type', '"null"'],
    ['a remote $ref', { $ref: 'https://example.test/x' }, '/$ref', '$ref', 'nothing is fetched'],
    [
      'a broken pointer',
      { properties: { a: { $ref: '#/$defs/usr' } }, $defs: { user: true } },
      '/properties/a/$ref',
      '$ref',
      '"user"',
    ],
    ['an unknown anchor', { $ref: '#adress', $defs: { a: { $anchor: 'address' } } }, '/$ref', '$ref', '#address'],
    ['an unknown dialect', { $schema: 'https://example.test/s' }, '', '$schema', 'is not known'],
    ['multipleOf zero', { multipleOf: 0 }, '/multipleOf', 'multipleOf', 'greater than 0'],
    ['a required flag', { required: true }, '/required', 'required', 'array of property names'],
    ['a negative length', { minLength: -1 }, '/minLength', 'minLength', 'whole number'],
    ['an empty anyOf', { anyOf: [] }, '/anyOf', 'anyOf', 'at least one'],
    ['a number as a schema', { properties: { a: 1 } }, '/properties/a', 'schema', 'must be an object'],
    ['a boolean bound', { exclusiveMinimum: true }, '/exclusiveMinimum', 'exclusiveMinimum', 'must be a number'],
    ['a lookbehind', { pattern: '(?<=a)b' }, '/pattern', 'pattern', 'lookbehind'],
    [
      'a backreference in a name',
      { patternProperties: { '(a)\\1': true } },
      '/patternProperties/(a)\\1',
      'patternProperties',
      'backreference',
    ],
    ['a pattern that is none', { pattern: '[' }, '/pattern', 'pattern', 'no ECMA-262'],
    [
      'a pattern of many steps for a text of any length',
      { pattern: '^(?:[a-c]?[b-d]?){1000}$' },
      '/pattern',
      'pattern',
      'it has 3003 steps; more than 1000 need a maxLength of at most 6660',
    ],
    [
      'a pattern of many steps for a text that is too long for it',
      { pattern: '^(?:[a-c]?[b-d]?){1000}$', maxLength: 6661 },
      '/pattern',
      'pattern',
      'steps',
    ],
    [
      'a pattern of many steps for property names',
      { patternProperties: { '^(?:[a-c]?[b-d]?){1000}$': true }, maxLength: 10 },
      '/patternProperties/^(?:[a-c]?[b-d]?){1000}$',
      'patternProperties',
      'steps',
    ],
    ['an unknown format', { format: 'emial' }, '/format', 'format', '"email"'],
    ['an identifier with a fragment', { $id: 'http://x.test/y#z' }, '/$id', '$id', '$anchor'],
    [
      'two claims to one anchor',
      { $ref: '#a', $defs: { x: { $anchor: 'a' }, y: { $anchor: 'a', type: 'null' } } },
      '/$ref',
      '$ref',
      'two places',
    ],
    [
      'two claims to one identifier',
      {
        $ref: 'http://x.test/a',
        $defs: { x: { $id: 'http://x.test/a' }, y: { $id: 'http://x.test/a', type: 'null' } },
      },
      '/$ref',
      '$ref',
      'two different schemas',
    ],
  ])('names %s, its place and what to write', (_name, schema, pointer, construct, text) => {
    const [refusal] = refusals(schema)
    expect(refusal).toMatchObject({ pointer, construct })
    expect(refusal?.message).toContain(text)
  })

  it('lists everything that is wrong, not only the first', () => {
    expect(
      refusals({ type: 'x', minimum: '1', properties: { a: { pattern: '[' } } }).map(({ pointer }) => pointer),
    ).toEqual(['/type', '/minimum', '/properties/a/pattern'])
  })

  it('does not look at definitions that nothing references', () => {
    expect(refusals({ $defs: { broken: { type: 'x', $ref: 'https://nowhere.test' } } })).toEqual([])
  })

  it('takes any format where formats only annotate', () => {
    expect(accepts({ format: 'whatever' }, 'x', { formats: 'annotate' })).toBe(true)
    expect(accepts({ format: 'email' }, 'x', { formats: 'annotate' })).toBe(true)
    expect(accepts({ format: 'email' }, 'x')).toBe(false)
  })

  it('bounds depth, size and circular objects', () => {
    let deep: JsonValue = {}
    for (let level = 0; level < 300; level++) deep = { not: deep }
    expect(refusals(deep)[0]).toMatchObject({ construct: 'size' })
    const circle: Record<string, JsonValue> = { type: 'object' }
    circle.not = circle
    expect(refusals(circle)[0]).toMatchObject({ construct: 'size' })
    let wide: JsonValue = { type: 'string' }
    for (let level = 0; level < 40; level++) wide = { allOf: [wide, wide] }
    expect(refusals(wide)[0]).toMatchObject({ construct: 'size' })
  })

  it('bounds the number of definitions that dynamic scopes can produce', () => {
    const names = Array.from({ length: 16 }, (_, index) => `a${index}`)
    const $defs: Record<string, JsonValue> = {}
    for (const name of names) {
      $defs[name] = {
        $id: name,
        $dynamicAnchor: name,
        properties: Object.fromEntries(names.map((other) => [other, { $ref: other }])),
      }
    }
    const [refusal] = refusals({ $id: 'http://x.test/', $ref: 'a0', $defs })
    expect(refusal?.message).toMatch(/definitions|too large/)
  })
})

describe('the normal form', () => {
  it('keeps names such as __proto__ and constructor as ordinary properties', () => {
    const schema = JSON.parse(
      '{"properties":{"__proto__":{"type":"string"},"constructor":{"type":"number"}},"required":["__proto__","toString"]}',
    )
    const { properties } = read(schema).root as NormalObject
    expect(Object.keys(properties ?? {})).toEqual(['__proto__', 'constructor'])
    expect(Object.getPrototypeOf(properties)).toBe(null)
  })

  it('says where a node came from, and which words it ignored', () => {
    const schema = read({
      properties: { a: { $ref: '#/$defs/b', tpye: 1 } },
      $defs: { b: { type: 'string' } },
      'x-y': 1,
    })
    const root = schema.root as NormalObject
    expect(schema.sourcePointer(root)).toBe('')
    expect(schema.sourcePointer(root.properties?.a ?? true)).toBe('/properties/a')
    expect(schema.sourcePointer(schema.defs.get('#/$defs/b') ?? true)).toBe('/$defs/b')
    expect(schema.sourcePointer(true)).toBeUndefined()
    expect(schema.ignored).toEqual(['/properties/a/tpye', '/x-y'])
  })

  it('has one hash per meaning, in any order of words', () => {
    const one = read({ type: 'object', properties: { a: { minimum: 1 }, b: true } })
    const two = read({ properties: { b: true, a: { minimum: 1 } }, type: ['object'], $comment: 'x' })
    expect(one.hash).toBe(two.hash)
    expect(one.hash).not.toBe(read({ type: 'object', properties: { a: { minimum: 2 }, b: true } }).hash)
    expect(one.hash).not.toBe(
      read({ type: 'object', properties: { a: { minimum: 1 }, b: true } }, { formats: 'annotate' }).hash,
    )
  })

  it('turns unevaluated into additional where nothing else can evaluate', () => {
    expect(read({ properties: { a: true }, unevaluatedProperties: false }).root).toEqual({
      properties: { a: true },
      additionalProperties: false,
    })
    expect(read({ additionalProperties: { type: 'string' }, unevaluatedProperties: false }).root).toEqual({
      additionalProperties: { type: ['string'] },
    })
  })

  it('keeps both references of one schema', () => {
    const schema = {
      $defs: { a: { type: 'string' }, b: { $dynamicAnchor: 'b', minLength: 2 } },
      $ref: '#/$defs/a',
      $dynamicRef: '#b',
      allOf: [{ maxLength: 3 }],
    }
    expect(['x', 'xx', 'xxxx', 1].map((value) => accepts(schema, value))).toEqual([false, true, false, false])
  })
})

describe('patterns of many steps', () => {
  it('are read where maxLength beside them bounds the work, and where the built-in engine runs them', () => {
    expect(accepts({ pattern: '^(?:[a-c]?[b-d]?){1000}$', maxLength: 6660 }, 'abc')).toBe(true)
    expect(accepts({ pattern: '^[a-z]{1,4000}$' }, 'abc')).toBe(true)
  })
})
