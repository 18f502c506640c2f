// Rules about the terms of a tool beside its schemas: who may call it, what it does to the world, and what happens when it fails. What an
// MCP server or an HTTP interface says of the same is judged by the same rules.
import { canonicalize } from '../../json/canonical.ts'
import { isObject, type JsonObject, type JsonValue } from '../../json/value.ts'
import type { ToolSnapshot } from '../snapshot.ts'
import { hintRisk, untellingHints } from './annotation-risk.ts'
import type { ChangeSpot, ToolPair, ToolRule } from './rule.ts'
import { sentenceText } from './spots.ts'

const breaking = {
  over: 'tool',
  level: { pin: 'breaking', version: 'breaking' },
  direction: 'contract',
  step: 'major',
} as const

const dangerous = {
  over: 'tool',
  level: { pin: 'dangerous', version: 'dangerous' },
  direction: 'contract',
  step: 'minor',
} as const

/** Members of the binding that a rule of their own judges; a change of any other is one of how the tool runs. */
const bindingTerms = {
  idempotency: ['operation', 'recovery'],
  transaction: ['compensation'],
  security: ['egress_domains', 'connections', 'credentials', 'residency', 'trusted', 'roles', 'sensitive'],
} as const

export const termRules: readonly ToolRule[] = [
  {
    id: 'scopes-changed',
    ...breaking,
    breaks: 'authorization scopes',
    title: 'Callers must hold other scopes.',
    why: 'Who was allowed may be refused, and who was not may be allowed.',
    find: ({ before, after }) => {
      const [old, renewed] = [scopesOf(before), scopesOf(after)]
      if (canonicalize(old) === canonicalize(renewed)) return []
      const place = before.contract === undefined ? '/scopes' : '/contract/security/required_scopes'
      return [
        {
          pointer: place,
          message: `Needed were ${inWords(old)}; needed are ${inWords(renewed)} now.`,
          before: old,
          after: renewed,
        },
      ]
    },
  },
  {
    id: 'effect-class-changed',
    ...breaking,
    breaks: 'side-effect class',
    title: 'The tool does something else to the world than it said.',
    why: 'The class decides the gates: approvals and policies were made for another one.',
    find: (pair) => fromTo(pair, 'transactional', ['side_effect_class']),
  },
  {
    id: 'annotation-riskier',
    ...breaking,
    breaks: 'side-effect class',
    title:
      'The hints of the server tell of more risk: no longer read-only, destructive, open to the world or not to be repeated.',
    why: 'A tool that was approved as a read may now destroy.',
    find: ({ before, after }) =>
      hintRisk(before.annotations, after.annotations)
        .filter(({ riskier }) => riskier)
        .map(hintSpot),
  },
  {
    id: 'annotation-safer',
    over: 'tool',
    level: { pin: 'dangerous', version: 'compatible' },
    direction: 'contract',
    step: 'minor',
    title: 'The hints of the server tell of less risk than before.',
    why: 'A hint proves nothing: a server that wants to slip past a gate claims to be harmless.',
    find: ({ before, after }) =>
      hintRisk(before.annotations, after.annotations)
        .filter(({ riskier }) => !riskier)
        .map(hintSpot),
  },
  {
    id: 'annotations-restated',
    over: 'tool',
    level: { pin: 'info', version: 'info' },
    direction: 'contract',
    step: 'patch',
    title: 'The hints of the server changed without telling of another risk.',
    why: 'A hint that was left to its default is given now, or the other way round.',
    find: ({ before, after }) => untellingHints(before.annotations, after.annotations),
  },
  {
    id: 'idempotency-changed',
    ...breaking,
    breaks: 'idempotency requirements',
    title: 'Repeated calls are told apart in another way.',
    why: 'What was one operation may be two, or the other way round.',
    find: (pair) => [
      ...fromTo(pair, 'idempotency', ['supported', 'required', 'key_header', 'ttl_seconds', 'payload_hash_required']),
      ...bindingChange(pair, bindingTerms.idempotency),
    ],
  },
  {
    id: 'error-taxonomy-changed',
    ...breaking,
    breaks: 'error taxonomy',
    title: 'Failures are classed in another way.',
    why: 'Agents repair, retry or stop by the class.',
    find: (pair) => [
      ...fromTo(pair, 'observability', ['error_taxonomy_mapping']),
      ...fromTo(pair, 'error_contract', [
        'repairable_errors',
        'retryable_errors',
        'fail_closed_errors',
        'escalation_errors',
      ]),
    ],
  },
  {
    id: 'transaction-semantics-changed',
    ...breaking,
    breaks: 'transaction or compensation semantics',
    title:
      'What happens around the effect has changed: its kind, who confirms it, what undoes it, whether it is read back.',
    why: 'Sagas and approvals were built on the old one.',
    find: (pair) => [
      ...fromTo(pair, 'transactional', [
        'semantics',
        'compensation_tool',
        'confirmation_required',
        'post_action_verification_required',
      ]),
      ...bindingChange(pair, bindingTerms.transaction),
    ],
  },
  {
    id: 'tool-sunsetted',
    ...breaking,
    title: 'The tool is refused from now on.',
    why: 'Every call of it fails.',
    find: ({ before, after }) =>
      before.contract !== undefined &&
      before.contract.identity.lifecycle.status !== 'sunsetted' &&
      after.contract?.identity.lifecycle.status === 'sunsetted'
        ? [{ pointer: '/contract/identity/lifecycle/status', message: 'The tool is sunsetted.' }]
        : [],
  },
  {
    id: 'lifecycle-changed',
    over: 'tool',
    level: { pin: 'info', version: 'compatible' },
    direction: 'contract',
    step: 'minor',
    title: 'The tool has another lifecycle status, replacement or last day.',
    why: 'Callers have to plan for what replaces it.',
    find: (pair) => fromTo(pair, 'identity', ['lifecycle']),
  },
  {
    id: 'request-changed',
    ...breaking,
    title: 'The operation is another request: its method or its path has changed.',
    why: 'Callers of the old one reach nothing, or something else.',
    find: ({ before: { request: old }, after: { request: renewed } }) => {
      if (old === undefined || renewed === undefined) return []
      const [from, to] = [`${old.method} ${old.path}`, `${renewed.method} ${renewed.path}`]
      return from === to
        ? []
        : [{ pointer: '/request', message: `It was ${from} and is ${to} now.`, before: from, after: to }]
    },
  },
  {
    id: 'server-changed',
    ...dangerous,
    title: 'The operation is served from another address.',
    why: 'Arguments and credentials go to another server.',
    find: ({ before: { request: old }, after: { request: renewed } }) => {
      if (old === undefined || renewed === undefined || old.server === renewed.server) return []
      const message = `It was served from ${old.server ?? 'nowhere'} and is from ${renewed.server ?? 'nowhere'} now.`
      return [{ pointer: '/request/server', message, before: old.server ?? null, after: renewed.server ?? null }]
    },
  },
  {
    id: 'documented-errors-changed',
    ...dangerous,
    title: 'Other failures are documented.',
    why: 'Callers handle the failures that were documented.',
    find: ({ before, after }) => {
      const [old, renewed] = [[...(before.errors ?? [])].sort(), [...(after.errors ?? [])].sort()]
      if (canonicalize(old) === canonicalize(renewed)) return []
      const message = `Told of were ${old.join(', ') || 'none'}; told of are ${renewed.join(', ') || 'none'} now.`
      return [{ pointer: '/errors', message, before: old, after: renewed }]
    },
  },
  {
    id: 'security-terms-changed',
    ...dangerous,
    title: 'The tool reaches elsewhere, touches other data, or gets its secrets in another way.',
    why: 'Policies are written about these words.',
    find: (pair) => [
      ...fromTo(pair, 'security', ['tenant_scoped', 'secrets_boundary', 'data_classification', 'egress_policy']),
      ...bindingChange(pair, bindingTerms.security),
    ],
  },
  {
    id: 'runtime-limits-changed',
    over: 'tool',
    level: { pin: 'dangerous', version: 'compatible' },
    direction: 'contract',
    step: 'minor',
    title: 'Time, rate, cost or retries of a call have changed.',
    why: 'Budgets and patience of callers were made for the old ones.',
    find: (pair) =>
      fromTo(pair, 'runtime', ['timeout_ms', 'rate_limits', 'cost_profile', 'sandbox_isolated', 'max_retries']),
  },
  {
    id: 'records-changed',
    over: 'tool',
    level: { pin: 'info', version: 'info' },
    direction: 'contract',
    step: 'patch',
    title: 'Other things are recorded of a call, or the tool has another owner.',
    why: 'Nothing changes for callers; auditors want to know.',
    find: (pair) => [
      ...fromTo(pair, 'observability', ['trace_attributes', 'audit_required']),
      ...fromTo(pair, 'identity', ['owner']),
    ],
  },
  {
    id: 'binding-changed',
    over: 'tool',
    level: { pin: 'dangerous', version: 'info' },
    direction: 'contract',
    step: 'patch',
    title: 'The tool runs in another way here.',
    why: 'The contract stands; what fulfils it is new, and approvals are given for one version of it.',
    find: (pair) => otherBindingChanges(pair),
  },
]

