// Schemas: what others publish, read, compared and pinned; and what validators, formats and rules do with values.
import { judgePin } from '../../src/drift/pins/judge-pin.ts'
import { nextPin } from '../../src/drift/pins/next-pin.ts'
import { readServed } from '../../src/drift/pins/read-served.ts'
import type { SourceSnapshot } from '../../src/drift/snapshot.ts'
import type { EpochMs } from '../../src/json/clock.ts'
import type { JsonObject, JsonValue } from '../../src/json/value.ts'
import type { Pin } from '../../src/ledger/ports/pins.ts'
import { compileRules } from '../../src/policy/rules/compile-rules.ts'
import { judgeRules } from '../../src/policy/rules/judge-rules.ts'
import { explain } from '../../src/schema/explain.ts'
import { formatNames } from '../../src/schema/formats/formats.ts'
import { preprocess } from '../../src/schema/preprocess.ts'
import { compileValidator } from '../../src/schema/validator.ts'
import { argumentBytes, type StallCase, shapes } from './cases.ts'
import { filled, oddTexts } from './worst-texts.ts'

function read(schema: JsonValue) {
  const reading = preprocess(schema, { formats: 'assert' })
  if (!reading.ok) throw new Error(JSON.stringify(reading.refusals))
  return reading.schema
}

const lists: readonly (readonly [string, JsonObject])[] = [
  ['items', { items: { anyOf: [{ type: 'string' }, { type: 'number', multipleOf: 0.01 }, { type: 'object' }] } }],
  ['uniqueItems', { uniqueItems: true }],
  ['contains', { contains: { const: 'none' }, minContains: 0 }],
  ['oneOf', { items: { oneOf: [{ minimum: 0 }, { type: 'string' }, { required: ['a'] }] } }],
  ['unevaluatedItems', { prefixItems: [true], unevaluatedItems: { not: { const: 'none' } } }],
  ['enum of lists', { items: { enum: [[1], { a: 1 }, 'x', 1, 2, 3, 4] } }],
]
const records: readonly (readonly [string, JsonObject])[] = [
  ['additionalProperties', { additionalProperties: { type: 'integer' } }],
  ['patternProperties', { patternProperties: { '^k[0-9]+$': { type: 'integer' }, '(a|k).*1': { minimum: 0 } } }],
  ['propertyNames', { propertyNames: { pattern: '^[a-z]+[0-9]*$', maxLength: 20 } }],
  ['unevaluatedProperties', { allOf: [{ properties: { k1: true } }], unevaluatedProperties: { minimum: 0 } }],
]
const patterns = ['^(?:a+)+$', '(x+x+)+y', '^[^@]+@[^@]+$', '\\p{L}+\\s\\p{N}', '(a|b|ab)*c', '^.*foo.*bar.*$']

const validated = (kind: string, name: string, schema: JsonObject, make: (bytes: number) => JsonValue): StallCase => ({
  kind,
  name,
  bound: argumentBytes,
  synchronous: 'a generated validator runs through, over arguments of 20,000 values and 1 MB at most',
  prepare(bytes) {
    const validator = compileValidator(read(schema))
    const value = make(bytes)
    return () => validator.matches(value)
  },
})

/** As many values as arguments may have. */
const asArguments = (value: JsonValue): JsonValue => {
  if (Array.isArray(value)) return value.slice(0, 10_000)
  return Object.fromEntries(Object.entries(value as JsonObject).slice(0, 10_000))
}

const shapeNamed = (wanted: string) => {
  const [, make] = shapes.find(([name]) => name === wanted) ?? []
  if (make === undefined) throw new Error(`There is no shape ${wanted}`)
  return (bytes: number) => asArguments(make(bytes))
}

export const validatorCases: readonly StallCase[] = [
  ...lists.flatMap(([name, schema]) =>
    ['many numbers', 'many objects', 'many short texts'].map((shape) =>
      validated('validator', `${name} over ${shape}`, schema, shapeNamed(shape)),
    ),
  ),
  ...records.map(([name, schema]) => validated('validator', name, schema, shapeNamed('many keys'))),
  ...patterns.flatMap((pattern) =>
    ['a', 'x', 'дом там ', 'foo '].map((part) =>
      validated('pattern', `${pattern} on ${JSON.stringify(part)}`, { pattern }, (bytes) => filled(part, bytes)),
    ),
  ),
  ...formatNames.flatMap((format) =>
    [...oddTexts.filter((_, index) => index % 4 === 0), ...formatTexts()].map(([name, part]) =>
      validated('format', `${format}: ${name}`, { format }, (bytes) => filled(part, bytes)),
    ),
  ),
  ...lists.map(
    ([name, schema]): StallCase => ({
      kind: 'explain',
      name,
      bound: argumentBytes,
      prepare(bytes) {
        const schemaRead = read({ ...schema, type: 'array', maxItems: 1 })
        const value = shapeNamed('many objects')(bytes)
        return () => explain(schemaRead, value)
      },
    }),
  ),
]

