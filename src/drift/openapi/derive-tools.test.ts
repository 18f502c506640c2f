import { describe, expect, it, test } from 'vitest'
import type { JsonObject, JsonValue } from '../../json/value.ts'
import { preprocess } from '../../schema/preprocess.ts'
import { compileValidator } from '../../schema/validator.ts'
import { type DerivedTool, deriveTools } from './derive-tools.ts'

function toolsOf(document: JsonObject): readonly DerivedTool[] {
  const derivation = deriveTools(document)
  if (!derivation.ok) throw new Error(derivation.message)
  return derivation.tools
}

const modern = (operation: JsonObject, more: JsonObject = {}, path = '/things/{id}', method = 'post'): JsonObject => ({
  openapi: '3.0.3',
  info: { title: 'Things', version: '1.0.0' },
  servers: [{ url: 'https://{region}.example.com/v1/', variables: { region: { default: 'eu' } } }],
  paths: { [path]: { [method]: operation } },
  ...more,
})
const one = (document: JsonObject): DerivedTool => toolsOf(document)[0] as DerivedTool
const id = { name: 'id', in: 'path', required: true, schema: { type: 'string' } } as const
const jsonBody = (schema: JsonValue, required = true): JsonObject => ({
  required,
  content: { 'application/json': { schema } },
})

function takes(schema: JsonObject | undefined, value: JsonValue): boolean {
  const read = preprocess(schema ?? true, { formats: 'annotate' })
  if (!read.ok) throw new Error(read.refusals[0]?.message)
  return compileValidator(read.schema).matches(value)
}

