import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ApprovalPattern } from '../effects.ts'
import {
  countVotes,
  covers,
  mergeRequirements,
  patterns,
  quorumOf,
  requirementOf,
  stronger,
  type Vote,
} from './approval-pattern.ts'

const names = Object.keys(patterns) as ApprovalPattern[]
const vote = (by: string, roles: readonly string[] = ['approver'], more: Partial<Vote> = {}): Vote => ({
  by,
  roles,
  kind: 'person',
  verdict: 'approved',
  ...more,
})
const dual = requirementOf('dual_control')

describe('requirements', () => {
  it('have ranks that order the patterns', () => {
    expect(new Set(names.map((name) => patterns[name].rank)).size).toBe(5)
    expect(stronger('dual_control', 'operator_review')).toBe('dual_control')
    expect(stronger('user_consent', 'compliance_gate')).toBe('compliance_gate')
  })

  it('take choices, but never a quorum below the pattern', () => {
    expect(requirementOf('dual_control', { quorum: 1 }).demands).toEqual([
      { decides: 'others', roles: ['approver'], quorum: 2 },
    ])
    expect(quorumOf(requirementOf('operator_review', { quorum: 3 }))).toBe(3)
    expect(requirementOf('operator_review', { roles: ['b', 'a', 'b'], ttlMs: 5 })).toEqual({
      pattern: 'operator_review',
      demands: [{ decides: 'others', roles: ['a', 'b'], quorum: 1 }],
      ttlMs: 5,
    })
    expect(quorumOf(requirementOf('user_consent', { quorum: 4 }))).toBe(1)
  })

  it('merge to the stronger pattern, the larger quorum of equal roles and the shorter time', () => {
    const merged = mergeRequirements(
      requirementOf('operator_review', { roles: ['approver'], quorum: 3, ttlMs: 9_000 }),
      requirementOf('dual_control', { ttlMs: 5_000 }),
    )
    expect(merged).toEqual({
      pattern: 'dual_control',
      demands: [{ decides: 'others', roles: ['approver'], quorum: 3 }],
      ttlMs: 5_000,
    })
  })

  it('are met, once merged, exactly by the votes that meet both', () => {
    const roles = fc.uniqueArray(fc.constantFrom('approver', 'compliance', 'operator'), { maxLength: 2 })
    const requirement = fc
      .record({ pattern: fc.constantFrom(...names), quorum: fc.integer({ min: 1, max: 3 }), roles })
      .map(({ pattern, quorum, roles: chosen }) => requirementOf(pattern, { quorum, roles: chosen }))
    const votes = fc.array(
      fc
        .record({ by: fc.constantFrom('ann', 'Bob', 'bob ', 'cyd', 'dan'), roles })
        .map(({ by, roles: own }) => vote(by, own)),
      { maxLength: 6 },
    )
    fc.assert(
      fc.property(requirement, requirement, votes, fc.constantFrom(undefined, 'ann', 'bob'), (a, b, cast, asker) => {
        const [one, other] = [countVotes(a, cast, asker), countVotes(b, cast, asker)]
        const both = one.status === 'approved' && other.status === 'approved'
        expect(countVotes(mergeRequirements(a, b), cast, asker).status === 'approved').toBe(both)
        expect(mergeRequirements(a, b)).toEqual(mergeRequirements(mergeRequirements(b, a), a))
      }),
      { numRuns: 1_000 },
    )
  })
})

