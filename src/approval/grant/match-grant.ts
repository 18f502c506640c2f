// Does a grant cover a call? Bound to tenant, tool, contract, user, agent and arguments, and to nothing it does not say. Arguments have
// been validated before; here they are compared exactly. Revocation and what is left of the limits are the ledger's to judge, in admit.
import { canonicalize } from '../../json/canonical.ts'
import type { EpochMs } from '../../json/clock.ts'
import { readPointer } from '../../json/pointer.ts'
import { isObject, type JsonObject, type JsonValue } from '../../json/value.ts'
import type { FieldRule, Grant } from './grant.ts'
import { isRule, type RuleTree, ruleTree } from './rule-tree.ts'

export interface GrantedCall {
  readonly tenant: string
  readonly tool: string
  readonly contractHash: string
  readonly user: string | undefined
  readonly agent: string | undefined
  /** The run has read untrusted content. */
  readonly untrusted: boolean
  /** call_input. */
  readonly input: JsonObject
}

export type GrantRefusal =
  | 'other_tenant'
  | 'other_tool'
  | 'other_contract'
  | 'other_user'
  | 'other_agent'
  | 'untrusted_run'
  | 'expired'
  | 'other_arguments'

export type GrantMatch =
  /** With what the call moves, where the tool says where to look. */
  { readonly ok: true; readonly amount: number | undefined } | { readonly ok: false; readonly reason: GrantRefusal }

export function matchGrant(grant: Grant, call: GrantedCall, now: EpochMs): GrantMatch {
  const reason = refusalOf(grant, call, now)
  if (reason !== undefined) return { ok: false, reason }
  return { ok: true, amount: amountOf(grant, call.input) }
}

/** The arguments alone. An amount below zero never matches, also where the rules would take it. */
export function matchesGrant(grant: Grant, input: JsonObject): boolean {
  let accepts = matchers.get(grant)
  if (accepts === undefined) {
    accepts = objectMatcher(ruleTree(grant.fields))
    matchers.set(grant, accepts)
  }
  if (!accepts(input)) return false
  if (grant.amount === undefined) return true
  const amount = amountOf(grant, input)
  return amount !== undefined && amount >= 0
}

function refusalOf(grant: Grant, call: GrantedCall, now: EpochMs): GrantRefusal | undefined {
  if (grant.tenant !== call.tenant) return 'other_tenant'
  if (grant.tool !== call.tool) return 'other_tool'
  if (grant.contractHash !== call.contractHash) return 'other_contract'
  if (grant.user !== call.user) return 'other_user'
  if (grant.agent !== call.agent) return 'other_agent'
  if (call.untrusted && !grant.untrustedRuns) return 'untrusted_run'
  // Written so that a time which is no number is never early enough.
  if (!(now < grant.limits.expiresAt)) return 'expired'
  return matchesGrant(grant, call.input) ? undefined : 'other_arguments'
}

function amountOf({ amount }: Grant, input: JsonObject): number | undefined {
  const value = amount === undefined ? undefined : readPointer(input, amount)
  return typeof value === 'number' ? value : undefined
}

type Matcher = (value: JsonValue | undefined) => boolean

const matchers = new WeakMap<Grant, Matcher>()

function objectMatcher(tree: RuleTree): Matcher {
  const members = new Map(
    [...tree].map(([name, node]) => [name, isRule(node) ? ruleMatcher(node) : objectMatcher(node)]),
  )
  return (value) => {
    // An object that is left out leaves out all its fields.
    if (value !== undefined && !isObject(value)) return false
    const object = value ?? {}
    for (const key in object) if (!members.has(key) && Object.hasOwn(object, key)) return false
    for (const [name, accepts] of members) {
      if (!accepts(Object.hasOwn(object, name) ? object[name] : undefined)) return false
    }
    return true
  }
}

function ruleMatcher(rule: FieldRule): Matcher {
  switch (rule.kind) {
    case 'any':
      return () => true
    case 'absent':
      return (value) => value === undefined
    case 'range':
      // Doubles are in the same order as their shortest decimals, so this is exact.
      return (value) => typeof value === 'number' && value >= rule.min && value <= rule.max
    case 'const':
      return oneOf([rule.value])
    case 'enum':
      return oneOf(rule.values)
  }
}

function oneOf(values: readonly JsonValue[]): Matcher {
  const plain = new Set(values.filter((value) => typeof value !== 'object' || value === null))
  const whole = new Set(values.filter((value) => typeof value === 'object' && value !== null).map(canonicalize))
  return (value) => {
    if (value === undefined) return false
    if (typeof value !== 'object' || value === null) return plain.has(value)
    return whole.size > 0 && whole.has(canonicalize(value))
  }
}
