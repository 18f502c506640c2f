import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { epochMs } from '../../json/clock.ts'
import { compareDecimals, decimalOf } from '../../json/decimal.ts'
import type { JsonObject, JsonValue } from '../../json/value.ts'
import { preprocess } from '../../schema/preprocess.ts'
import { compileValidator } from '../../schema/validator.ts'
import { describeGrant, multiplyDecimals, printDecimal } from './describe-grant.ts'
import { type GrantedCall, matchesGrant, matchGrant } from './find-grant.ts'
import type { Grant } from './grant.ts'
import { grantClaims } from './grant-claims.ts'
import { isAlwaysGiven } from './input-fields.ts'
import { type GrantTarget, grantSchema, proveNarrower } from './prove-narrower.ts'
import { readGrant, writeGrant } from './read-grant.ts'

const now = epochMs(Date.UTC(2026, 0, 1))
const fields: JsonObject = {
  '/amount': { min: 1, max: 500 },
  '/currency': { const: 'EUR' },
  '/customer_id': { any: true },
  '/speed': { enum: ['slow', 'fast'] },
  '/note': { absent: true },
}
const written: JsonObject = {
  tenant: 'acme',
  tool: 'refund',
  contract_hash: 'ab'.repeat(32),
  principal: { user: 'ann', agent: 'bot' },
  fields,
  amount: '/amount',
  limits: { count: 20, total_amount: 5_000, expires_at: '2026-01-08T00:00:00.000Z' },
  untrusted_runs: false,
}
const read = (changes: JsonObject = {}): Grant => {
  const reading = readGrant({ ...written, ...changes }, now)
  if (!reading.ok) throw new Error(JSON.stringify(reading.problems))
  return reading.grant
}
const problemsOf = (value: JsonValue) => {
  const reading = readGrant(value, now)
  return reading.ok ? [] : reading.problems.map(({ pointer }) => pointer)
}
const schema: JsonObject = {
  type: 'object',
  additionalProperties: false,
  required: ['amount', 'currency', 'customer_id'],
  properties: {
    amount: { type: 'integer', minimum: 0, maximum: 1_000 },
    currency: { enum: ['EUR', 'USD'] },
    customer_id: { type: 'string', pattern: '^cus_[0-9a-z]+$' },
    speed: { type: 'string' },
    note: { type: 'string', maxLength: 200 },
  },
}
const targetOf = (document: JsonObject, more: Partial<GrantTarget> = { amount: '/amount' }): GrantTarget => {
  const reading = preprocess(document)
  if (!reading.ok) throw new Error(JSON.stringify(reading.refusals))
  return { input: reading.schema, ...more }
}
const proofOf = (grant: Grant, target: GrantTarget = targetOf(schema)) => {
  const proof = proveNarrower(grant, target)
  return proof.ok ? 'proven' : proof.problems.map(({ pointer, message }) => `${pointer} ${message}`).join('\n')
}
const input: JsonObject = { amount: 20, currency: 'EUR', customer_id: 'cus_1', speed: 'fast' }

