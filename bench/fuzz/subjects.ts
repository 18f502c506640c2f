// The tools that are fuzzed: one schema for each part of JSON Schema that real tools use, with calls that are right.
// Invariant: nothing on which plain Ajv is known to be wrong (multipleOf 0.01, or of numbers beyond 2^53), so that its word counts.
import type { JsonObject } from '../../src/json/value.ts'

export interface Subject {
  readonly name: string
  readonly schema: JsonObject
  readonly examples: readonly JsonObject[]
}

/** Written as a constant because an object with a plain `then` is taken for a promise. */
const thenKeyword = 'then'

const closed = (properties: JsonObject, required: readonly string[] = Object.keys(properties)): JsonObject => ({
  type: 'object',
  additionalProperties: false,
  required,
  properties,
})

export const subjects: readonly Subject[] = [
  {
    name: 'file_tickets',
    schema: closed({
      project: { type: 'string', minLength: 2, maxLength: 12 },
      tickets: {
        type: 'array',
        minItems: 1,
        maxItems: 50,
        items: closed(
          {
            title: { type: 'string', maxLength: 80 },
            severity: { enum: ['low', 'medium', 'high'] },
            estimate: { type: ['number', 'null'], minimum: 0, maximum: 100 },
            links: { type: 'array', items: closed({ rel: { type: 'string' }, to: { type: 'integer', minimum: 1 } }) },
          },
          ['title', 'severity'],
        ),
      },
    }),
    examples: [
      {
        project: 'core',
        tickets: [{ title: 'It breaks', severity: 'high', estimate: 2.5, links: [{ rel: 'blocks', to: 7 }] }],
      },
      {
        project: 'ui',
        tickets: [
          { title: '', severity: 'low' },
          { title: 'Später', severity: 'medium', estimate: null, links: [] },
        ],
      },
    ],
  },
  {
    name: 'pay_invoice',
    schema: {
      type: 'object',
      required: ['invoice', 'method'],
      additionalProperties: false,
      properties: {
        invoice: { type: 'integer', minimum: 1 },
        method: {
          oneOf: [
            closed({ kind: { const: 'card' }, last4: { type: 'string', pattern: '^[0-9]{4}$' } }),
            closed({
              kind: { const: 'iban' },
              iban: { type: 'string', minLength: 15, maxLength: 34 },
              mandate: { type: 'boolean' },
            }),
            closed({ kind: { const: 'cash' } }),
          ],
        },
      },
    },
    examples: [
      { invoice: 12, method: { kind: 'card', last4: '4242' } },
      { invoice: 13, method: { kind: 'iban', iban: 'XX00TEST0000000000', mandate: true } },
      { invoice: 14, method: { kind: 'cash' } },
    ],
  },
  {
    name: 'find_place',
    schema: {
      type: 'object',
      properties: {
        at: {
          anyOf: [
            { type: 'string', minLength: 1 },
            { type: 'array', prefixItems: [{ type: 'number' }, { type: 'number' }], minItems: 2, items: false },
            closed({
              lat: { type: 'number', minimum: -90, maximum: 90 },
              lon: { type: 'number', minimum: -180, maximum: 180 },
            }),
          ],
        },
        radius: { type: 'integer', exclusiveMinimum: 0, exclusiveMaximum: 50_000 },
      },
      required: ['at'],
    },
    examples: [
      { at: 'Bern' },
      { at: [46.9, 7.4], radius: 500 },
      { at: { lat: 46.9, lon: 7.4 }, extra: { any: [1, null] } },
    ],
  },
  {
    name: 'tag_parts',
    schema: {
      type: 'object',
      patternProperties: {
        '^part_[a-z]{1,8}$': { type: 'string', pattern: '^(?:[A-Z]{2}-)?\\d{3,6}$' },
        '^n_': { type: 'integer' },
      },
      properties: { comment: { type: 'string', pattern: '^\\P{Cc}*$' } },
      propertyNames: { maxLength: 24 },
      additionalProperties: false,
      minProperties: 1,
    },
    examples: [
      { part_axle: 'AB-1234', n_axle: 4 },
      { part_nut: '999999', comment: 'grün' },
    ],
  },
  {
    name: 'book_room',
    schema: closed(
      {
        booking: { type: 'string', format: 'uuid' },
        from: { type: 'string', format: 'date' },
        checkin: { type: 'string', format: 'date-time' },
        host: { type: 'string', format: 'ipv4' },
        guests: { type: 'integer', minimum: 1, maximum: 12 },
      },
      ['booking', 'from', 'guests'],
    ),
    examples: [
      { booking: '018f3a5e-7c11-7d2a-9b1e-2f6f6a1c0d9e', from: '2026-11-30', guests: 2 },
      {
        booking: '00000000-0000-4000-8000-000000000000',
        from: '2024-02-29',
        checkin: '2026-03-01T09:30:00Z',
        host: '10.0.0.1',
        guests: 12,
      },
    ],
  },
  {
    name: 'plant_tree',
    schema: {
      $defs: {
        node: closed(
          {
            label: { type: 'string', maxLength: 20 },
            children: { type: 'array', items: { $ref: '#/$defs/node' }, maxItems: 8 },
          },
          ['label'],
        ),
      },
      type: 'object',
      additionalProperties: false,
      required: ['root'],
      properties: { root: { $ref: '#/$defs/node' } },
    },
    examples: [
      { root: { label: 'a' } },
      {
        root: {
          label: 'a',
          children: [
            { label: 'b', children: [{ label: 'c' }] },
            { label: 'd', children: [] },
          ],
        },
      },
    ],
  },
  {
    name: 'set_limits',
    schema: closed(
      {
        step: { type: 'number', multipleOf: 0.25, minimum: -8, maximum: 8 },
        count: { type: 'integer', multipleOf: 5, minimum: -1_000_000_000, maximum: 1_000_000_000 },
        codes: { type: 'array', items: { type: ['integer', 'string'] }, uniqueItems: true, minItems: 1, maxItems: 6 },
        marks: { type: 'array', contains: { type: 'integer', minimum: 10 }, minContains: 1, maxContains: 2 },
        bag: { type: 'object', minProperties: 1, maxProperties: 3 },
      },
      ['step', 'codes'],
    ),
    examples: [
      { step: 0.75, codes: [1, '1', 2] },
      { step: -8, count: 15, codes: ['a'], marks: [1, 10, 'x'], bag: { a: { b: [1] } } },
    ],
  },
  {
    name: 'merge_person',
    schema: {
      allOf: [
        { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
        { properties: { age: { type: 'integer', minimum: 0, maximum: 150 } } },
        {
          anyOf: [
            { properties: { mail: { type: 'string' } }, required: ['mail'] },
            { properties: { phone: { type: 'string' } }, required: ['phone'] },
          ],
        },
      ],
      unevaluatedProperties: false,
    },
    examples: [
      { name: 'Ada', mail: 'a@b.c' },
      { name: 'Bo', age: 30, phone: '+41' },
    ],
  },
  {
    name: 'ship_goods',
    schema: {
      type: 'object',
      properties: {
        country: { type: 'string', minLength: 2, maxLength: 2 },
        zip: { type: 'string' },
        express: { type: 'boolean' },
        until: { type: 'integer' },
      },
      required: ['country'],
      if: { properties: { country: { const: 'US' } }, required: ['country'] },
      [thenKeyword]: { properties: { zip: { pattern: '^\\d{5}$' } }, required: ['zip'] },
      else: { properties: { zip: { maxLength: 10 } } },
      dependentRequired: { express: ['until'] },
      dependentSchemas: { until: { properties: { until: { minimum: 1 } } } },
      additionalProperties: false,
    },
    examples: [
      { country: 'US', zip: '94110' },
      { country: 'CH', zip: '3000', express: true, until: 4 },
      { country: 'FR' },
    ],
  },
  {
    name: 'draw_line',
    schema: closed(
      {
        points: {
          type: 'array',
          minItems: 2,
          items: {
            type: 'array',
            prefixItems: [{ type: 'number' }, { type: 'number' }, { enum: ['move', 'line'] }],
            items: false,
            minItems: 2,
          },
        },
        rest: { type: 'array', prefixItems: [{ type: 'string' }], unevaluatedItems: { type: 'integer' } },
      },
      ['points'],
    ),
    examples: [
      {
        points: [
          [0, 0],
          [1, 1.5, 'line'],
        ],
      },
      {
        points: [
          [0, 0, 'move'],
          [2, 2],
        ],
        rest: ['a', 1, 2],
      },
    ],
  },
  {
    name: 'patch_setting',
    schema: {
      type: 'object',
      properties: {
        key: { type: 'string', not: { enum: ['root', 'admin'] } },
        value: { type: ['string', 'number', 'boolean', 'null'] },
        mode: { enum: ['set', 'unset', null, 0, { as: ['default'] }] },
        scope: { const: { level: 1, of: ['org'] } },
      },
      required: ['key'],
    },
    examples: [
      { key: 'theme', value: 'dark', mode: 'set' },
      { key: 'x', mode: { as: ['default'] }, scope: { level: 1, of: ['org'] }, free: [] },
    ],
  },
  {
    name: 'filter_rows',
    schema: {
      $defs: {
        test: {
          oneOf: [
            closed({
              op: { enum: ['and', 'or'] },
              of: { type: 'array', items: { $ref: '#/$defs/test' }, minItems: 1, maxItems: 10 },
            }),
            closed({ op: { const: 'not' }, test: { $ref: '#/$defs/test' } }),
            closed({ op: { const: 'eq' }, field: { type: 'string', pattern: '^[a-z_]+$' }, to: {} }),
          ],
        },
      },
      ...closed({ where: { $ref: '#/$defs/test' }, limit: { type: 'integer', minimum: 1, maximum: 1_000 } }, ['where']),
    },
    examples: [
      { where: { op: 'eq', field: 'id', to: 4 } },
      {
        where: {
          op: 'and',
          of: [
            { op: 'not', test: { op: 'eq', field: 'a', to: null } },
            { op: 'or', of: [{ op: 'eq', field: 'b_c', to: { x: 1 } }] },
          ],
        },
        limit: 10,
      },
    ],
  },
]