function formatTexts(): readonly (readonly [string, string])[] {
  return [
    ['labels', 'a.'],
    ['colons', ':'],
    ['slashes', '//'],
    ['ends', 'xn--a-'],
    ['digits', '1'],
    ['braces', '{a,b}'],
    ['tildes', '/~0'],
  ]
}

const input = read({
  type: 'object',
  properties: {
    text: { type: 'string', maxLength: argumentBytes },
    items: { type: 'array', maxItems: 10_000, items: { type: 'string', maxLength: 100 } },
  },
  required: ['text', 'items'],
  additionalProperties: false,
})
const ruleTexts = [
  'args.text.contains("needle")',
  'args.text.matches("(a|b|ab)*c")',
  'args.text.matches("^[a-z ]+$")',
  'args.items.all(i, i.size() > 0)',
  'args.items.exists(i, i == args.text)',
]

export const ruleCases: readonly StallCase[] = ruleTexts.map((when) => ({
  kind: 'CEL rule',
  name: when,
  bound: argumentBytes,
  synchronous: 'rules are compiled under a static bound on their work',
  prepare(bytes) {
    const compiled = compileRules([{ id: 'r', when, message: 'm' }], { input })
    // A rule beyond the bound is refused when it is registered.
    if (!compiled.ok) return () => undefined
    const items = Array.from({ length: Math.min(10_000, bytes / 100) }, (_, at) => `item ${at}`)
    const args = { text: filled('ab', bytes - items.length * 10), items }
    const context = { tenant: 't', user: 'u', run: 'r', roles: [], scopes: [], workflow: '', purpose: '' }
    return () => judgeRules(compiled.rules, { args, context } as never)
  },
}))

const described = (count: number, more: (at: number) => JsonObject): JsonObject => ({
  name: 'big',
  description: 'A tool.',
  inputSchema: {
    type: 'object',
    properties: Object.fromEntries(
      Array.from({ length: count }, (_, at) => [`p${at}`, { type: 'string', ...more(at) }]),
    ),
  },
})
const key = { source: 'server', capabilities: {} }

function sourceOf(tools: readonly JsonObject[]): SourceSnapshot {
  const source = readServed(tools)
  if (source === undefined) throw new Error('No list of tools')
  return source
}

function pinOf(served: SourceSnapshot): Pin {
  const by = { by: 'ann', at: 1 as EpochMs, why: undefined, place: undefined }
  const next = nextPin({ key, pin: undefined, served, tools: undefined, ...by })
  if (next.kind !== 'pin') throw new Error('No pin')
  return next.pin
}

/** A property with its name and its type takes some forty bytes. */
const propertiesIn = (bytes: number): number => Math.max(10, Math.floor(bytes / 50))

const changes: readonly (readonly [string, (bytes: number, when: number) => readonly JsonObject[]])[] = [
  ['each property narrowed', (bytes, when) => [described(propertiesIn(bytes), () => ({ maxLength: 10 - when }))]],
  [
    'each description changed',
    (bytes, when) => [described(propertiesIn(bytes), (at) => ({ description: `${when} ${at}` }))],
  ],
  [
    'one enum of many',
    (bytes, when) => [
      described(2, () => ({ enum: Array.from({ length: propertiesIn(bytes) }, (_, at) => `e${at + when}`) })),
    ],
  ],
  [
    'many alternatives',
    (bytes, when) => [
      {
        name: 'big',
        inputSchema: {
          type: 'object',
          anyOf: Array.from({ length: propertiesIn(bytes) }, (_, at) => ({
            required: [`p${at}`],
            minProperties: when,
          })),
        },
      },
    ],
  ],
  [
    'many tools',
    (bytes, when) =>
      Array.from({ length: Math.min(2_000, propertiesIn(bytes) / 5) }, (_, at) => ({
        ...described(3, () => ({ maxLength: 10 - when })),
        name: `t${at}`,
      })),
  ],
]

export const pinCases: readonly StallCase[] = changes.flatMap(([name, make]): readonly StallCase[] => [
  {
    kind: 'read what a server lists',
    name,
    bound: 4 * argumentBytes,
    prepare(bytes) {
      const tools = make(bytes, 1)
      return () => readServed(tools)
    },
  },
  {
    kind: 'compare with the pin',
    name,
    bound: 4 * argumentBytes,
    prepare(bytes) {
      const pin = pinOf(sourceOf(make(bytes, 0)))
      const served = sourceOf(make(bytes, 1))
      return () => judgePin(key, pin, served)
    },
  },
  {
    kind: 'pin',
    name,
    bound: 4 * argumentBytes,
    prepare(bytes) {
      const served = sourceOf(make(bytes, 1))
      return () => pinOf(served)
    },
  },
  {
    kind: 'read a schema',
    name,
    bound: argumentBytes,
    synchronous: 'tools are registered by a method that gives the tool; a schema of 1 MB is read in one go',
    prepare(bytes) {
      const schemas = make(bytes, 1).map((tool) => tool.inputSchema as JsonObject)
      return () => schemas.map((schema) => preprocess(schema))
    },
  },
])