describe('reading a grant', () => {
  it('gives back what was written', () => {
    expect(writeGrant(read())).toEqual(written)
    expect(read({ principal: { user: 'ann', agent: null } }).agent).toBeUndefined()
  })

  it.each<[string, JsonObject]>([
    ['/tenant', { tenant: '' }],
    ['/tool', { tool: 7 }],
    ['/contract_hash', { contract_hash: 'AB'.repeat(32) }],
    ['/principal', { principal: 'ann' }],
    ['/principal/user', { principal: { agent: 'bot' } }],
    ['/principal/agent', { principal: { user: 'ann', agent: '' } }],
    ['/principal/role', { principal: { user: 'ann', agent: 'bot', role: 'x' } }],
    ['/fields', { fields: [] }],
    ['/fields/amount', { fields: { amount: { any: true } } }],
    ['/fields/~1a', { fields: { '/a': {} } }],
    ['/fields/~1a', { fields: { '/a': true } }],
    ['/fields/~1a', { fields: { '/a': { any: false } } }],
    ['/fields/~1a', { fields: { '/a': { min: 1 } } }],
    ['/fields/~1a', { fields: { '/a': { min: 1, max: 0 } } }],
    ['/fields/~1a', { fields: { '/a': { min: '1', max: '2' } } }],
    ['/fields/~1a', { fields: { '/a': { min: 1, max: 2, any: true } } }],
    ['/fields/~1a', { fields: { '/a': { enum: [] } } }],
    ['/fields/~1a', { fields: { '/a': { enum: [1, { a: 1 }, { a: 1 }] } } }],
    ['/fields/~1a', { fields: { '/a': { pattern: '.*' } } }],
    ['/fields/~1a~1b', { fields: { '/a': { any: true }, '/a/b': { any: true } } }],
    ['/amount', { amount: 'amount' }],
    ['/limits/count', { limits: { expires_at: '2026-01-02T00:00:00Z' } }],
    ['/limits/count', { limits: { count: 0, expires_at: '2026-01-02T00:00:00Z' } }],
    ['/limits/count', { limits: { count: 1.5, expires_at: '2026-01-02T00:00:00Z' } }],
    ['/limits/total_amount', { limits: { count: 1, total_amount: -5, expires_at: '2026-01-02T00:00:00Z' } }],
    ['/limits/expires_at', { limits: { count: 1 } }],
    ['/limits/expires_at', { limits: { count: 1, expires_at: 'tomorrow' } }],
    ['/limits/expires_at', { limits: { count: 1, expires_at: '2026' } }],
    ['/limits/expires_at', { limits: { count: 1, expires_at: '2026-01-01T00:00:00Z' } }],
    ['/limits/expires_at', { limits: { count: 1, expires_at: '2026-04-01T00:00:01Z' } }],
    ['/untrusted_runs', { untrusted_runs: 'no' }],
    ['/forever', { forever: true }],
  ])('names %s for %j', (pointer, change) => {
    expect(problemsOf({ ...written, ...change })).toContain(pointer)
  })

  it('names everything at once, and takes nothing that is no object', () => {
    expect(problemsOf({}).length).toBeGreaterThan(5)
    for (const value of [null, [], 'x', 1]) expect(problemsOf(value)).toContain('')
    fc.assert(fc.property(fc.jsonValue(), (value) => !readGrant(value as JsonValue, now).ok))
  })
})

