import { describe, expect, test } from 'vitest'
import { issueReport } from '../../test/issue-report.ts'
import type { JsonValue } from '../json/value.ts'
import { type ExplainOptions, explain, stepsToFind } from './explain.ts'
import { type FieldError, worstKind } from './field-error.ts'
import { createEffort } from './judge/effort.ts'
import { preprocess } from './preprocess.ts'

function errorsOf(schema: JsonValue, value: JsonValue, options?: ExplainOptions): readonly FieldError[] {
  const preprocessed = preprocess(schema)
  if (!preprocessed.ok) throw new Error(preprocessed.refusals.map((refusal) => refusal.message).join('\n'))
  return explain(preprocessed.schema, value, options)
}

function messagesOf(schema: JsonValue, value: JsonValue, options?: ExplainOptions): readonly string[] {
  return errorsOf(schema, value, options).map((error) => error.message)
}

describe('The five cases of the question about validation depth', () => {
  const report = issueReport({
    properties: { issueId: { type: 'string' }, severity: { type: 'integer', minimum: 1, maximum: 5 } },
  })

  test('A wrong key at the top is named twice: as unknown, and as what the missing one was given as [TC-084, TC-296, VD-03]', () => {
    expect(errorsOf(report, { top_issues: [], summary: 'fine' })).toEqual([
      {
        field: 'topIssues',
        pointer: '/topIssues',
        keyword: 'required',
        kind: 'structure',
        expected: 'array of objects',
        actual: 'missing',
        message: '`topIssues` is required; `top_issues` was given instead: rename it.',
      },
      {
        field: 'top_issues',
        pointer: '/top_issues',
        keyword: 'additionalProperties',
        kind: 'structure',
        expected: 'only topIssues and summary',
        actual: 'undeclared property',
        message: '`top_issues` is not a declared property; did you mean `topIssues`?',
      },
    ])
  })

  test('A missing field is reported at the place where it should stand [TC-084, VD-04]', () => {
    expect(errorsOf(report, { topIssues: [] })).toEqual([
      {
        field: 'summary',
        pointer: '/summary',
        keyword: 'required',
        kind: 'structure',
        expected: 'string',
        actual: 'missing',
        message: '`summary` is required: send a string.',
      },
    ])
  })

  test('An extra key is reported at itself [TC-084, VD-05]', () => {
    expect(errorsOf(report, { topIssues: [], summary: 'fine', confidence: 0.9 })).toEqual([
      {
        field: 'confidence',
        pointer: '/confidence',
        keyword: 'additionalProperties',
        kind: 'structure',
        expected: 'only topIssues and summary',
        actual: 'undeclared property',
        message: '`confidence` is not a declared property: leave it out.',
      },
    ])
  })

  test('A wrong shape of an item names everything that the item lacks [TC-084, VD-06]', () => {
    expect(errorsOf(report, { topIssues: [{ title: 'foo' }], summary: 'fine' })).toEqual([
      {
        field: 'topIssues[0].issueId',
        pointer: '/topIssues/0/issueId',
        keyword: 'required',
        kind: 'structure',
        expected: 'string',
        actual: 'missing',
        message: '`topIssues[0].issueId` is required: send a string.',
      },
      {
        field: 'topIssues[0].severity',
        pointer: '/topIssues/0/severity',
        keyword: 'required',
        kind: 'structure',
        expected: 'integer from 1 to 5',
        actual: 'missing',
        message: '`topIssues[0].severity` is required: send an integer from 1 to 5.',
      },
    ])
  })

  test('A wrong nested type names what is expected, what was given and how to mend it [TC-085, TC-297, VD-07]', () => {
    expect(errorsOf(report, { topIssues: [{ issueId: 'A1', severity: '3' }], summary: 'fine' })).toEqual([
      {
        field: 'topIssues[0].severity',
        pointer: '/topIssues/0/severity',
        keyword: 'type',
        kind: 'type',
        expected: 'integer from 1 to 5',
        actual: 'string',
        message:
          '`topIssues[0].severity` must be an integer from 1 to 5; a string was given. Send the number itself, without quotes.',
      },
    ])
  })

  test('Errors of all depths come together, and the first kind in the order of the gates names the class', () => {
    const value = { topIssues: [{ issueId: 7 }, 'x', { issueId: 'A', severity: 9 }], summary: null }
    const errors = errorsOf(report, value)
    expect(errors.map((error) => `${error.kind} ${error.field}`)).toEqual([
      'structure topIssues[0].severity',
      'type topIssues[0].issueId',
      'type topIssues[1]',
      'constraint topIssues[2].severity',
      'type summary',
    ])
    expect(worstKind(errors)).toBe('structure')
    expect(worstKind(errors.slice(3))).toBe('type')
    expect(worstKind(errors.slice(3, 4))).toBe('constraint')
  })
})