describe('an operation becomes a tool', () => {
  it('with closed arguments from path, query, header and body, and a request for the http executor [operations-become-tools]', () => {
    const tool = one(
      modern({
        operationId: 'updateThing',
        parameters: [
          id,
          { name: 'tags', in: 'query', schema: { type: 'array', items: { type: 'string' } } },
          { name: 'X-Trace', in: 'header', schema: { type: 'string' } },
          { name: 'Authorization', in: 'header', schema: { type: 'string' } },
        ],
        requestBody: jsonBody({ type: 'object', properties: { name: { type: 'string' } }, required: ['name'] }),
        responses: { 200: { description: 'ok' } },
      }),
    )
    expect(tool.name).toBe('updateThing')
    expect(tool.suggestedEffect).toBe('MEDIUM_RISK_WRITE')
    expect(takes(tool.input, { id: 'a', body: { name: 'x' } })).toBe(true)
    expect(takes(tool.input, { id: 'a', body: {} })).toBe(false)
    expect(takes(tool.input, { id: 'a', body: { name: 'x' }, Authorization: 'x' })).toBe(false)
    expect(tool.plan?.executor).toEqual({
      kind: 'http',
      method: 'POST',
      url: 'https://eu.example.com/v1/things/{id}',
      query: { tags: '{tags}' },
      headers: { 'X-Trace': '{X-Trace}' },
      json: '{body}',
    })
  })

  it('with names told apart by their place where they meet', () => {
    const tool = one(
      modern({
        parameters: [
          { name: 'id', in: 'query', schema: { type: 'integer' } },
          id,
          { name: 'body', in: 'query', schema: { type: 'string' } },
        ],
        requestBody: jsonBody({ type: 'object' }),
      }),
    )
    expect(Object.keys(tool.input.properties as JsonObject)).toEqual(['id', 'id_query', 'body', 'body_body'])
    expect(tool.plan?.executor).toMatchObject({ query: { id: '{id_query}', body: '{body}' }, json: '{body_body}' })
  })

  it('with what only the server sets left out of the arguments, and what is only sent left out of the result', () => {
    const thing = {
      type: 'object',
      required: ['id', 'secret', 'name'],
      additionalProperties: false,
      properties: {
        id: { type: 'string', readOnly: true },
        secret: { type: 'string', writeOnly: true },
        name: { type: 'string' },
      },
    } as const
    const whole = { allOf: [{ $ref: '#/components/schemas/Base' }, { required: ['made'] }] }
    const base = { type: 'object', properties: { made: { type: 'string', readOnly: true } } }
    const tool = one(
      modern(
        {
          parameters: [id],
          requestBody: jsonBody({
            type: 'object',
            properties: { thing: { $ref: '#/components/schemas/Thing' }, whole },
          }),
          responses: { 200: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } } } },
        },
        { components: { schemas: { Thing: thing, Base: base } } },
      ),
    )
    expect(takes(tool.input, { id: 'a', body: { thing: { secret: 's', name: 'n' }, whole: {} } })).toBe(true)
    expect(takes(tool.input, { id: 'a', body: { thing: { id: 'i', secret: 's', name: 'n' } } })).toBe(false)
    expect(takes(tool.output, { id: 'i', name: 'n' })).toBe(true)
    expect(takes(tool.output, { id: 'i', name: 'n', secret: 's' })).toBe(false)
  })

  it('with the words of OpenAPI 3.0 in those of 2020-12', () => {
    const schema = {
      type: 'object',
      properties: {
        a: { type: 'string', nullable: true, example: 'x' },
        b: { type: 'number', minimum: 0, exclusiveMinimum: true },
        c: { $ref: '#/components/schemas/Text', maxLength: 1 },
      },
    } as const
    const tool = one(
      modern(
        { parameters: [id], requestBody: jsonBody(schema) },
        { components: { schemas: { Text: { type: 'string' } } } },
      ),
    )
    const body = (value: JsonValue): boolean => takes(tool.input, { id: 'a', body: value })
    expect([body({ a: null }), body({ b: 0 }), body({ b: 1 }), body({ c: 'long' })]).toEqual([true, false, true, true])
    expect(JSON.stringify(tool.input)).toContain('"examples":["x"]')
  })

  it('with the words of OpenAPI 3.1 as they are', () => {
    const schema = { type: ['object', 'null'], properties: { c: { $ref: '#/components/schemas/Text', maxLength: 1 } } }
    const tool = one(
      modern(
        { parameters: [id], requestBody: jsonBody(schema) },
        { openapi: '3.1.0', components: { schemas: { Text: { type: 'string' } } } },
      ),
    )
    expect(takes(tool.input, { id: 'a', body: null })).toBe(true)
    expect(takes(tool.input, { id: 'a', body: { c: 'long' } })).toBe(false)
  })

  it('from Swagger 2.0 with forms, base path and definitions', () => {
    const document: JsonObject = {
      swagger: '2.0',
      info: { title: 'Old', version: '1' },
      host: 'old.example',
      basePath: '/api',
      schemes: ['http', 'https'],
      definitions: { Pet: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } } },
      paths: {
        '/pets': {
          post: {
            consumes: ['application/x-www-form-urlencoded'],
            parameters: [{ name: 'name', in: 'formData', type: 'string', required: true }],
            responses: { 200: { schema: { $ref: '#/definitions/Pet' } }, 400: {} },
          },
          get: { parameters: [{ name: 'ids', in: 'query', type: 'array', items: { type: 'string' } }], responses: {} },
        },
      },
    }
    const [get, post] = toolsOf(document)
    expect(post?.plan?.executor).toMatchObject({ url: 'https://old.example/api/pets', form: { name: '{/body/name}' } })
    expect(takes(post?.output, {})).toBe(false)
    expect(post?.errors).toEqual(['400'])
    expect(get?.plan?.withheld).toEqual([{ argument: 'ids', gap: expect.objectContaining({ construct: 'query' }) }])
  })

  it('with credentials where the security scheme puts them', () => {
    const tool = one(
      modern(
        { parameters: [id], security: [{ key: [] }, { login: ['write'] }] },
        {
          components: {
            securitySchemes: {
              key: { type: 'apiKey', in: 'cookie', name: 'sid' },
              login: { type: 'oauth2', flows: {} },
            },
          },
        },
      ),
    )
    expect(tool.plan?.executor.headers).toEqual({ authorization: 'Bearer {credential:login}' })
    expect(tool.scopes).toEqual([['key'], ['login:write']])
  })

  it('with the result of every success, and nothing said where one is not described', () => {
    const content = (type: string) => ({ content: { 'application/json': { schema: { type } } } })
    const output = (responses: JsonObject) => one(modern({ parameters: [id], responses })).output
    expect(output({ 200: content('string'), 201: content('integer') })).toEqual({
      anyOf: [{ type: 'string' }, { type: 'integer' }],
    })
    expect(output({ 200: content('string'), 202: { description: 'later' } })).toBeUndefined()
    expect(output({ 204: { description: 'gone' } })).toEqual({ type: 'null' })
    expect(output({ default: content('string') })).toBeUndefined()
  })
})