describe('proving a grant narrower than the input', () => {
  it('is done by the prover', () => {
    expect(proofOf(read())).toBe('proven')
  })

  it.each<[string, JsonObject]>([
    ['/fields Say what /note may be', { '/note': null }],
    ['/fields/~1other The input declares no such field', { '/other': { any: true } }],
    ['/fields/~1amount 1001 would not be taken by the input', { '/amount': { min: 1, max: 1_001 } }],
    ['/fields/~1amount 0.5 would not be taken by the input', { '/amount': { min: 0.5, max: 1 } }],
    ['/fields/~1amount An amount is granted as const, enum or min and max', { '/amount': { any: true } }],
    ['/fields/~1amount -5 would not', { '/amount': { min: -5, max: 1 } }],
    ['/fields/~1amount An amount is granted', { '/amount': { enum: [5, -1_000_000_000] } }],
    ['/fields/~1amount An amount is granted', { '/amount': { absent: true } }],
    ['/fields/~1currency The currency of an amount is one value', { '/currency': { enum: ['EUR', 'USD'] } }],
    ['/fields/~1currency The currency of an amount is one value', { '/currency': { any: true } }],
    ['/fields It would grant', { '/currency': { const: 'GBP' } }],
    ['/fields It would grant', { '/customer_id': { enum: ['cus_1', 'unknown'] } }],
    ['/fields It would grant', { '/customer_id': { absent: true } }],
  ])('refuses: %s', (message, change) => {
    const changed = Object.fromEntries(Object.entries({ ...fields, ...change }).filter(([, rule]) => rule !== null))
    expect(proofOf(read({ fields: changed }))).toContain(message)
  })

  it('wants a total where an amount moves, and none where none does', () => {
    const limits = { count: 1, expires_at: '2026-01-02T00:00:00Z' }
    expect(proofOf(read({ limits }))).toContain('/limits/total_amount The tool moves an amount')
    expect(proofOf(read(), targetOf(schema, {}))).toContain('/amount The tool moves no amount')
    const { amount: _amount, ...rest } = written
    const reading = readGrant(rest, now)
    if (!reading.ok) throw new Error('this grant can be read')
    expect(proofOf(reading.grant, targetOf(schema, {}))).toContain('/limits/total_amount The tool moves no amount')
    expect(proofOf(reading.grant)).toContain('/amount The tool says that it is /amount')
  })

  it('wants the parts of a nested input named one by one', () => {
    const nested: JsonObject = {
      type: 'object',
      additionalProperties: false,
      required: ['to'],
      properties: {
        to: {
          type: 'object',
          additionalProperties: false,
          required: ['id'],
          properties: { id: { type: 'string' }, name: { type: 'string' } },
        },
        tags: { type: 'array', items: { type: 'string' } },
        rows: { type: 'array', items: { type: 'object' } },
        data: {},
      },
    }
    const limits = { count: 1, expires_at: '2026-01-02T00:00:00Z' }
    const { amount: _amount, ...rest } = written
    const prove = (rules: JsonObject) => {
      const reading = readGrant({ ...rest, limits, fields: rules }, now)
      if (!reading.ok) throw new Error(JSON.stringify(reading.problems))
      return proofOf(reading.grant, targetOf(nested, {}))
    }
    const leaves = { '/to/id': { any: true }, '/to/name': { absent: true } }
    const others = { '/tags': { any: true }, '/rows': { const: [{ a: 1 }] }, '/data': { absent: true } }
    expect(prove({ ...leaves, ...others })).toBe('proven')
    expect(prove({ '/to': { const: { id: 'a' } }, ...others })).toBe('proven')
    expect(prove({ '/to': { any: true }, ...others })).toContain('/fields/~1to It may hold further fields')
    expect(prove({ '/to/id': { any: true }, ...others })).toContain('Say what /to/name may be')
    expect(prove({ ...leaves, ...others, '/rows': { any: true } })).toContain('/fields/~1rows It may hold further')
    expect(prove({ ...leaves, ...others, '/data': { any: true } })).toContain('/fields/~1data It may hold further')
    expect(
      prove({ ...leaves, '/tags/0': { any: true }, '/rows': { absent: true }, '/data': { absent: true } }),
    ).toContain('/fields/~1tags~10 The input declares no such field')
  })

  it('sees through references, allOf and alternatives', () => {
    const union: JsonObject = {
      $defs: { id: { type: 'string', minLength: 1 } },
      allOf: [{ type: 'object', properties: { kind: { enum: ['card', 'cash'] } }, required: ['kind'] }],
      oneOf: [
        { properties: { kind: { const: 'card' }, card: { $ref: '#/$defs/id' } }, required: ['card'] },
        { properties: { kind: { const: 'cash' } } },
      ],
      unevaluatedProperties: false,
    }
    const { amount: _amount, ...rest } = written
    const limits = { count: 1, expires_at: '2026-01-02T00:00:00Z' }
    const prove = (rules: JsonObject) => {
      const reading = readGrant({ ...rest, limits, fields: rules }, now)
      if (!reading.ok) throw new Error(JSON.stringify(reading.problems))
      return proofOf(reading.grant, targetOf(union, {}))
    }
    expect(prove({ '/kind': { const: 'card' }, '/card': { any: true } })).toBe('proven')
    expect(prove({ '/kind': { const: 'cash' }, '/card': { absent: true } })).toBe('proven')
    expect(prove({ '/kind': { const: 'card' }, '/card': { absent: true } })).toContain('It would grant')
    expect(prove({ '/kind': { const: 'card' } })).toContain('Say what /card may be')
  })
})