test('The example of the specification: an integer where the UUID of an invoice is due', () => {
  const schema = {
    properties: {
      invoice_id: {
        type: 'string',
        format: 'uuid',
        description: 'The invoice UUID from the active tenant scope. Ask the user if unsure.',
      },
    },
  }
  expect(errorsOf(schema, { invoice_id: 4711 })[0]).toEqual({
    field: 'invoice_id',
    pointer: '/invoice_id',
    keyword: 'type',
    kind: 'type',
    expected: 'string UUID',
    actual: 'integer',
    message:
      '`invoice_id` must be a string UUID; an integer was given. Meaning: The invoice UUID from the active tenant scope.',
  })
})

describe('One value, one story', () => {
  test('A value of the wrong type is told once, without constraints that cannot apply', () => {
    const schema = { allOf: [{ minLength: 5 }, { type: 'integer', minimum: 1 }, { type: 'integer' }] }
    expect(errorsOf(schema, 'abc').map((error) => error.keyword)).toEqual(['type'])
  })

  test('Where type and enum both fail the type is told, with the allowed values', () => {
    const [error, ...others] = errorsOf({ type: 'string', enum: ['a', 'b'] }, 5)
    expect(others).toEqual([])
    expect(error).toMatchObject({ keyword: 'type', expected: 'string, one of "a", "b"', actual: 'integer' })
  })

  test('The same finding by two parts is told once, two different bounds twice', () => {
    const schema = {
      allOf: [{ required: ['a'] }, { required: ['a'] }],
      properties: { b: { allOf: [{ minimum: 5 }, { minimum: 7 }] } },
    }
    expect(errorsOf(schema, { b: 1 }).map((error) => error.message)).toEqual([
      '`b` must be at least 5.',
      '`b` must be at least 7.',
      '`a` is required: add it.',
    ])
  })

  test('A property that fails inside an allOf does not also count as unevaluated', () => {
    const schema = { allOf: [{ properties: { a: { type: 'integer' } } }], unevaluatedProperties: false }
    expect(errorsOf(schema, { a: 'x', c: 1 }).map((error) => `${error.keyword} ${error.pointer}`)).toEqual([
      'type /a',
      'unevaluatedProperties /c',
    ])
  })

  test('A list of many allowed values is cut, with the number of the rest', () => {
    const values = Array.from({ length: 30 }, (_, index) => `value-${index}`)
    const [error] = errorsOf({ enum: values }, 'other')
    expect(error?.expected).toMatch(/^one of "value-0", .*"value-19" and 10 more$/)
  })
})

describe('Recursion', () => {
  const tree = {
    $defs: {
      node: {
        type: 'object',
        required: ['name'],
        properties: { name: { type: 'string' }, children: { type: 'array', items: { $ref: '#/$defs/node' } } },
      },
    },
    $ref: '#/$defs/node',
  }

  test('Errors are found at any depth of a recursive schema [VD-08]', () => {
    const value = { name: 'a', children: [{ name: 'b', children: [{ children: [{ name: 1 }] }] }] }
    expect(errorsOf(tree, value).map((error) => error.field)).toEqual([
      'children[0].children[0].name',
      'children[0].children[0].children[0].name',
    ])
  })

  test('A value nested five times deeper than readers let in is explained', () => {
    let value: JsonValue = 'leaf'
    for (let level = 0; level < 320; level++) value = { name: 'x', children: [value] }
    expect(errorsOf(tree, value).map((error) => error.keyword)).toEqual(['type'])
  })
})