const hintSpot = ({ message, before, after }: ReturnType<typeof hintRisk>[number]): ChangeSpot => ({
  pointer: '/annotations',
  message,
  before,
  after,
})

/** The order of scopes means nothing. */
function scopesOf({ contract, scopes = [] }: ToolSnapshot): readonly (readonly string[])[] {
  const sets = contract === undefined ? scopes : [contract.security.required_scopes]
  return sets
    .map((set) => [...new Set(set)].sort())
    .sort((one, other) => (canonicalize(one) < canonicalize(other) ? -1 : 1))
}

const inWords = (sets: readonly (readonly string[])[]): string =>
  sets.map((set) => set.join(' and ') || 'none').join(', or ') || 'none'

type Section = keyof NonNullable<ToolSnapshot['contract']>

/** The members of a section that differ; lists of classes and scopes have no order. */
function fromTo({ before, after }: ToolPair, section: Section, members: readonly string[]): readonly ChangeSpot[] {
  if (before.contract === undefined || after.contract === undefined) return []
  const [old, renewed] = [
    before.contract[section] as unknown as JsonObject,
    after.contract[section] as unknown as JsonObject,
  ]
  return members.flatMap((member) => differs(old[member], renewed[member], `/contract/${section}/${member}`, member))
}

const belongElsewhere: ReadonlySet<string> = new Set(Object.values(bindingTerms).flat())

