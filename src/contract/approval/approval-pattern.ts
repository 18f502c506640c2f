// The five ways in which people decide, one row each, and the counting of their votes. Several requirements are merged to one
// that satisfies each of them. Invariant: no vote of a requester counts where others must decide, and no person counts twice.
import type { ApprovalPattern } from '../effects.ts'

export interface PatternRow {
  readonly title: string
  /** The stronger of two patterns names the merged requirement. */
  readonly rank: number
  /** `requester`: only the user on whose behalf the call is made; `others`: any person but that user. */
  readonly decides: 'requester' | 'others'
  readonly quorum: number
  /** One of these is needed; none: any person may. */
  readonly roles: readonly string[]
  readonly ttlMs: number
  readonly when: string
  /** What the person sees. */
  readonly shows: string
  /** What the decision does. */
  readonly does: string
}

const minute = 60_000
const day = 1_440 * minute

export const patterns = {
  user_consent: {
    title: 'User consent',
    rank: 0,
    decides: 'requester',
    quorum: 1,
    roles: [],
    ttlMs: 10 * minute,
    when: 'Personal folders, private repositories, customer data or sensitive scopes are read.',
    shows: 'The exact resource, scope, duration and the workflow that asks.',
    does: 'Allows this one access, or refuses it.',
  },
  operator_review: {
    title: 'Operator review',
    rank: 2,
    decides: 'others',
    quorum: 1,
    roles: ['operator', 'approver'],
    ttlMs: 10 * minute,
    when: 'Medium-risk writes, changes to internal workflows, or unclear consequences.',
    shows: 'The action, its arguments, the state before and after, and the evidence.',
    does: 'Holds the call until it is approved or rejected.',
  },
  dual_control: {
    title: 'Dual control',
    rank: 3,
    decides: 'others',
    quorum: 2,
    roles: ['approver'],
    ttlMs: 10 * minute,
    when: 'Money moves, access changes, data is deleted, or production is deployed.',
    shows: 'The packet, and who of the required people has approved so far.',
    does: 'Goes ahead once enough different people have approved.',
  },
  compliance_gate: {
    title: 'Compliance gate',
    rank: 4,
    decides: 'others',
    quorum: 1,
    roles: ['compliance'],
    ttlMs: 3 * day,
    when: 'Legal commitments, regulated data, transfers across borders, exceptions from policy.',
    shows: 'Justification, class of data, jurisdiction and the accountable owner.',
    does: 'Blocks the call until compliance approves.',
  },
  async_review: {
    title: 'Async review queue',
    rank: 1,
    decides: 'others',
    quorum: 1,
    roles: ['operator', 'approver'],
    ttlMs: 7 * day,
    when: 'Many actions that can wait for a review in bulk.',
    shows: 'A queue that is sorted, sampled and decided in bulk.',
    does: 'Holds the action until it is approved or runs out.',
  },
} as const satisfies Record<ApprovalPattern, PatternRow>

export const patternNames = Object.keys(patterns) as readonly ApprovalPattern[]

/** The row of a pattern, in the table's general type. */
export function patternRow(pattern: ApprovalPattern): PatternRow {
  return patterns[pattern]
}

/** So many different people, each with one of the roles. */
export interface Demand {
  readonly decides: PatternRow['decides']
  readonly roles: readonly string[]
  readonly quorum: number
}

export interface Requirement {
  readonly pattern: ApprovalPattern
  /** Every one of them has to be met; one vote may count for several. */
  readonly demands: readonly Demand[]
  readonly ttlMs: number
}

export interface RequirementChoices {
  readonly quorum?: number | undefined
  readonly roles?: readonly string[] | undefined
  readonly ttlMs?: number | undefined
}

/** What a pattern asks for, with what the tool or a rule chose; a quorum is never below the pattern's own. */
export function requirementOf(
  pattern: ApprovalPattern,
  { quorum, roles, ttlMs }: RequirementChoices = {},
): Requirement {
  const row = patternRow(pattern)
  // There is only one requester whose consent could be counted.
  const people = row.decides === 'requester' ? 1 : Math.max(row.quorum, quorum ?? row.quorum)
  const demand = { decides: row.decides, roles: inOrder(roles ?? row.roles), quorum: people }
  return { pattern, demands: [demand], ttlMs: ttlMs ?? row.ttlMs }
}

export function stronger(a: ApprovalPattern, b: ApprovalPattern): ApprovalPattern {
  return patterns[a].rank >= patterns[b].rank ? a : b
}

/** Votes satisfy it exactly when they satisfy both: of equal roles the larger quorum, different roles side by side, the shorter time. */
export function mergeRequirements(a: Requirement, b: Requirement): Requirement {
  const merged = new Map<string, Demand>()
  for (const demand of [...a.demands, ...b.demands]) {
    const roles = inOrder(demand.roles)
    const key = JSON.stringify([demand.decides, roles])
    const quorum = Math.max(demand.quorum, merged.get(key)?.quorum ?? 0)
    merged.set(key, { decides: demand.decides, roles, quorum })
  }
  const demands = [...merged].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, demand]) => demand)
  return { pattern: stronger(a.pattern, b.pattern), demands, ttlMs: Math.min(a.ttlMs, b.ttlMs) }
}