describe('Limits', () => {
  const integers = { type: 'array', items: { type: 'integer' } }

  test('No more errors than the limit are told, and the last one says that more follow', () => {
    const errors = errorsOf(integers, ['a', 'b', 'c', 'd'], { limit: 2 })
    expect(errors.map((error) => error.message)).toEqual([
      '`[0]` must be an integer; a string was given.',
      '`[1]` must be an integer; a string was given. More errors follow: these are the first 2.',
    ])
  })

  test('Exactly as many errors as the limit say nothing of more', () => {
    expect(messagesOf(integers, ['a', 'b'], { limit: 2 }).join()).not.toMatch(/More errors/)
  })

  test.each([
    ['300,000 wrong items', integers, Array.from({ length: 300_000 }, () => 'a')],
    ['100,000 unknown keys', { additionalProperties: false, properties: { alpha: true } }, manyKeys(100_000)],
    [
      'a text of a million characters',
      { type: 'string', maxLength: 5, pattern: '^[a-z]+$', format: 'uuid' },
      'é'.repeat(1e6),
    ],
    ['300,000 items of which the last repeats', { uniqueItems: true }, [...Array(300_000).keys(), 0]],
  ] satisfies readonly (readonly [string, JsonValue, JsonValue])[])('%s are answered at once', (_, schema, value) => {
    const start = performance.now()
    const errors = errorsOf(schema, value)
    expect(errors.length).toBeGreaterThan(0)
    expect(errors.length).toBeLessThanOrEqual(100)
    expect(JSON.stringify(errors).length).toBeLessThan(500_000)
    expect(performance.now() - start).toBeLessThan(2000)
  })

  test('Alternatives that lead to one definition do not multiply the work', () => {
    const alternative = (name: string): JsonValue => ({
      type: 'object',
      required: [name],
      properties: { next: { $ref: '#/$defs/link' }, end: { type: 'integer' } },
    })
    const schema = { $defs: { link: { anyOf: ['a', 'b', 'c'].map(alternative) } }, $ref: '#/$defs/link' }
    let value: JsonValue = { end: 'x' }
    for (let level = 0; level < 120; level++) value = { next: value }
    expect(errorsOf(schema, value).length).toBeGreaterThan(0)
  })

  test('References that double at each level do not multiply the work', () => {
    const defs: Record<string, JsonValue> = { end: { type: 'integer' } }
    for (let level = 0; level < 60; level++) {
      const next = { $ref: `#/$defs/${level === 0 ? 'end' : `d${level - 1}`}` }
      defs[`d${level}`] = { allOf: [next, next] }
    }
    expect(errorsOf({ $defs: defs, $ref: '#/$defs/d59' }, 'x')).toHaveLength(1)
  })

  const node = { $ref: '#/$defs/node' }
  const both = { properties: { next: node } }
  test.each([
    ['properties and allOf', { allOf: [both], ...both }],
    ['properties and patternProperties', { ...both, patternProperties: { '^next$': node } }],
    ['properties and then', { ...both, if: true, ...Object.fromEntries([['then', both]]) }],
    ['two parts of a negation', { ...both, not: { not: { allOf: [both, both] } } }],
    ['unions and unevaluatedProperties', { anyOf: [both, both], unevaluatedProperties: node }],
  ] satisfies readonly (readonly [string, JsonValue])[])(
    '%s on the way to one definition take linear work',
    (_, part) => {
      const schema = { ...node, $defs: { node: { type: 'object', ...part } } }
      expect(stepsFor(schema, nested(120))).toBeLessThan(2.5 * stepsFor(schema, nested(60)))
      expect(errorsOf(schema, nested(120)).length).toBeGreaterThan(0)
    },
  )

  test.each([
    ['anyOf, then unevaluatedItems', { unevaluatedItems: false }, 'anyOf', { prefixItems: [true] }, [1, 2]],
    [
      'allOf, then unevaluatedProperties',
      { unevaluatedProperties: false },
      'allOf',
      { properties: { a: true } },
      { b: 1 },
    ],
    ['anyOf over nothing', {}, 'anyOf', false, 1],
    ['oneOf over nothing', {}, 'oneOf', false, 1],
  ] satisfies readonly (readonly [string, Record<string, JsonValue>, string, JsonValue, JsonValue])[])(
    'Doubling 40 times by %s takes little work',
    (_, beside, keyword, end, value) => {
      const defs: Record<string, JsonValue> = { d0: end }
      for (let level = 1; level <= 40; level++) {
        const next = { $ref: `#/$defs/d${level - 1}` }
        defs[`d${level}`] = { [keyword]: [next, next] }
      }
      const schema = { ...beside, $ref: '#/$defs/d40', $defs: defs }
      expect(errorsOf(schema, value)).toHaveLength(1)
      expect(stepsFor(schema, value)).toBeLessThan(5000)
    },
  )

  test('Work that grows past its bound ends, with what was found until there and a word about the rest', () => {
    const branches = Array.from({ length: 500 }, (_, index) => ({ required: [`a${index}`], not: { required: ['b'] } }))
    const schema = { items: { anyOf: branches }, minItems: 7000 }
    const value = Array.from({ length: 6000 }, (_, index) => ({ [`c${index}`]: 1 }))
    const effort = createEffort(stepsToFind)
    const errors = errorsOf(schema, value, { effort })
    expect(errors[0]?.keyword).toBe('minItems')
    expect(errors.at(-1)?.message).toMatch(/ More errors may follow: these are the first \d+\.$/)
    expect(effort.total()).toBeLessThan(1.5 * stepsToFind)
    expect(errorsOf(schema, value)).toEqual(errors)
  })

  test('Where nothing was found before the bound, nothing is told, and nothing untrue', () => {
    const patterns = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`a.*b.*c${index}$`, true]))
    const schema = { not: { patternProperties: patterns, additionalProperties: false } }
    expect(errorsOf(schema, manyKeys(20_000))).toEqual([])
  })

  test('A single error at the end of a large value is still found', () => {
    const properties = { id: { type: 'string' }, size: { type: 'integer' }, on: { type: 'boolean' } }
    const schema = { items: { type: 'object', additionalProperties: false, properties } }
    const value = Array.from({ length: 5000 }, (_, index) => ({
      id: `i${index}`,
      size: index,
      on: index < 4999 ? true : 1,
    }))
    expect(errorsOf(schema, value).map((error) => error.pointer)).toEqual(['/4999/on'])
  })

  test('Keys that were sent are cut at 64 characters and their control characters escaped', () => {
    const long = 'k'.repeat(5000)
    const [error, other] = errorsOf({ additionalProperties: false }, { [long]: 1, 'a\n\u202eb': 2 })
    expect(error?.message).toBe(`\`["${'k'.repeat(63)}…"]\` is not a declared property: leave it out.`)
    expect(error?.pointer.length).toBeLessThan(300)
    expect(other?.message).toContain('\\u{202e}')
    expect(other?.message).not.toMatch(/[\n\u202e]/)
  })

  test('Names that every object has by birth are neither taken as given nor as declared', () => {
    expect(messagesOf({ required: ['toString'] }, {})).toEqual(['`toString` is required: add it.'])
    expect(errorsOf({ properties: { a: true }, additionalProperties: false }, { constructor: 1 })).toHaveLength(1)
  })
})

function nested(depth: number): JsonValue {
  let value: JsonValue = { next: 1 }
  for (let level = 1; level < depth; level++) value = { next: value }
  return value
}

function stepsFor(schema: JsonValue, value: JsonValue): number {
  const effort = createEffort(stepsToFind)
  errorsOf(schema, value, { effort })
  return effort.total()
}

function manyKeys(count: number): JsonValue {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`key${index}`, 1]))
}