function bindingChange({ before, after }: ToolPair, members: readonly string[]): readonly ChangeSpot[] {
  if (before.binding === undefined || after.binding === undefined) return []
  const [old, renewed] = [before.binding as unknown as JsonObject, after.binding as unknown as JsonObject]
  return members.flatMap((member) => differs(old[member], renewed[member], `/binding/${member}`, member))
}

function otherBindingChanges(pair: ToolPair): readonly ChangeSpot[] {
  const names = new Set([...Object.keys(pair.before.binding ?? {}), ...Object.keys(pair.after.binding ?? {})])
  return bindingChange(
    pair,
    [...names].filter((name) => !belongElsewhere.has(name)),
  )
}

function differs(
  old: JsonValue | undefined,
  renewed: JsonValue | undefined,
  pointer: string,
  name: string,
): readonly ChangeSpot[] {
  const [from, to] = [ordered(old), ordered(renewed)]
  if (from === to) return []
  const message = `${name} was ${sentenceText(from)} and is ${sentenceText(to)} now.`
  return [{ pointer, message, before: old ?? null, after: renewed ?? null }]
}

function ordered(value: JsonValue | undefined): string {
  if (value === undefined) return 'nothing'
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return canonicalize([...value].sort())
  return isObject(value) || Array.isArray(value) ? canonicalize(value) : JSON.stringify(value)
}