describe('counting votes', () => {
  it('approves once enough different people with the role have said so [TC-219]', () => {
    expect(countVotes(dual, [], 'req')).toMatchObject({
      status: 'pending',
      reason: 'Waiting for 2 people with the role approver.',
    })
    expect(countVotes(dual, [vote('ann')], 'req')).toMatchObject({ status: 'pending', counted: ['ann'] })
    expect(countVotes(dual, [vote('ann'), vote('bob')], 'req')).toEqual({
      status: 'approved',
      reason: 'Approved by ann, bob.',
      counted: ['ann', 'bob'],
      uncounted: [],
    })
  })

  it('gives one person one vote, however the name is spelt', () => {
    expect(countVotes(dual, [vote('ann'), vote(' ANN '), vote('ａnn')], 'req')).toMatchObject({
      status: 'pending',
      uncounted: [
        { by: ' ANN ', why: 'voted_already' },
        { by: 'ａnn', why: 'voted_already' },
      ],
    })
  })

  it('does not count the requester, an agent, a service or a person without the role [TC-219, TC-245]', () => {
    const votes = [
      vote('Req'),
      vote('bot', ['approver'], { kind: 'agent' }),
      vote('cron', ['approver'], { kind: 'service' }),
    ]
    expect(countVotes(dual, [...votes, vote('eve', ['intern']), vote('ann')], 'req')).toMatchObject({
      status: 'pending',
      counted: ['ann'],
      uncounted: [
        { by: 'bot', why: 'not_a_person' },
        { by: 'cron', why: 'not_a_person' },
        { by: 'Req', why: 'is_requester' },
        { by: 'eve', why: 'lacks_role' },
      ],
    })
  })

  it('takes consent from the requester alone', () => {
    const consent = requirementOf('user_consent')
    expect(countVotes(consent, [vote('ann')], 'req')).toMatchObject({
      status: 'pending',
      reason: 'Waiting for the consent of the user who asked.',
      uncounted: [{ by: 'ann', why: 'not_requester' }],
    })
    expect(countVotes(consent, [vote('req', [])], 'req').status).toBe('approved')
    expect(countVotes(consent, [vote('ann')], undefined).status).toBe('pending')
  })

  it('lets any rejection reject, also after enough approvals and by the same person', () => {
    const votes = [vote('ann'), vote('bob'), vote('eve', [], { verdict: 'rejected' })]
    expect(countVotes(dual, votes, 'req')).toEqual({ status: 'rejected', by: 'eve', reason: 'eve rejected it.' })
    expect(countVotes(dual, [vote('ann'), vote('ann', [], { verdict: 'rejected' })], 'req').status).toBe('rejected')
    const unread = { ...vote('ann'), verdict: 'maybe' } as unknown as Vote
    expect(countVotes(dual, [unread], 'req').status).toBe('rejected')
  })

  it('never approves where nothing is demanded or the quorum is no number', () => {
    const votes = [vote('ann'), vote('bob')]
    expect(countVotes({ ...dual, demands: [] }, [], 'req').status).toBe('pending')
    const broken = { ...dual, demands: [{ decides: 'others', roles: [], quorum: Number.NaN } as const] }
    expect(countVotes(broken, votes, 'req').status).toBe('pending')
  })
})

describe('one requirement covers another', () => {
  it('where all votes that satisfy it satisfy the other', () => {
    const dual = requirementOf('dual_control')
    const review = requirementOf('operator_review')
    expect([covers(dual, review), covers(review, dual), covers(dual, dual)]).toEqual([true, false, true])
    expect(covers(requirementOf('operator_review', { roles: [] }), review)).toBe(false)
    expect(covers(review, requirementOf('operator_review', { roles: [] }))).toBe(true)
    expect(covers(dual, requirementOf('user_consent'))).toBe(false)
    expect(covers(requirementOf('compliance_gate'), dual)).toBe(false)
    expect(covers(mergeRequirements(dual, requirementOf('compliance_gate')), requirementOf('compliance_gate'))).toBe(
      true,
    )
  })

  it('never without being satisfied by the same votes', () => {
    const pattern = fc.constantFrom(...(Object.keys(patterns) as ApprovalPattern[]))
    const roles = fc.option(fc.subarray(['approver', 'operator', 'compliance']), { nil: undefined })
    const requirement = fc
      .tuple(pattern, roles, fc.integer({ min: 1, max: 3 }))
      .map(([name, some, quorum]) => requirementOf(name, { roles: some, quorum }))
    const vote = fc.record({
      by: fc.constantFrom('ann', 'bob', 'cleo', 'dora'),
      kind: fc.constantFrom('person' as const, 'agent' as const),
      roles: fc.subarray(['approver', 'operator', 'compliance']),
      verdict: fc.constant('approved' as const),
    })
    fc.assert(
      fc.property(requirement, requirement, fc.array(vote, { maxLength: 6 }), (given, wanted, votes) => {
        fc.pre(covers(given, wanted) && countVotes(given, votes, 'ann').status === 'approved')
        return countVotes(wanted, votes, 'ann').status === 'approved'
      }),
    )
  })
})
