// Every change of what a request looks like or means is a change of its operation, in any place of the document.
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../json/value.ts'
import { deriveTools } from './derive-tools.ts'

const parts = {
  parameter: { name: 'q', in: 'query', schema: { type: 'array', items: { $ref: '#/components/schemas/Word' } } },
  body: { content: { 'application/json': { schema: { type: 'object' } } } },
  scheme: { type: 'apiKey', in: 'header', name: 'x-key' },
  path: { name: 'trace', in: 'header', schema: { type: 'string' } },
  word: { type: 'string', maxLength: 9 },
  response: { description: 'ok' },
} as const

function documentOf(change: Partial<Record<keyof typeof parts, JsonObject>> = {}, more: JsonObject = {}): JsonObject {
  const { parameter, body, scheme, path, word, response } = { ...parts, ...change }
  return {
    openapi: '3.1.0',
    info: { title: 'Search', version: '1' },
    servers: [{ url: 'https://api.example.com' }],
    security: [{ key: [] }],
    paths: {
      '/search': {
        parameters: [path],
        post: {
          operationId: 'search',
          parameters: [{ $ref: '#/components/parameters/Q' }],
          requestBody: { $ref: '#/components/requestBodies/B' },
          responses: { 200: { $ref: '#/components/responses/R' } },
        },
      },
      '/ping': { get: { operationId: 'ping', security: [], responses: { 200: { description: 'pong' } } } },
    },
    components: {
      parameters: { Q: parameter },
      requestBodies: { B: body },
      responses: { R: response },
      schemas: { Word: word },
      securitySchemes: { key: scheme },
      ...more,
    },
  }
}

function reaches(document: JsonObject): Readonly<Record<string, string>> {
  const derived = deriveTools(document)
  if (!derived.ok) throw new Error(derived.message)
  return Object.fromEntries(derived.tools.map((tool) => [tool.name, tool.reach()]))
}

const before = reaches(documentOf())

