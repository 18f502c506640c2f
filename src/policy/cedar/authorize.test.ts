import { describe, expect, test } from 'vitest'
import { closedObject, trialPolicies, trialRequest, trialTool } from '../../../test/policy/trial-tool.ts'
import type { JsonObject } from '../../json/value.ts'
import { authorize, type PolicyRequest } from './authorize.ts'

const charge = trialTool(
  'charge_card',
  closedObject({ amount: { type: 'number' }, count: { type: 'integer' }, note: { type: 'string' } }, ['amount']),
  { effect: 'CRITICAL_MUTATION', classification: 'regulated', residency: 'eu' },
)
const search = trialTool('crm.search', { type: 'object', properties: { query: { type: 'string' }, filter: {} } })

async function decide(text: string, args: JsonObject, more: Partial<PolicyRequest> = {}, unlessPermitted?: 'deny') {
  const policies = await trialPolicies(text, unlessPermitted)
  return authorize(policies, trialRequest(more.tool ?? charge, args, more))
}

const voiceOf = async (...given: Parameters<typeof decide>) => (await decide(...given)).voice

const permitAll = '@id("all") permit(principal, action, resource);'

describe('The voice of a set of policies', () => {
  const forbid =
    '@id("limit") @message("Too much.") forbid(principal, action, resource) when { context.args.amount.greaterThan(decimal("100.0")) };'
  const ask =
    '@id("review") @ask("dual_control") @roles("finance") @quorum("2") forbid(principal, action, resource) when { context.args.amount.greaterThan(decimal("10.0")) };'

  test('is a deny where a forbid holds, also beside a permit', async () => {
    expect(await decide(permitAll + ask + forbid, { amount: 101 })).toMatchObject({
      voice: 'deny',
      reason: 'forbidden',
      message: 'Too much.',
      policies: [{ id: 'limit', message: 'Too much.' }],
    })
  })

  test('is an ask where only forbids that ask hold', async () => {
    expect(await decide(permitAll + ask + forbid, { amount: 11 })).toMatchObject({
      voice: 'ask',
      policies: [{ id: 'review', pattern: 'dual_control', roles: ['finance'], quorum: 2 }],
    })
  })

  test('is an allow, with its permits named, where no forbid holds', async () => {
    expect(await decide(permitAll + ask + forbid, { amount: 10 })).toMatchObject({
      voice: 'allow',
      policies: [{ id: 'all' }],
    })
  })

  test('passes on what no policy speaks about, or denies it where the set was loaded so', async () => {
    expect(await decide(forbid, { amount: 1 })).toMatchObject({ voice: 'passthrough', policies: [] })
    expect(await decide(forbid, { amount: 1 }, {}, 'deny')).toMatchObject({ voice: 'deny', reason: 'not_permitted' })
    expect(await voiceOf('', { amount: 1 }, {}, 'deny')).toBe('deny')
  })

  test('names those that decided in the order in which they were loaded', async () => {
    const role = '@id("role") permit(principal in Role::"support", action, resource);'
    const small =
      '@id("small") permit(principal, action, resource) when { context.args.amount.lessThan(decimal("5.0")) };'
    expect((await decide(small + role + permitAll, { amount: 1 })).policies.map(({ id }) => id)).toEqual([
      'small',
      'role',
      'all',
    ])
  })

  test('takes no ask for a permit', async () => {
    expect(await voiceOf(ask, { amount: 11 }, {}, 'deny')).toBe('deny')
    expect(await voiceOf(ask + permitAll, { amount: 11 }, {}, 'deny')).toBe('ask')
    expect(await voiceOf(ask, { amount: 11 })).toBe('ask')
  })
})

describe('What policies see', () => {
  test.each([
    'principal == User::"alice" && principal.tenant == "acme" && principal.roles.contains("support")',
    'principal in Role::"support" && principal.scopes.contains("billing:write")',
    'principal is User && principal has agent && principal.agent == "helper"',
    'action in Action::"effect:CRITICAL_MUTATION" && action in Action::"effect:mutating"',
    'action == Action::"charge_card" && resource == Tool::"charge_card"',
    'resource.effect == "CRITICAL_MUTATION" && resource.data_classification == "regulated"',
    'resource has residency && resource.residency == "eu" && resource.egress_domains.isEmpty()',
    'resource.egress_policy == "none" && resource.owner == "billing" && resource.version == "1.0.0"',
    'context.args.amount == decimal("12.5") && !(context.args has note)',
    'context.labels.contains("untrusted") && context has run && context.run == "run-1"',
    'context.now.toDate() == datetime("2026-01-01") && !(context has workflow)',
    '{ a: context.args.amount } == { a: decimal("12.5") }',
    'context.unseen.isEmpty()',
  ])('%s', async (condition) => {
    const text = `permit(principal, action, resource) when { ${condition} };`
    expect(await voiceOf(text, { amount: 12.5 }, { labels: ['untrusted'] })).toBe('allow')
  })

  test('is the agent where no user is named', async () => {
    const principal = { user: undefined, agent: 'night-shift', roles: [], scopes: [] }
    const text = 'forbid(principal is Agent, action, resource); permit(principal is User, action, resource);'
    expect(await voiceOf(text, { amount: 1 }, { principal })).toBe('deny')
    expect(
      await voiceOf('permit(principal == Agent::"night-shift", action, resource);', { amount: 1 }, { principal }),
    ).toBe('allow')
  })

  test('names undeclared keys of open objects, so that a policy can refuse them', async () => {
    const text = 'forbid(principal, action, resource) when { context.unseen.contains("/bcc") };'
    expect(await voiceOf(text, { query: 'x', bcc: 'all@evil.test' }, { tool: search })).toBe('deny')
    expect(await voiceOf(text, { query: 'x' }, { tool: search })).toBe('passthrough')
  })
})