describe('a request', () => {
  const query = (name: string, more: JsonObject = {}): JsonObject => ({
    name,
    in: 'query',
    schema: { type: 'string' },
    ...more,
  })
  const header = (name: string): JsonObject => ({ name, in: 'header', schema: { type: 'string' } })

  test.each<[string, JsonObject]>([
    ['a cookie', { name: 'sid', in: 'cookie', schema: { type: 'string' } }],
    ['a header that frames the request', header('Content-Length')],
    ['a header that says who calls', header('Origin')],
    ['a header without a name', header('')],
    ['an object in the query', query('filter', { schema: { type: 'object' } })],
    ['a list joined by commas', query('ids', { explode: false, schema: { type: 'array' } })],
    ['a parameter that is a document', { name: 'q', in: 'query', content: { 'application/json': { schema: {} } } }],
    ['a name with braces', query('a{b}')],
  ])('is not planned with %s that is required, and does not offer it where it is not', (_what, parameter) => {
    const place = { pointer: '/paths/~1things~1{id}/post/parameters/1' }
    const tool = one(modern({ parameters: [id, { ...parameter, required: true }] }))
    expect(tool.plan).toBeUndefined()
    expect(tool.unsent).toEqual([expect.objectContaining(place)])
    const { plan } = one(modern({ parameters: [id, parameter] }))
    expect(plan?.withheld).toEqual([{ argument: parameter.name, gap: expect.objectContaining(place) }])
    expect(Object.keys(plan?.input.properties as JsonObject)).toEqual(['id'])
  })

  test.each<[string, JsonObject]>([
    ['a parameter that cannot be read', { parameters: [id, { $ref: 'other.yaml#/q' }] }],
    ['a parameter in a place of another version', { parameters: [id, { name: 'f', in: 'formData', type: 'string' }] }],
    ['a body that cannot be read', { parameters: [id], requestBody: { $ref: 'other.yaml#/b' } }],
    ['a body without a media type', { parameters: [id], requestBody: { required: true, content: {} } }],
  ])('is not planned with %s', (_what, operation) => {
    const tool = one(modern(operation))
    expect(tool.plan).toBeUndefined()
    expect(tool.unsent).toHaveLength(1)
    expect(tool.gaps).toEqual(tool.unsent)
  })

  it('is not planned behind a host that its path would change', () => {
    const tool = one(
      modern({ parameters: [id] }, { servers: [{ url: 'https://api.example.com' }] }, '@evil.example/{id}'),
    )
    expect(tool.unsent).toEqual([expect.objectContaining({ construct: 'path' })])
  })

  it('does not offer an argument where a credential stands', () => {
    const components = { securitySchemes: { key: { type: 'apiKey', in: 'query', name: 'key' } } }
    const document = (more: JsonObject) =>
      one(modern({ parameters: [id, query('key', more)], security: [{ key: [] }] }, { components }))
    expect(document({}).plan?.withheld).toMatchObject([{ argument: 'key' }])
    expect(document({ required: true }).plan).toBeUndefined()
  })

  it('is not planned where the path names a parameter that is not described, and where no server is named', () => {
    expect(one(modern({})).unsent).toEqual([expect.objectContaining({ construct: 'path' })])
    expect(one(modern({ parameters: [id] }, { servers: [{ url: '/v1' }] })).unsent).toEqual([
      expect.objectContaining({ construct: 'servers' }),
    ])
  })

  it('names awkward arguments by their pointers', () => {
    expect(one(modern({ parameters: [id, query('page/size')] })).plan?.executor.query).toEqual({
      'page/size': '{/page~1size}',
    })
  })
})

describe('names', () => {
  it('are made valid, and told apart by their request and not by their order', () => {
    const operations = { 'a/b': '/x', a_b: '/y', 'a b': '/z' } as const
    const documents = [Object.entries(operations), Object.entries(operations).toReversed()].map((entries) => ({
      openapi: '3.0.0',
      paths: Object.fromEntries(entries.map(([operationId, path]) => [path, { get: { operationId } }])),
    }))
    const [first, second] = documents.map(
      (document) => new Map(toolsOf(document).map((tool) => [tool.request.path, tool.name])),
    )
    expect(first?.get('/y')).toBe('a_b')
    expect(first?.get('/x')).toMatch(/^a_b_[0-9a-f]{8}$/)
    expect(new Set(first?.values()).size).toBe(3)
    expect(new Map([...(second ?? [])].toReversed())).toEqual(first)
  })

  test.each(['__proto__', '', 'ü'.repeat(500), '../../etc', 'x'.repeat(300)])(
    'are plain for the id %j',
    (operationId) => {
      const tool = one(modern({ operationId, parameters: [id] }))
      expect(tool.name).toMatch(/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/)
    },
  )
})

