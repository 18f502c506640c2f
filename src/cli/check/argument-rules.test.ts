import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../json/value.ts'
import { holdsCode, holdsRequest, holdsSecret } from './argument-rules.ts'

const property = (name: string, schema: JsonObject = { type: 'string' }) => ({
  name,
  pointer: `/properties/${name}`,
  required: true,
  voices: [schema],
})

describe('an argument holds a secret', () => {
  it.each([
    'password',
    'api_key',
    'apiKey',
    'accessToken',
    'token',
    'client_secret',
    'Authorization',
    'card_number',
    'cvv',
    'privateKey',
  ])('when it is called %s', (name) => {
    expect(holdsSecret(property(name))).toBe(true)
  })

  it.each([
    'page_token',
    'nextPageToken',
    'secret_id',
    'secretName',
    'token_count',
    'max_tokens',
    'keyboard',
    'credential_ref',
    'card_type',
  ])('but not when it is called %s', (name) => {
    expect(holdsSecret(property(name))).toBe(false)
  })

  it('not when it is a yes or no, and always when its format is password', () => {
    expect(holdsSecret(property('reset_password', { type: 'boolean' }))).toBe(false)
    expect(holdsSecret(property('pass', { type: 'string', format: 'password' }))).toBe(true)
  })
})

describe('an argument holds code', () => {
  it.each(['sql', 'sql_query', 'rawSql', 'command', 'shell', 'script', 'bash'])('when it is called %s', (name) => {
    expect(holdsCode(property(name))).toBe(true)
  })

  it.each(['country_code', 'code', 'query', 'command_id', 'description'])('but not when it is called %s', (name) => {
    expect(holdsCode(property(name))).toBe(false)
  })

  it('when its description says so', () => {
    expect(holdsCode(property('query', { type: 'string', description: 'A SQL query.' }))).toBe(true)
    expect(holdsCode(property('code', { type: 'string', description: 'Python source code to run.' }))).toBe(true)
    expect(holdsCode(property('query', { type: 'string', description: 'Words to search for.' }))).toBe(false)
  })

  it('not when its values are listed', () => {
    expect(holdsCode(property('command', { enum: ['start', 'stop'] }))).toBe(false)
  })
})

describe('an object holds a whole request', () => {
  it('when it has an address and something to send there', () => {
    expect(holdsRequest({ properties: { url: {}, headers: {} } })).toBe(true)
    expect(holdsRequest({ properties: { callback_url: {}, requestBody: {} } })).toBe(true)
    expect(holdsRequest({ properties: { url: {}, title: {} } })).toBe(false)
    expect(holdsRequest({})).toBe(false)
  })
})
