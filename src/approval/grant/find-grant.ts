// The grants that cover a call: given by people whom the call would need, signed, neither revoked nor over, and bound to exactly this
// principal, contract and set of arguments. What is left of them the ledger says, finally in admit.
import { type Approval, isWhole } from '../../contract/approval/approval.ts'
import { countVotes, covers, type Requirement } from '../../contract/approval/approval-pattern.ts'
import type { StandingGrant } from '../../contract/approval/standing-grant.ts'
import type { CounterClaim } from '../../contract/call/claim.ts'
import type { EpochMs } from '../../json/clock.ts'
import { hashJson } from '../../json/hash.ts'
import type { JsonObject, JsonValue } from '../../json/value.ts'
import type { PublicKey } from '../../ledger/log/public-key.ts'
import { isInForce } from '../../ledger/rules/permit.ts'
import { checkToken } from '../check-approval.ts'
import type { Grant } from './grant.ts'
import { grantClaims } from './grant-claims.ts'
import { type GrantedCall, matchGrant } from './match-grant.ts'
import { readGrant } from './read-grant.ts'

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
  if (!isWhole(approval, approval.packetHash)) return undefined
  if (!covers(approval.requirement, requirement)) return undefined
  if (checkToken(approval, approval.packetHash, publicKeys, now) !== 'valid') return undefined
  const reading = readGrant(approval.content)
  // A packet that shows other fields than it grants was not made here; nor was one that its own user agreed to.
  if (!reading.ok || !isGivenFor(approval, reading.grant)) return undefined
  const match = matchGrant(reading.grant, call, now)
  const claims = match.ok ? grantClaims(id, reading.grant, match.amount) : undefined
  return claims === undefined ? undefined : { id, claims }
}

/** Row by row what people were shown of its fields, and enough of them without the user whose calls it is about. */
function isGivenFor({ requirement, decisions, question, content }: Approval, { user }: Grant): boolean {
  const shown = question.arguments.map(({ pointer, value }): JsonValue => [pointer, value])
  if (hashJson(shown) !== hashJson(Object.entries((content?.fields ?? {}) as JsonObject))) return false
  return countVotes(requirement, decisions, question.requester.user, [user]).status === 'approved'
}
