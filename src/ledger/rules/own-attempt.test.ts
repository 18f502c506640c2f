// Who may act for an attempt, and what its record tells of its owner.
import { describe, expect, it } from 'vitest'
import { mayActFor, type Owned, ownerByRecord } from './own-attempt.ts'

const holding = { hasSession: true, isDoubted: false, heldForMs: 999, leaseMs: 1_000 }

describe('a process may act for an attempt', () => {
  it('up to the end of its lease', () => {
    expect(mayActFor(holding)).toBe(true)
    expect(mayActFor({ ...holding, heldForMs: 1_000 })).toBe(false)
  })

  it('not without its session, nor before it is confirmed after a loss', () => {
    expect(mayActFor({ ...holding, hasSession: false })).toBe(false)
    expect(mayActFor({ ...holding, isDoubted: true })).toBe(false)
  })
})

it.each([
  ['none', true, 'dead'],
  ['none', false, 'fenced'],
  ['own', true, 'dead'],
  ['own', false, 'dead'],
  ['unseen', true, 'unseen'],
  ['unseen', false, 'unseen'],
  ['another', true, undefined],
  ['another', false, 'fenced'],
] as const satisfies readonly (readonly [Owned['owner'], boolean, unknown])[])(
  'an owner that is %s, claimed: %s, is %s by the record',
  (owner, isClaimed, stands) => {
    expect(ownerByRecord({ owner, isClaimed })).toBe(stands)
  },
)