describe('a document that is hostile or broken', () => {
  it('never takes the other operations with it', () => {
    const tools = toolsOf({
      openapi: '3.0.0',
      paths: {
        '/a': { get: { parameters: [{ $ref: 'https://elsewhere.example/p.json' }, 3, { name: 'x' }] } },
        '/b': { $ref: '#/paths/~1b' },
        '/c': { get: { responses: { 200: { content: { 'application/json': { schema: { $ref: '#/nowhere' } } } } } } },
        '/d': { get: { operationId: 'fine' } },
      },
    })
    expect(tools.map(({ request }) => request.path)).toEqual(['/a', '/c', '/d'])
    expect(tools[0]?.gaps).toHaveLength(3)
    expect(tools[1]?.gaps).toEqual([expect.objectContaining({ construct: '$ref' })])
    expect(tools[2]?.gaps).toEqual([])
  })

  it('is refused when it is too deep, and ends when its schemas lead in circles', () => {
    let deep: JsonValue = {}
    for (let level = 0; level < 600; level++) deep = { a: deep }
    expect(deriveTools({ openapi: '3.0.0', paths: {}, deep })).toMatchObject({ ok: false })
    const circle = { Node: { type: 'object', properties: { next: { $ref: '#/components/schemas/Node' } } } }
    const tool = one(
      modern(
        { parameters: [id], requestBody: jsonBody({ $ref: '#/components/schemas/Node' }) },
        { components: { schemas: circle } },
      ),
    )
    expect(takes(tool.input, { id: 'a', body: { next: { next: {} } } })).toBe(true)
    expect(takes(tool.input, { id: 'a', body: { next: { next: 1 } } })).toBe(false)
  })

  test.each(['\ud800', '#/%zz', '#/~2', '#', '#/paths', 'other.yaml#/a'])(
    'names the reference %j, and goes on',
    (reference) => {
      const tool = one(modern({ parameters: [id], requestBody: jsonBody({ properties: { a: { $ref: reference } } }) }))
      expect(tool.name).toMatch(/^post_things/)
    },
  )

  it('keeps the names of the prototype as plain names', () => {
    const properties = JSON.parse('{"__proto__":{"type":"string"},"constructor":{"type":"integer"}}') as JsonObject
    const tool = one(modern({ parameters: [id], requestBody: jsonBody({ type: 'object', properties }) }))
    expect(takes(tool.input, { id: 'a', body: JSON.parse('{"__proto__":1}') as JsonValue })).toBe(false)
    expect(takes(tool.input, { id: 'a', body: { constructor: 1 } })).toBe(true)
  })
})

describe('a hostile document', () => {
  it('ends where parts of a whole lead back to it on countless ways', () => {
    const whole = { $ref: '#/components/schemas/Whole' }
    const components = { schemas: { Whole: { allOf: Array.from({ length: 12 }, () => whole) } } }
    expect(one(modern({ parameters: [id], requestBody: jsonBody(whole) }, { components })).gaps).toEqual([])
  })

  it('names every reference that leads nowhere, however many they are', () => {
    const properties = Object.fromEntries(Array.from({ length: 150_000 }, (_, index) => [`p${index}`, { $ref: 'x' }]))
    expect(one(modern({ parameters: [id], requestBody: jsonBody({ properties }) })).gaps).toHaveLength(150_000)
  })
})

describe('a name', () => {
  const named = (ids: Readonly<Record<string, string>>) =>
    toolsOf({
      openapi: '3.1.0',
      info: { title: 'Names', version: '1' },
      paths: Object.fromEntries(Object.entries(ids).map(([path, operationId]) => [path, { get: { operationId } }])),
    }).map(({ name }) => name)

  it('is never that of another operation, also where an id was chosen to read like one', () => {
    const [first = '', second = ''] = named({ '/a': 'x', '/b': 'x' })
    expect(first).not.toBe(second)
    const three = named({ '/a': 'x', '/b': 'x', '/c': first })
    expect(new Set(three).size).toBe(3)
    expect(three[1]).toBe(second)
    expect(named({ '/c': first, '/b': 'x', '/a': 'x' }).toSorted()).toEqual(three.toSorted())
  })

  it('of a definition does not change with operations that have nothing to do with it [any-change-quarantines]', () => {
    const at = (part: string) => `#/components/responses/${part}/content/application~1json/schema`
    const content = (schema: JsonObject): JsonObject => ({
      description: 'ok',
      content: { 'application/json': { schema } },
    })
    const of = (...parts: readonly string[]) =>
      toolsOf({
        openapi: '3.1.0',
        info: { title: 'Names', version: '1' },
        paths: Object.fromEntries(
          parts.map((part) => [
            `/${part}`,
            { get: { operationId: part, responses: { 200: content({ $ref: at(part) }) } } },
          ]),
        ),
        components: { responses: { A: content({ type: 'string' }), B: content({ type: 'number' }) } },
      }).find(({ name }) => name === 'B')?.output
    expect(of('B')).toEqual(of('A', 'B'))
    expect(takes(of('A', 'B'), 1)).toBe(true)
  })

  it('of an address elsewhere is told without what could be secret', () => {
    const tool = one(modern({ parameters: [{ $ref: 'https://ann:secret-1@docs.example.com/a.json?key=secret-2#/p' }] }))
    expect(tool.unread[0]?.message).toContain('"https://docs.example.com/a.json#/p"')
    expect(JSON.stringify(tool.unread)).not.toContain('secret')
  })
})