describe('What goes wrong denies', () => {
  test('a forbid that overflows is not skipped', async () => {
    const text = `${permitAll} @id("sum") forbid(principal, action, resource) when { context.args has count && context.args.count * 9007199254740991 > 1 };`
    expect(await decide(text, { amount: 1, count: 9_007_199_254_740_991 })).toMatchObject({
      voice: 'deny',
      reason: 'policy_error',
      policies: [{ id: 'sum' }],
    })
    expect(await voiceOf(text, { amount: 1 })).toBe('allow')
  })

  test('a policy that reads an optional argument unguarded denies every call, not only the unlucky one', async () => {
    const text = `${permitAll} @id("loose") forbid(principal, action, resource) when { context.args.note == "x" };`
    for (const args of [{ amount: 1 }, { amount: 1, note: 'fine' }]) {
      expect(await decide(text, args)).toMatchObject({
        voice: 'deny',
        reason: 'policy_error',
        policies: [{ id: 'loose' }],
      })
    }
  })

  test('a comparison that could never hold denies', async () => {
    const text = `${permitAll} forbid(principal, action, resource) when { context.args.amount == "100" };`
    expect(await voiceOf(text, { amount: 100 })).toBe('deny')
  })

  test('a number that Cedar cannot hold denies where a policy reads it, and only there', async () => {
    const reads = `${permitAll} forbid(principal, action, resource) when { context.args.amount.greaterThan(decimal("100.0")) };`
    expect(await decide(reads, { amount: 100.00001 })).toMatchObject({
      voice: 'deny',
      reason: 'policy_error',
      message: expect.stringContaining('/amount'),
    })
    expect(await voiceOf(permitAll, { amount: 100.00001 })).toBe('allow')
  })

  test('arguments that are not of their declared type deny', async () => {
    const text = `${permitAll} forbid(principal, action, resource) when { context.args.amount.greaterThan(decimal("100.0")) };`
    expect(await voiceOf(text, { amount: '5' })).toBe('deny')
    expect(await voiceOf(text, {})).toBe('deny')
    expect(await voiceOf(text, { amount: null })).toBe('deny')
  })

  test('half a surrogate pair denies', async () => {
    const text = `${permitAll} forbid(principal, action, resource) when { context.args has note && context.args.note == "x" };`
    expect(await voiceOf(text, { amount: 1, note: '\ud800' })).toBe('deny')
  })

  test('no message repeats an argument', async () => {
    const text =
      'forbid(principal, action, resource) when { context.args has note && context.args.note == "x" && context.args.amount == decimal("1.0") };'
    const decision = await decide(text, { amount: 'hunter2', note: 'hunter2' })
    expect(JSON.stringify(decision)).not.toContain('hunter2')
  })

  test('an engine that was lost is replaced', async () => {
    const policies = await trialPolicies(permitAll)
    const request = trialRequest(charge, { amount: 1 })
    expect(authorize(policies, request).voice).toBe('allow')
    const lost = policies.engine.ask((cedar) =>
      cedar.policyToJson(`permit(principal, action, resource) when { ${'('.repeat(5_000)}true${')'.repeat(5_000)} };`),
    )
    expect(lost.ok).toBe(false)
    expect(authorize(policies, { ...request, principal: { ...request.principal, user: 'bob' } }).voice).toBe('allow')
  })
})

