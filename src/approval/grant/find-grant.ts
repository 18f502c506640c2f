// The grants that cover a call: given by people whom the call would need, signed, neither revoked nor over, and bound to exactly this
// principal, contract and set of arguments. What is left of them the ledger says, finally in admit.

import { type Approval, isIntact } from '../../contract/approval/approval.ts'
import { countVotes, covers, type Requirement } from '../../contract/approval/approval-pattern.ts'
import type { StandingGrant } from '../../contract/approval/standing-grant.ts'
import type { CounterClaim } from '../../contract/call/claim.ts'
import { canonicalize } from '../../json/canonical.ts'
import type { EpochMs } from '../../json/clock.ts'
import { hashJson } from '../../json/hash.ts'
import { readPointer } from '../../json/pointer.ts'
import { isObject, type JsonObject, type JsonValue } from '../../json/value.ts'
import type { PublicKey } from '../../ledger/log/keys/public-key.ts'
import { isInForce } from '../../ledger/rules/permit.ts'
import { checkToken } from '../approval-token.ts'
import type { FieldRule, Grant } from './grant.ts'
import { grantClaims } from './grant-claims.ts'
import { readGrant } from './read-grant.ts'
import { isRule, type RuleTree, ruleTree } from './rule-tree.ts'

export interface CoveringGrant {
  readonly id: string
  readonly claims: readonly CounterClaim[]
}

export interface GrantSearch {
  readonly standing: readonly StandingGrant[]
  readonly call: GrantedCall
  readonly requirement: Requirement
  readonly publicKeys: readonly PublicKey[]
  readonly now: EpochMs
}

export function coveringGrants({ standing, ...search }: GrantSearch): readonly CoveringGrant[] {
  return standing.flatMap((grant) => coveringGrant(grant, search) ?? [])
}

function coveringGrant(
  standing: StandingGrant,
  { call, requirement, publicKeys, now }: Omit<GrantSearch, 'standing'>,
): CoveringGrant | undefined {
  const { approval, id } = standing
  if (!isInForce(standing, now) || approval.content === undefined) return undefined
  // What was approved is what is read here: its hash is the payload that the token names, and the one that the packet stands for.
  if (!isIntact(approval, approval.packetHash)) return undefined
  if (!covers(approval.requirement, requirement)) return undefined
  if (checkToken(approval, approval.packetHash, publicKeys, now) !== 'valid') return undefined
  const reading = readGrant(approval.content)
  // Proviso makes no packet that shows other fields than it grants, and none that the granted user approves.
  if (!reading.ok || !isGivenFor(approval, reading.grant)) return undefined
  const match = matchGrant(reading.grant, call, now)
  const claims = match.ok ? grantClaims(id, reading.grant, match.amount) : undefined
  return claims === undefined ? undefined : { id, claims }
}

/** Whether people were shown each of its fields, and enough of them approved, not counting the user whose calls are granted. */
function isGivenFor({ requirement, decisions, question, content }: Approval, { user }: Grant): boolean {
  const shown = question.arguments.map(({ pointer, value }): JsonValue => [pointer, value])
  if (hashJson(shown) !== hashJson(Object.entries((content?.fields ?? {}) as JsonObject))) return false
  return countVotes(requirement, decisions, question.requester.user, [user]).status === 'approved'
}

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
  const reason = grantRefusal(grant, call, now)
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

function grantRefusal(grant: Grant, call: GrantedCall, now: EpochMs): GrantRefusal | undefined {
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
