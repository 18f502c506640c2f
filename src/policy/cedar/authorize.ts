// Asks the organisation's policies about one call. The rule: a forbid that holds denies, unless it is marked @ask: then it asks; a permit
// that holds allows; where none holds the set passes the call on to the others, or denies it if it was loaded so. An ask is no permit: in
// a set that denies what none permits, a call is asked about only if a permit holds as well. Cedar itself skips a policy that fails while
// it is evaluated, which would switch off a forbid; here any error, of encoding, request or policy, denies.

import type { StatefulAuthorizationCall } from '@cedar-policy/cedar-wasm/nodejs'
import type { Principal } from '../../contract/call/call.ts'
import type { ApprovalPattern } from '../../contract/effects.ts'
import { type EpochMs, toIso } from '../../json/clock.ts'
import type { JsonObject } from '../../json/value.ts'
import { type CedarValue, findUnseen, mostElements } from './encode-arguments.ts'
import type { Policies, Policy } from './policy.ts'
import { type GroupOpinion, type PolicyGroup, prepareTool } from './prepare-tool.ts'
import type { PolicyTool, ToolView } from './tool-view.ts'

export interface PolicyRequest {
  readonly tool: PolicyTool
  readonly arguments: JsonObject
  readonly tenant: string
  readonly principal: Principal
  readonly run: string | undefined
  readonly workflow: string | undefined
  /** What the data of the run has been marked with. */
  readonly labels: readonly string[]
  readonly now: EpochMs
}

/** Longer requests are judged anew each time rather than remembered. */
const rememberedLength = 2_048

export function authorize(policies: Policies, request: PolicyRequest): PolicyDecision {
  const prepared = prepareTool(policies, request.tool)
  const { version } = prepared
  if (prepared.kind === 'silent') return whereNoneHolds(policies, version)
  if (prepared.kind === 'misfit') {
    const message = `${policyNames(prepared.policies)} cannot be judged for this tool: ${prepared.message}`
    return denyError(version, message, prepared.policies)
  }
  const holding: Policy[] = []
  for (const group of prepared.groups) {
    const opinion = hear(policies, group, { view: prepared.view, request })
    if (!opinion.ok) return denyError(version, opinion.message, opinion.failed)
    holding.push(...opinion.holding)
  }
  return conclude(
    policies,
    version,
    holding.sort((a, b) => a.order - b.order),
  )
}

/** Any deny wins, then the asks, then the permits. */
function conclude(policies: Policies, version: string, holding: readonly Policy[]): PolicyDecision {
  const permits = holding.filter(({ effect }) => effect === 'permit')
  const asks = holding.filter((policy) => policy.ask !== undefined)
  const forbids = holding.filter((policy) => policy.effect === 'forbid' && policy.ask === undefined)
  if (forbids.length > 0) return decision('deny', 'forbidden', { version, by: forbids })
  if (permits.length === 0 && policies.unlessPermitted === 'deny') return whereNoneHolds(policies, version)
  if (asks.length > 0) return decision('ask', 'asked', { version, by: asks })
  return permits.length > 0
    ? decision('allow', 'permitted', { version, by: permits })
    : whereNoneHolds(policies, version)
}

interface Subject {
  readonly view: ToolView
  readonly request: PolicyRequest
}

function hear(policies: Policies, group: PolicyGroup, subject: Subject): GroupOpinion {
  const call = encodeCall(group, subject)
  if (typeof call === 'string') return { ok: false, message: call, failed: [] }
  const text = JSON.stringify(call)
  const answer = () => askGroup(policies, group, call)
  return text.length > rememberedLength ? answer() : group.remembered(text, answer)
}

/** Only what some policy reads is sent: the engine reads its input at 10 to 20 µs an attribute. */
function encodeCall(group: PolicyGroup, { view, request }: Subject): StatefulAuthorizationCall | string {
  const { reads } = group
  const context: Record<string, CedarValue> = {}
  if (reads('args')) {
    const encoding = group.encode(request.arguments)
    if (!encoding.ok) return `The policies cannot read the argument ${encoding.pointer}: it ${encoding.message}.`
    context.args = encoding.value
  }
  if (reads('labels')) context.labels = request.labels
  if (reads('run') && request.run !== undefined) context.run = request.run
  if (reads('workflow') && request.workflow !== undefined) context.workflow = request.workflow
  if (reads('now')) context.now = toIso(request.now)
  if (reads('unseen')) {
    const unseen = findUnseen(view.plan, request.arguments)
    if (unseen.length > mostElements) return `More than ${mostElements} arguments are ones that no schema declares.`
    context.unseen = unseen
  }
  const { user, agent, roles } = request.principal
  const principal = user === undefined ? { type: 'Agent', id: agent ?? '' } : { type: 'User', id: user }
  const resource = { type: 'Tool', id: view.name }
  const attrs = keep(group, principalAttributes(request))
  const toolAttrs = keep(group, view.attributes)
  const entities: StatefulAuthorizationCall['entities'] = []
  if (group.readsRoles || attrs !== undefined) {
    const parents = group.readsRoles ? roles.map((id) => ({ type: 'Role', id })) : []
    entities.push({ uid: principal, attrs: attrs ?? {}, parents })
  }
  if (toolAttrs !== undefined) entities.push({ uid: resource, attrs: toolAttrs, parents: [] })
  return {
    principal,
    action: { type: 'Action', id: view.name },
    resource,
    context: context as StatefulAuthorizationCall['context'],
    entities,
    preparsedSchemaName: group.schemaName,
    preparsedPolicySetId: group.setName,
    validateRequest: true,
  }
}