describe('matching a call', () => {
  const grant = read()
  const call: GrantedCall = {
    tenant: 'acme',
    tool: 'refund',
    contractHash: 'ab'.repeat(32),
    user: 'ann',
    agent: 'bot',
    untrusted: false,
    input,
  }

  it('gives the amount of a call that is covered', () => {
    expect(matchGrant(grant, call, now)).toEqual({ ok: true, amount: 20 })
  })

  it.each<[string, Partial<GrantedCall>]>([
    ['other_tenant', { tenant: 'globex' }],
    ['other_tool', { tool: 'refund_v2' }],
    ['other_contract', { contractHash: 'ac'.repeat(32) }],
    ['other_user', { user: 'bob' }],
    ['other_user', { user: undefined }],
    ['other_agent', { agent: undefined }],
    ['untrusted_run', { untrusted: true }],
    ['other_arguments', { input: { ...input, amount: -1_000_000_000 } }],
    ['other_arguments', { input: { ...input, amount: 500.000001 } }],
    ['other_arguments', { input: { ...input, amount: '20' } }],
    ['other_arguments', { input: { ...input, currency: 'eur' } }],
    ['other_arguments', { input: { ...input, note: '' } }],
    ['other_arguments', { input: { ...input, approved: true } }],
    ['other_arguments', { input: { ...input, speed: null } }],
    ['other_arguments', { input: { amount: 20, currency: 'EUR', customer_id: 'cus_1' } }],
    ['other_arguments', { input: {} }],
  ])('is refused as %s for %j', (reason, change) => {
    expect(matchGrant(grant, { ...call, ...change }, now)).toEqual({ ok: false, reason })
  })

  it('ends with the grant, and takes untrusted runs only where it says so', () => {
    expect(matchGrant(grant, call, grant.limits.expiresAt)).toEqual({ ok: false, reason: 'expired' })
    expect(matchGrant(read({ untrusted_runs: true }), { ...call, untrusted: true }, now).ok).toBe(true)
  })

  it('never takes an amount below zero, also where the rules would', () => {
    const careless = read({ fields: { ...fields, '/amount': { min: -10, max: 10 } } })
    expect(matchesGrant(careless, { ...input, amount: -1 })).toBe(false)
    expect(matchesGrant(careless, { ...input, amount: 0 })).toBe(true)
  })

  it('says the same as the schema of the grant', () => {
    const leaf = fc.oneof(
      fc.constantFrom<JsonValue>(null, true, 'a', 'b', 1, 2.5, -3),
      fc.constant<JsonValue>({ z: [1] }),
    )
    const rule = fc.oneof(
      leaf.map((value): JsonObject => ({ const: value })),
      fc
        .uniqueArray(leaf, { minLength: 1, maxLength: 3, selector: (value) => JSON.stringify(value) })
        .map((values): JsonObject => ({ enum: values })),
      fc.constantFrom<JsonObject>({ min: 1, max: 2.5 }, { any: true }, { absent: true }),
    )
    const name = fc.constantFrom('/a', '/b', '/n/a', '/n/b', '/n/m/a')
    const rules = fc.dictionary(name, rule, { maxKeys: 5 })
    const value = fc.letrec<{ node: JsonObject }>((tie) => ({
      node: fc.dictionary(
        fc.constantFrom('a', 'b', 'n', 'm', 'constructor'),
        fc.oneof({ maxDepth: 3 }, leaf, tie('node')),
        { maxKeys: 4 },
      ),
    })).node
    fc.assert(
      fc.property(rules, value, (given, candidate) => {
        const reading = readGrant({ ...written, amount: '/x', fields: given }, now)
        if (!reading.ok) throw new Error('these rules can be read')
        const { amount: _amount, ...rest } = reading.grant
        const granted = { ...rest, amount: undefined }
        const form = preprocess(grantSchema(granted.fields))
        if (!form.ok) throw new Error('this schema can be read')
        expect(matchesGrant(granted, candidate)).toBe(compileValidator(form.schema).matches(candidate))
      }),
      { numRuns: 1_000 },
    )
  })
})