describe('everything that an operation refers to', () => {
  it.each<readonly [string, Partial<Record<keyof typeof parts, JsonObject>>]>([
    ['where a shared parameter travels', { parameter: { ...parts.parameter, in: 'header' } }],
    ['how it is written', { parameter: { ...parts.parameter, explode: false } }],
    ['what it may be, two references away', { word: { type: 'string', maxLength: 10 } }],
    ['the media of a shared body', { body: { content: { 'application/x-www-form-urlencoded': {} } } }],
    ['how the caller is known', { scheme: { ...parts.scheme, in: 'query' } }],
    ['a parameter of the whole path', { path: { ...parts.path, in: 'query' } }],
    ['a shared response', { response: { description: 'fine' } }],
  ])('counts: %s', (_what, change) => {
    const after = reaches(documentOf(change))
    expect([after.search === before.search, after.ping === before.ping]).toEqual([false, true])
  })

  const reachOf = (change: JsonObject, path: JsonObject = {}, operation: JsonObject = {}) =>
    reaches({
      openapi: '3.1.0',
      info: { title: 'Search', version: '1' },
      paths: {
        '/search': {
          ...path,
          post: { operationId: 'search', responses: { 200: { description: 'ok' } }, ...operation },
        },
      },
      ...change,
    }).search
  const body = (schema: JsonObject): JsonObject => ({ requestBody: { content: { 'application/json': { schema } } } })

  it.each<readonly [string, (changed: boolean) => string | undefined]>([
    [
      'a server whose host cannot be filled in',
      (changed) => reachOf({ servers: [{ url: `https://{who}.${changed}` }] }),
    ],
    ['a server relative to an address that was not given', (changed) => reachOf({ servers: [{ url: `/${changed}` }] })],
    [
      'a server further down the list',
      (changed) => reachOf({ servers: [{ url: 'https://a' }, { url: `https://${changed}` }] }),
    ],
    [
      'what may stand in the address of a server',
      (changed) =>
        reachOf({
          servers: [{ url: 'https://{who}', variables: { who: { default: 'a', enum: ['a', `${changed}`] } } }],
        }),
    ],
    [
      'the server of the document where the operation names none',
      (changed) => reachOf({ servers: [{ url: `/${changed}` }] }, {}, { servers: [] }),
    ],
    ['words of its path', (changed) => reachOf({}, { description: `${changed}` })],
    [
      'a parameter of its path that stands elsewhere',
      (changed) => reachOf({}, { parameters: [{ $ref: `https://a/${changed}` }] }),
    ],
    ['a parameter of its path that cannot be read', (changed) => reachOf({}, { parameters: [{ name: `${changed}` }] })],
    [
      'a schema by its anchor',
      (changed) =>
        reachOf({ components: { schemas: { M: { $anchor: 'm', const: changed } } } }, {}, body({ $ref: '#m' })),
    ],
    [
      'a schema by its id',
      (changed) =>
        reachOf({ components: { schemas: { M: { $id: 'urn:m', const: changed } } } }, {}, body({ $ref: 'urn:m' })),
    ],
    [
      'a schema by a dynamic reference',
      (changed) =>
        reachOf(
          { components: { schemas: { M: { $dynamicAnchor: 'm', const: changed } } } },
          {},
          body({ $dynamicRef: '#m' }),
        ),
    ],
    [
      'what leads from a schema that has a name',
      (changed) =>
        reachOf(
          { components: { schemas: { M: { $id: 'urn:m', $ref: '#/components/schemas/N' }, N: { const: changed } } } },
          {},
          body({ $ref: 'urn:m' }),
        ),
    ],
    [
      'a schema that a discriminator leads to',
      (changed) =>
        reachOf(
          { components: { schemas: { Cat: { const: changed } } } },
          {},
          body({ discriminator: { propertyName: 'kind', mapping: { cat: '#/components/schemas/Cat' } } }),
        ),
    ],
    [
      'one that it leads to by name',
      (changed) =>
        reachOf(
          { components: { schemas: { Cat: { const: changed } } } },
          {},
          body({ discriminator: { propertyName: 'kind', mapping: { cat: 'Cat' } } }),
        ),
    ],
    ['how schemas are read', (changed) => reachOf({ jsonSchemaDialect: `urn:${changed}` })],
  ])('counts whether or not it can be read: %s [any-change-quarantines]', (_what, reach) => {
    expect(reach(true)).not.toBe(reach(false))
    expect(reach(true)).toBe(reach(true))
  })

  it('leaves out servers of the document where the operation has its own', () => {
    const own = { servers: [{ url: 'https://own.example.com' }] }
    expect(reachOf({ servers: [{ url: '/a' }] }, {}, own)).toBe(reachOf({ servers: [{ url: '/b' }] }, {}, own))
  })

  it('counts once, and nothing that it does not refer to', () => {
    expect(reaches(documentOf())).toEqual(before)
    const others = { examples: { E: { value: 1 } }, headers: { H: { description: 'x', schema: { type: 'string' } } } }
    expect(reaches(documentOf({}, others))).toEqual(before)
  })

  it('ends where schemas refer to each other, and where a reference leads nowhere', () => {
    const word = { anyOf: [{ $ref: '#/components/schemas/Word' }, { $ref: '#/components/schemas/None' }] }
    expect(reaches(documentOf({ word })).search).not.toBe(before.search)
  })

  it('includes the media of a whole document of 2.0', () => {
    const old = (consumes: readonly string[]): JsonObject => ({
      swagger: '2.0',
      info: { title: 'Old', version: '1' },
      host: 'api.example.com',
      consumes,
      paths: { '/a': { post: { operationId: 'a', responses: { 200: { description: 'ok' } } } } },
    })
    expect(reaches(old(['application/json'])).a).not.toBe(reaches(old(['multipart/form-data'])).a)
  })
})
