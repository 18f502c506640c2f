// What comes back: replies over HTTP that are read, results that an output schema is held against, stored ones that are fetched again, and
// documents of YAML.
import * as yaml from 'yaml'
import { responseResult } from '../../src/execute/executors/http/response.ts'
import { copyResultInSteps } from '../../src/json/copy.ts'
import { jsonBytes, writtenInSteps } from '../../src/json/json-parts.ts'
import { parseInSteps } from '../../src/json/parse-in-steps.ts'
import { mostMembers } from '../../src/json/refusal.ts'
import { inOneGo, inSlices } from '../../src/json/slices.ts'
import type { JsonObject } from '../../src/json/value.ts'
import { readYaml } from '../../src/runtime/yaml-document.ts'
import { preprocess } from '../../src/schema/preprocess.ts'
import { compileValidator } from '../../src/schema/validator.ts'
import { resultBytes, type StallCase, shapes } from './cases.ts'

const mebibyte = 1_048_576
const replyBytes = 10 * mebibyte

const filledList = (part: string, bytes: number, first = ''): string =>
  `[${first}${`${part},`.repeat(Math.max(1, Math.floor(bytes / (part.length + 1)) - 2))}${part}]`

/** Texts of JSON that take long for their length. */
const replies: readonly (readonly [name: string, make: (bytes: number) => string])[] = [
  ['numbers', (bytes) => filledList('1', bytes)],
  ['empty objects', (bytes) => filledList('{}', bytes)],
  ['nested lists', (bytes) => filledList(`${'['.repeat(100)}${']'.repeat(100)}`, bytes)],
  ['objects and one integer of 19 digits', (bytes) => filledList('{"a":1}', bytes, '1234567890123456789,')],
  ['integers of 19 digits', (bytes) => filledList('1234567890123456789', bytes)],
  [
    'keys',
    (bytes) =>
      `{${Array.from({ length: Math.min(mostMembers, bytes / 12) }, (_, at) => `"k${at}":1`).join()}}`.padEnd(bytes),
  ],
  ['more keys than are read', (bytes) => `{${Array.from({ length: bytes / 12 }, (_, at) => `"k${at}":1`).join()}}`],
  ['escapes', (bytes) => JSON.stringify('\u0001'.repeat(bytes / 6 - 2))],
  ['quotation marks', (bytes) => JSON.stringify('"'.repeat(bytes / 2 - 2))],
  ['text', (bytes) => JSON.stringify('x'.repeat(bytes - 2))],
]

const schemas: readonly (readonly [string, JsonObject])[] = [
  ['items', { items: { anyOf: [{ type: 'string' }, { type: 'number', multipleOf: 0.01 }, { type: 'object' }] } }],
  ['uniqueItems', { uniqueItems: true }],
  ['oneOf', { items: { oneOf: [{ minimum: 0 }, { type: 'string' }, { required: ['a'] }] } }],
  ['additionalProperties', { additionalProperties: { type: 'integer' } }],
  ['patternProperties', { patternProperties: { '^k[0-9]+$': { type: 'integer' }, '(a|k).*1': { minimum: 0 } } }],
]

const documents: readonly (readonly [name: string, part: string])[] = [
  ['keys', 'key: value\n'],
  ['lists', '- a\n'],
  ['flow', '- {a: 1, b: [1, 2]}\n'],
  ['a text of many lines', '  words of a text\n'],
]

export const replyCases: readonly StallCase[] = [
  ...replies.map(
    ([name, make]): StallCase => ({
      kind: 'read a reply over HTTP',
      name,
      bound: replyBytes,
      prepare(bytes) {
        const reply = { status: 200, headers: { 'content-type': 'application/json' }, bytes: Buffer.from(make(bytes)) }
        return () => responseResult(reply, 'body', false).catch(() => undefined)
      },
    }),
  ),
  ...shapes.flatMap(([name, make]): readonly StallCase[] => [
    {
      kind: 'fetch a stored result',
      name,
      bound: resultBytes,
      prepare(bytes) {
        const stored = inOneGo(jsonBytes(make(bytes)))
        return () => inSlices(parseInSteps(stored.toString()))
      },
    },
    {
      kind: 'page through a stored result',
      name,
      bound: resultBytes,
      prepare(bytes) {
        const value = make(bytes)
        return () => inSlices(writtenInSteps(value))
      },
    },
    ...schemas.map(
      ([keyword, schema]): StallCase => ({
        kind: 'output schema',
        name: `${keyword} over ${name}`,
        bound: resultBytes,
        synchronous: 'a generated validator runs through, over a result of 1,000,000 values and 16 MB at most',
        prepare(bytes) {
          const reading = preprocess(schema)
          if (!reading.ok) throw new Error('No schema')
          const validator = compileValidator(reading.schema)
          const copy = inOneGo(copyResultInSteps(make(bytes), { maxBytes: 4 * resultBytes, maxValues: 1_000_000 }))
          if (!copy.ok) throw new Error(copy.refusal.message)
          const { value } = copy
          return () => validator.matches(value)
        },
      }),
    ),
  ]),
  ...documents.map(
    ([name, part]): StallCase => ({
      kind: 'read a document of YAML',
      name,
      bound: mebibyte,
      synchronous: 'a file of the operator, read while the process starts',
      prepare(bytes) {
        const numbered = Array.from({ length: bytes / (part.length + 4) }, (_, at) => part.replace('key', `key${at}`))
        const text = (name === 'a text of many lines' ? 'text: |\n' : '') + numbered.join('')
        return () => readYaml(text, yaml)
      },
    }),
  ),
]
