// The grants that cover a call: given by people whom the call would need, signed, neither revoked nor over, and bound to exactly this
// principal, contract and set of arguments. What is left of them the ledger says, finally in admit.
import { packetHash } from '../../contract/approval.ts'
import { covers, type Requirement } from '../../contract/approval-pattern.ts'
import type { CounterClaim } from '../../contract/settlement.ts'
import { isInForce, type StandingGrant } from '../../contract/standing-grant.ts'
import type { EpochMs } from '../../json/clock.ts'
import { hashJson } from '../../json/hash.ts'
import type { PublicKey } from '../../ledger/log/public-key.ts'
import { checkToken } from '../check-approval.ts'
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
  // What was approved is what is read here: its hash is the payload that the token names.
  if (hashJson(approval.content) !== approval.subject.payloadHash) return undefined
  if (!covers(approval.requirement, requirement)) return undefined
  if (checkToken(approval, packetHash(approval.question, approval.ground), publicKeys, now) !== 'valid')
    return undefined
  const reading = readGrant(approval.content)
  if (!reading.ok) return undefined
  const match = matchGrant(reading.grant, call, now)
  const claims = match.ok ? grantClaims(id, reading.grant, match.amount) : undefined
  return claims === undefined ? undefined : { id, claims }
}