/** Whether all votes that satisfy the first satisfy the second as well. */
export function covers(given: Requirement, wanted: Requirement): boolean {
  return wanted.demands.every((other) => given.demands.some((demand) => implies(demand, other)))
}

/** At least as many people, each of whom the other would count. */
function implies(demand: Demand, other: Demand): boolean {
  if (demand.decides !== other.decides || !(demand.quorum >= other.quorum)) return false
  if (other.roles.length === 0) return true
  return demand.roles.length > 0 && demand.roles.every((role) => other.roles.includes(role))
}

/** How many different people it takes at least. */
export function quorumOf({ demands }: Requirement): number {
  return Math.max(0, ...demands.map(({ quorum }) => quorum))
}

export interface Vote {
  readonly by: string
  /** What the credential was issued to; only people decide. */
  readonly kind: 'person' | 'agent' | 'service'
  /** As the credential said at the time of the vote. */
  readonly roles: readonly string[]
  readonly verdict: 'approved' | 'rejected'
}

export type Uncounted = 'not_a_person' | 'is_requester' | 'not_requester' | 'lacks_role' | 'voted_already'

export type VoteCount =
  | { readonly status: 'rejected'; readonly by: string; readonly reason: string }
  | {
      readonly status: 'approved' | 'pending'
      readonly reason: string
      /** Whose approval counts, in order of their first votes. */
      readonly counted: readonly string[]
      readonly uncounted: readonly { readonly by: string; readonly why: Uncounted }[]
    }

/**
 * Any rejection rejects, also one by a person whose approval would not count: every person may stop a call. A call on behalf of no user has
 * no requester: then consent cannot be given at all.
 */
export function countVotes(
  requirement: Requirement,
  votes: readonly Vote[],
  requester: string | undefined,
  /** People who stand behind what is asked for without having asked themselves: their approval counts as little. */
  barred: readonly string[] = [],
): VoteCount {
  const rejection = votes.find(({ verdict }) => verdict !== 'approved')
  if (rejection !== undefined) return { status: 'rejected', by: rejection.by, reason: `${rejection.by} rejected it.` }
  const asker = requester === undefined ? undefined : personOf(requester)
  const excluded = new Set(barred.map(personOf))
  const people = new Map<string, { readonly by: string; readonly roles: Set<string> }>()
  const uncounted: { readonly by: string; readonly why: Uncounted }[] = []
  for (const { by, kind, roles } of votes) {
    const known = people.get(personOf(by))
    if (kind !== 'person' || personOf(by) === '') uncounted.push({ by, why: 'not_a_person' })
    else if (excluded.has(personOf(by))) uncounted.push({ by, why: 'is_requester' })
    else if (known === undefined) people.set(personOf(by), { by, roles: new Set(roles) })
    else {
      for (const role of roles) known.roles.add(role)
      uncounted.push({ by, why: 'voted_already' })
    }
  }
  const counted: string[] = []
  const found = requirement.demands.map(() => 0)
  for (const [person, { by, roles }] of people) {
    const refusals = requirement.demands.map((demand) => whyUncounted(demand, person === asker, roles))
    if (refusals.includes(undefined)) counted.push(by)
    else uncounted.push({ by, why: refusals[0] ?? 'lacks_role' })
    refusals.forEach((why, index) => {
      if (why === undefined) found[index] = (found[index] ?? 0) + 1
    })
  }
  const open = requirement.demands.flatMap((demand, index) => {
    const votesFound = found[index] ?? 0
    // Written so that a quorum which is no number is never reached.
    return votesFound >= demand.quorum ? [] : [lackOf(demand, votesFound)]
  })
  const approved = open.length === 0 && counted.length > 0
  const reason = approved
    ? `Approved by ${counted.join(', ')}.`
    : `Waiting for ${open.join(' and ') || 'a person who may decide'}.`
  return { status: approved ? 'approved' : 'pending', reason, counted, uncounted }
}

/** In words: `2 people with the role approver`; `1 more person` once one has approved. */
function lackOf({ decides, roles, quorum }: Demand, found: number): string {
  if (decides === 'requester') return 'the consent of the user who asked'
  const people = `${quorum - found}${found === 0 ? '' : ' more'} ${quorum - found === 1 ? 'person' : 'people'}`
  return roles.length === 0 ? people : `${people} with the role ${roles.join(' or ')}`
}

function whyUncounted(demand: Demand, isRequester: boolean, roles: ReadonlySet<string>): Uncounted | undefined {
  if (isRequester !== (demand.decides === 'requester')) return isRequester ? 'is_requester' : 'not_requester'
  return demand.roles.length === 0 || demand.roles.some((role) => roles.has(role)) ? undefined : 'lacks_role'
}

/** The same person, however the name is spelt. */
export function personOf(name: string): string {
  return name.normalize('NFKC').trim().toLowerCase()
}

const inOrder = (roles: readonly string[]): readonly string[] => [...new Set(roles)].sort()
