import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../json/value.ts'
import { headersFor, readParamHeaders } from './param-headers.ts'

const schema = (properties: JsonObject): JsonObject => ({ type: 'object', properties })
const headersOf = (inputSchema: JsonObject, args: JsonObject) => {
  const read = readParamHeaders(inputSchema)
  return read.ok ? headersFor(read.arguments, args) : read.reason
}
const text = { type: 'string', 'x-mcp-header': 'Text' }

describe('an argument that is mirrored into a header', () => {
  it.each([
    ['us-west1', 'us-west1'],
    ['us west 1', 'us west 1'],
    ['a\tb', 'a\tb'],
    ['', '=?base64??='],
    [' padded ', '=?base64?IHBhZGRlZCA=?='],
    ['\tindented', '=?base64?CWluZGVudGVk?='],
    ['line1\r\nMcp-Name: other', '=?base64?bGluZTENCk1jcC1OYW1lOiBvdGhlcg==?='],
    ['Hello, 世界', '=?base64?SGVsbG8sIOS4lueVjA==?='],
    ['=?base64?literal?=', '=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?='],
  ])('is written as the protocol says: %j', (value, line) => {
    expect(headersOf(schema({ text }), { text: value })).toEqual({ 'Mcp-Param-Text': line })
  })

  it('is an integer, a yes or a no as well, at any depth, and absent where there is no value', () => {
    const deep = schema({
      size: { type: 'integer', 'x-mcp-header': 'Size' },
      inner: schema({ sure: { type: 'boolean', 'x-mcp-header': 'Sure' } }),
      text,
    })
    expect(headersOf(deep, { size: -7, inner: { sure: false }, text: null })).toEqual({
      'Mcp-Param-Size': '-7',
      'Mcp-Param-Sure': 'false',
    })
    expect(headersOf(deep, { inner: [] })).toEqual({})
    expect(headersOf(schema({ toString: text }), {})).toEqual({})
  })
})

describe('a schema that names headers wrongly', () => {
  it.each<[string, JsonObject]>([
    ['an empty name', schema({ a: { type: 'string', 'x-mcp-header': '' } })],
    ['a name with a line break', schema({ a: { type: 'string', 'x-mcp-header': 'A\r\nB' } })],
    ['a name with a blank', schema({ a: { type: 'string', 'x-mcp-header': 'A B' } })],
    ['a name that is no text', schema({ a: { type: 'string', 'x-mcp-header': 7 } })],
    ['the same name twice', schema({ a: text, b: { type: 'string', 'x-mcp-header': 'TEXT' } })],
    ['an object', schema({ a: { type: 'object', 'x-mcp-header': 'A' } })],
    ['a number', schema({ a: { type: 'number', 'x-mcp-header': 'A' } })],
    ['no type', schema({ a: { 'x-mcp-header': 'A' } })],
    ['the root', { ...schema({}), 'x-mcp-header': 'A' }],
    ['an item of a list', schema({ a: { type: 'array', items: text } })],
    ['a part of a choice', { anyOf: [schema({ text })] }],
    ['a definition', { $defs: { text } }],
    ['what a pattern names', { patternProperties: { '^a': text } }],
    ['a part of a part of a choice', schema({ a: { oneOf: [schema({ b: schema({ text }) })] } })],
  ])('makes a tool that is not called: %s', (_what, inputSchema) => {
    expect(readParamHeaders(inputSchema)).toMatchObject({ ok: false })
  })

  it('is searched no further than its bound, and not beyond the stack', () => {
    const wide = schema(Object.fromEntries(Array.from({ length: 100_001 }, (_, at) => [`p${at}`, { type: 'string' }])))
    expect(readParamHeaders(wide)).toMatchObject({ ok: false })
    let deep: JsonObject = text
    for (let at = 0; at < 50_000; at++) deep = { not: deep }
    expect(readParamHeaders(schema({ deep }))).toMatchObject({ ok: false })
  })
})