describe('what a grant comes to', () => {
  it('is described with its free fields and its extremes', () => {
    const terms = { isAlwaysGiven: () => false, currency: 'EUR' }
    expect(describeGrant(read(), terms)).toEqual({
      free: ['/customer_id'],
      perCall: { min: 1, max: 500 },
      most: '5000',
      lines: [
        'Calls of refund for "ann", through the agent "bot", in the tenant "acme"',
        'amount: from 1 to 500',
        'currency: always "EUR"',
        'customer_id: ANYTHING, or left out',
        'speed: one of 2: ["slow", "fast"]',
        'note: left out',
        'FREE, the agent may put anything there: customer_id',
        'At most 20 calls, at most 5000 EUR in all (20 × 500 EUR = 10000 EUR, held to the total of 5000 EUR)',
        'Until 2026-01-08T00:00:00.000Z',
        'Not for runs that have read untrusted content',
        `For the contract ${'ab'.repeat(32)} alone`,
      ],
    })
    const small = read({ fields: { ...fields, '/amount': { enum: [0.1, 0.3] } } })
    expect(describeGrant(small, terms)).toMatchObject({ perCall: { min: 0.1, max: 0.3 }, most: '6' })
  })

  it('is told in whole units of its currency where the argument counts cents', () => {
    const { lines } = describeGrant(read(), { isAlwaysGiven: () => false, currency: 'EUR', decimals: 2 })
    expect(lines).toContain('amount: from 1 to 500 (0.01 EUR to 5.00 EUR)')
    expect(lines).toContain(
      'At most 20 calls, at most 50.00 EUR in all (20 × 5.00 EUR = 100.00 EUR, held to the total of 50.00 EUR)',
    )
  })

  it('says that a free field may be left out only where a call may lack it', () => {
    const form = preprocess({
      type: 'object',
      required: ['a'],
      properties: {
        a: { type: 'object', required: ['b'], properties: { b: { type: 'string' }, c: { type: 'string' } } },
        d: { type: 'object', required: ['e'], properties: { e: { type: 'string' } } },
      },
    })
    if (!form.ok) throw new Error('this schema can be read')
    const given = ['/a/b', '/a/c', '/d/e', '/nothing'].filter((pointer) => isAlwaysGiven(pointer, form.schema))
    expect(given).toEqual(['/a/b'])
    const { lines } = describeGrant(read(), { isAlwaysGiven: (pointer) => pointer === '/customer_id' })
    expect(lines).toContain('customer_id: ANYTHING')
  })

  it('is claimed exactly, in millionths, and never below zero or with finer parts', () => {
    const tenths = read({ limits: { count: 20, total_amount: 1, expires_at: '2026-01-08T00:00:00.000Z' } })
    expect(grantClaims('g', tenths, 0.1)).toMatchObject([
      { name: 'grant:g:count', amount: 1, max: 20, returns: true },
      { name: 'grant:g:total', amount: 100_000, max: 1_000_000, returns: true },
    ])
    for (const bad of [-1, undefined, Number.NaN, 1e-9]) expect(grantClaims('g', tenths, bad)).toBeUndefined()
    expect(grantClaims('g', { ...tenths, amount: undefined }, undefined)).toHaveLength(1)
  })

  it('is counted in decimals that read back as themselves', () => {
    const number = fc.double({ noNaN: true, noDefaultInfinity: true })
    fc.assert(
      fc.property(number, number, (a, b) => {
        const [one, other] = [decimalOf(a), decimalOf(b)]
        const product = multiplyDecimals(one, other)
        expect(decimalOf(printDecimal(product))).toEqual(product)
        expect(printDecimal(product)).toMatch(/^-?\d+(?:\.\d+)?$/)
        expect(compareDecimals(product, multiplyDecimals(other, one))).toBe(0)
      }),
    )
  })
})