describe('Hostile arguments', () => {
  const root = { __entity: { type: 'User', id: 'root' } }
  const byFilter = `${permitAll} forbid(principal, action, resource) when { context.args has filter && context.args.filter like "*root*" };`

  test('an entity in an argument is text', async () => {
    expect(await decide(byFilter, { filter: root }, { tool: search })).toMatchObject({
      voice: 'deny',
      reason: 'forbidden',
    })
    expect(await voiceOf(byFilter, { filter: { __extn: { fn: 'ip', arg: '10.0.0.1' } } }, { tool: search })).toBe(
      'allow',
    )
  })

  test('an entity in place of a text is no text', async () => {
    const text = `${permitAll} forbid(principal, action, resource) when { context.args has query && context.args.query == "x" };`
    for (const query of [root, { __extn: { fn: 'decimal', arg: '1.0' } }]) {
      expect(await decide(text, { query }, { tool: search })).toMatchObject({ voice: 'deny', reason: 'policy_error' })
    }
  })

  test('an entity in place of the arguments is an argument that is not declared', async () => {
    const text = `${permitAll} forbid(principal, action, resource) when { context.unseen.contains("/__entity") };`
    expect(await decide(text, root, { tool: search })).toMatchObject({ voice: 'deny', reason: 'forbidden' })
  })

  test('names of callers are data as well', async () => {
    const principal = { user: 'alice", "type": "Agent', roles: ['Role::"admin"'], scopes: [], agent: undefined }
    const text = 'permit(principal in Role::"admin", action, resource);'
    expect(await voiceOf(text, { amount: 1 }, { principal })).toBe('passthrough')
  })

  test('a role held twice is held', async () => {
    const principal = { user: 'eve', roles: ['admin', 'admin'], scopes: [], agent: undefined }
    expect(await voiceOf('permit(principal in Role::"admin", action, resource);', { amount: 1 }, { principal })).toBe(
      'allow',
    )
  })

  test('letters that look alike are not equal', async () => {
    const text = 'permit(principal in Role::"admin", action, resource);'
    const principal = { user: 'eve', roles: ['\u0430dmin', 'admin\u200b', 'ADMIN'], scopes: [], agent: undefined }
    expect(await voiceOf(text, { amount: 1 }, { principal })).toBe('passthrough')
  })

  test('enormous arguments are judged', async () => {
    const text = `${permitAll} forbid(principal, action, resource) when { context.args has query && context.args.query like "*needle" };`
    const query = 'hay'.repeat(1_000_000)
    expect(await voiceOf(text, { query }, { tool: search })).toBe('allow')
    expect(await voiceOf(text, { query: `${query}needle` }, { tool: search })).toBe('deny')
  })

  test('a list or an object too long to be judged quickly is denied', async () => {
    const tagged = trialTool('tag', {
      type: 'object',
      properties: { tags: { type: 'array', items: { type: 'string' } } },
    })
    const byTag = `${permitAll} forbid(principal, action, resource) when { context.args has tags && context.args.tags.contains("x") };`
    const tags = Array.from({ length: 10_001 }, (_, index) => `t${index}`)
    expect(await decide(byTag, { tags }, { tool: tagged })).toMatchObject({ voice: 'deny', reason: 'policy_error' })
    expect(await voiceOf(permitAll, { tags }, { tool: tagged })).toBe('allow')
    const byKey = `${permitAll} forbid(principal, action, resource) when { context.unseen.contains("/bcc") };`
    const loose = Object.fromEntries(tags.map((name) => [name, 1]))
    expect(await decide(byKey, loose, { tool: tagged })).toMatchObject({ voice: 'deny', reason: 'policy_error' })
  })

  test('a pattern full of wildcards costs time in proportion to text and pattern', async () => {
    const text = `${permitAll} forbid(principal, action, resource) when { context.args has query && context.args.query like "${'*a'.repeat(20)}*b" };`
    const started = performance.now()
    expect(await voiceOf(text, { query: 'a'.repeat(20_000) }, { tool: search })).toBe('allow')
    expect(performance.now() - started).toBeLessThan(3_000)
  })
})

describe('Many policies and tools', () => {
  test('a tool that comes after the policies is judged by its own schema', async () => {
    const policies = await trialPolicies(
      'forbid(principal, action, resource) when { context.args has recipient && context.args.recipient == "x" };',
    )
    expect(authorize(policies, trialRequest(charge, { amount: 1 })).voice).toBe('passthrough')
    const late = trialTool('send_mail', closedObject({ recipient: { type: 'string' } }))
    expect(authorize(policies, trialRequest(late, { recipient: 'x' })).voice).toBe('deny')
  })

  test('the version tells tools and policies apart', async () => {
    const policies = await trialPolicies(permitAll)
    const versionOf = (request: PolicyRequest) => authorize(policies, request).version
    expect(versionOf(trialRequest(charge, { amount: 1 }))).toBe(versionOf(trialRequest(charge, { amount: 2 })))
    expect(versionOf(trialRequest(charge, { amount: 1 }))).not.toBe(versionOf(trialRequest(search, {})))
  })

  test('a thousand policies are judged, each for its tools', async () => {
    const text = Array.from({ length: 1_000 }, (_, index) =>
      index % 2 === 0
        ? `@id("p${index}") forbid(principal, action == Action::"tool_${index}", resource);`
        : `@id("p${index}") forbid(principal, action, resource) when { context.args has amount && context.args.amount == decimal("${index}.0") };`,
    )
    const policies = await trialPolicies(text.join('\n'))
    expect(authorize(policies, trialRequest(charge, { amount: 501 }))).toMatchObject({
      voice: 'deny',
      policies: [{ id: 'p501' }],
    })
    expect(authorize(policies, trialRequest(charge, { amount: 500 })).voice).toBe('passthrough')
    const other = trialTool('tool_500', closedObject({}))
    expect(authorize(policies, trialRequest(other, {}))).toMatchObject({ voice: 'deny', policies: [{ id: 'p500' }] })
  })
})
