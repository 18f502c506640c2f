// What is cut away, settled in advance, asked apart or remembered must not change an answer: Cedar itself, given everything, is the judge.
import type { AuthorizationCall } from '@cedar-policy/cedar-wasm/nodejs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { closedObject, trialPolicies, trialRequest, trialTool } from '../../../test/policy/trial-tool.ts'
import { toIso } from '../../json/clock.ts'
import { authorize, type PolicyRequest } from './authorize.ts'
import { cedarSchema } from './cedar-schema.ts'
import { compileEncoder, findUnseen } from './encode-arguments.ts'
import type { Policies } from './policy.ts'
import { viewTool } from './tool-view.ts'

const address = closedObject({ city: { type: 'string' }, zip: { type: 'string' } }, ['city'])
const tool = trialTool(
  'ship.order',
  {
    type: 'object',
    properties: {
      amount: { type: 'number' },
      count: { type: 'integer' },
      to: address,
      from: address,
      tags: { type: 'array', items: { type: 'string' } },
      extra: {},
    },
    required: ['amount', 'to'],
  },
  { effect: 'HIGH_RISK_EXTERNAL', classification: 'confidential', egressDomains: ['a.test', 'b.test'] },
)

const scopes = [
  'principal, action, resource',
  'principal == User::"alice", action, resource',
  'principal in Role::"support", action, resource is Tool',
  'principal is Agent, action == Action::"ship.order", resource',
  'principal, action in Action::"effect:mutating", resource == Tool::"ship.order"',
  'principal, action in [Action::"effect:READ_ONLY", Action::"effect:HIGH_RISK_EXTERNAL"], resource',
  'principal, action == Action::"other", resource',
  'principal, action, resource == Tool::"other"',
]
const conditions = [
  'true',
  'context.args.amount.greaterThan(decimal("10.0"))',
  'context.args has count && context.args.count * 9007199254740991 > 9007199254740991',
  'context.args.to.city == "Bern"',
  'context.args has from && context.args.from == context.args.to',
  'context.args.to has zip && context.args.to.zip like "3*"',
  'context.args has tags && context.args.tags.containsAny(["red", "blue"])',
  'context.args has extra && context.args.extra like "*Role*"',
  'context.args == context.args',
  'context.labels.contains("untrusted")',
  'context.unseen.contains("/bcc")',
  'context.now > datetime("2026-01-01T12:00:00Z")',
  'context has run && context.run == "run-1"',
  'resource.egress_domains.contains("b.test")',
  'resource has residency',
  '(if context.labels.isEmpty() then resource.effect else resource.owner) == "billing"',
  '(if principal is User then resource else resource).namespace == "ship"',
  'resource.data_classification == "confidential" && principal.roles.contains("support")',
  'principal has user && principal.user == "alice"',
  'action in Action::"effect:any" && !(action in Action::"effect:READ_ONLY")',
  'principal in [Role::"support", Role::"resource"]',
  '[{ Var: "resource" }].contains({ Var: resource.name })',
]

const policyText = fc
  .tuple(
    fc.constantFrom('permit', 'forbid', '@ask forbid'),
    fc.constantFrom(...scopes),
    fc.constantFrom('when', 'unless'),
    fc.constantFrom(...conditions),
  )
  .map(([effect, scope, word, condition]) => `${effect}(${scope}) ${word} { ${condition} };`)

const place = fc.record(
  { city: fc.constantFrom('Bern', 'Rome'), zip: fc.constantFrom('3000', '1000') },
  { requiredKeys: ['city'] },
)
const args = fc.record(
  {
    amount: fc.constantFrom(1, 10, 10.5, 1_000),
    count: fc.constantFrom(0, 1, 1_000_000),
    to: place,
    from: place,
    tags: fc.subarray(['red', 'green']),
    extra: fc.constantFrom({ __entity: { type: 'Role', id: 'support' } }, 7, 'x'),
    bcc: fc.constant('x'),
  },
  { requiredKeys: ['amount', 'to'] },
)
const principal = fc.record({
  user: fc.constantFrom('alice', 'bob', undefined),
  agent: fc.constantFrom('helper', undefined),
  roles: fc.subarray(['support', 'admin']),
  scopes: fc.constant([]),
})

test('Cedar, given the whole policies and the whole request, comes to the same answer', {
  timeout: 60_000,
}, async () => {
  const requests = fc.array(fc.record({ args, principal, labels: fc.subarray(['untrusted']) }), {
    minLength: 1,
    maxLength: 6,
  })
  const fallback = fc.constantFrom('deny' as const, undefined)
  await fc.assert(
    fc.asyncProperty(
      fc.array(policyText, { maxLength: 8 }),
      fallback,
      requests,
      async (texts, unlessPermitted, asked) => {
        const policies = await trialPolicies(texts.join('\n'), unlessPermitted)
        for (const { args: given, ...more } of asked) {
          const request = trialRequest(tool, given, more)
          const { voice, reason } = authorize(policies, request)
          expect(voice).toBe(expectedVoice(policies, request))
          if (reason === 'policy_error') expect(voice).toBe('deny')
        }
      },
    ),
    { numRuns: 40 },
  )
})

function expectedVoice(policies: Policies, request: PolicyRequest): string {
  const all = plainAnswer(policies, request, () => true)
  if (all.errors > 0) return 'deny'
  const holding = policies.policies.filter(({ id }) => all.reason.includes(id))
  const forbids = holding.filter(({ effect }) => effect === 'forbid')
  if (forbids.some(({ ask }) => ask === undefined)) return 'deny'
  const permits = plainAnswer(policies, request, (effect) => effect === 'permit').reason.length > 0
  if (!permits && policies.unlessPermitted === 'deny') return 'deny'
  if (forbids.length > 0) return 'ask'
  return permits ? 'allow' : 'passthrough'
}

function plainAnswer(policies: Policies, request: PolicyRequest, which: (effect: string) => boolean) {
  const chosen = policies.policies.filter(({ effect }) => which(effect))
  const call = plainCall(request, Object.fromEntries(chosen.map(({ id, text }) => [id, text])))
  const asked = policies.engine.ask((cedar) => cedar.isAuthorized(call))
  if (!asked.ok || asked.value.type === 'failure') throw new Error(JSON.stringify(asked))
  const { reason, errors } = asked.value.response.diagnostics
  return { reason, errors: errors.length }
}

function plainCall(request: PolicyRequest, staticPolicies: Record<string, string>): AuthorizationCall {
  const view = viewTool(request.tool)
  const encoding = compileEncoder(view.plan)(request.arguments)
  if (!encoding.ok) throw new Error(encoding.message)
  const { user, agent, roles, scopes: held } = request.principal
  const uid = user === undefined ? { type: 'Agent', id: agent ?? '' } : { type: 'User', id: user }
  const attrs = { tenant: request.tenant, roles, scopes: held, ...(user && { user }), ...(agent && { agent }) }
  const resource = { type: 'Tool', id: view.name }
  const { labels, run, now } = request
  const context = {
    args: encoding.value,
    labels,
    run,
    now: toIso(now),
    unseen: findUnseen(view.plan, request.arguments),
  }
  const entities = [
    { uid, attrs, parents: roles.map((id) => ({ type: 'Role', id })) },
    { uid: resource, attrs: view.attributes, parents: [] },
  ]
  return {
    principal: uid,
    action: { type: 'Action', id: view.name },
    resource,
    context,
    entities,
    schema: cedarSchema([view]),
    validateRequest: true,
    policies: { staticPolicies },
  } as unknown as AuthorizationCall
}