function principalAttributes({ tenant, principal }: PolicyRequest): Record<string, CedarValue | undefined> {
  const { user, agent, roles, scopes } = principal
  return { tenant, roles, scopes, user, agent }
}

type Attributes = StatefulAuthorizationCall['entities'][number]['attrs']

function keep(
  { reads }: PolicyGroup,
  attributes: Readonly<Record<string, CedarValue | undefined>>,
): Attributes | undefined {
  let kept: Record<string, CedarValue> | undefined
  for (const name in attributes) {
    const value = attributes[name]
    if (value === undefined || !reads(name)) continue
    kept ??= {}
    kept[name] = value
  }
  return kept as Attributes | undefined
}

function askGroup({ engine }: Policies, { policies }: PolicyGroup, call: StatefulAuthorizationCall): GroupOpinion {
  const asked = engine.ask((cedar) => cedar.statefulIsAuthorized(call))
  if (!asked.ok || asked.value.type === 'failure' || asked.value.warnings.length > 0) {
    return { ok: false, message: 'The policies cannot be asked about this call.', failed: [] }
  }
  const { reason, errors } = asked.value.response.diagnostics
  if (errors.length > 0) {
    const failed = policies.filter(({ id }) => errors.some(({ policyId }) => policyId === id))
    // What the engine says of the failure may quote arguments; the policy is named, its values are not.
    return { ok: false, message: `${policyNames(failed)} failed while being evaluated.`, failed }
  }
  const holding = reason.length === 0 ? [] : policies.filter(({ id }) => reason.includes(id))
  if (holding.length === reason.length) return { ok: true, holding }
  return { ok: false, message: 'The engine named a policy that was not loaded.', failed: [] }
}

function whereNoneHolds({ unlessPermitted }: Policies, version: string): PolicyDecision {
  if (unlessPermitted === 'deny') return decision('deny', 'not_permitted', { version, by: [] })
  return decision('passthrough', 'silent', { version, by: [] })
}

const sentences = {
  permitted: 'Permitted by policy.',
  asked: 'A policy asks for approval.',
  forbidden: 'Forbidden by policy.',
  not_permitted: 'No policy permits this call.',
  silent: 'No policy speaks about this call.',
} as const

function decision(
  voice: PolicyDecision['voice'],
  reason: keyof typeof sentences,
  { version, by }: { version: string; by: readonly Policy[] },
): PolicyDecision {
  const message = by.find((policy) => policy.message !== undefined)?.message ?? sentences[reason]
  return { voice, reason, message, policies: by.map(decidingPolicy), version }
}

function denyError(version: string, message: string, by: readonly Policy[]): PolicyDecision {
  return { voice: 'deny', reason: 'policy_error', message, policies: by.map(decidingPolicy), version }
}

function policyNames(policies: readonly Policy[]): string {
  const ids = policies.slice(0, 3).map(({ id }) => id)
  return `${policies.length === 1 ? 'The policy' : 'Each of the policies'} ${ids.join(', ')}${policies.length > 3 ? ', …' : ''}`
}

export interface PolicyDecision {
  readonly voice: 'allow' | 'ask' | 'deny' | 'passthrough'
  /** `policy_error`: some policy could not be judged. `not_permitted`: none permits, and the set denies what none permits. */
  readonly reason: 'permitted' | 'asked' | 'forbidden' | 'not_permitted' | 'silent' | 'policy_error'
  /** One sentence that holds no argument of the call. */
  readonly message: string
  /** Those that decided, in the order in which they were loaded. */
  readonly policies: readonly DecidingPolicy[]
  /** SHA-256 over the policies and the schema of the tool. */
  readonly version: string
}

export interface DecidingPolicy {
  readonly id: string
  readonly message?: string
  readonly pattern?: ApprovalPattern
  readonly roles?: readonly string[]
  readonly quorum?: number
}

function decidingPolicy({ id, message, ask }: Policy): DecidingPolicy {
  return {
    id,
    ...(message === undefined ? {} : { message }),
    ...(ask?.pattern === undefined ? {} : { pattern: ask.pattern }),
    ...(ask === undefined || ask.roles.length === 0 ? {} : { roles: ask.roles }),
    ...(ask?.quorum === undefined ? {} : { quorum: ask.quorum }),
  }
}
