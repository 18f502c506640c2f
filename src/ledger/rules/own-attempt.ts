// May a process act for an attempt? Its owner may, as long as it can know that it is the owner. And what does another process find that
// asks for the owner?
import type { Owner } from '../ports/operations.ts'

export interface Holding {
  /** Whether the session of this process is there, or there are none here. Without one others take this process for dead. */
  readonly hasSession: boolean
  /** The session was lost meanwhile, and the database has not confirmed since that the attempt is still this process's own. */
  readonly isDoubted: boolean
  /** How long it has held the attempt, by its own clocks, and how long it may. */
  readonly heldForMs: number
  readonly leaseMs: number
}

/** Asked before every start of an executor, and by the executor before its effect. */
export const mayActFor = ({ hasSession, isDoubted, heldForMs, leaseMs }: Holding): boolean =>
  hasSession && !isDoubted && heldForMs < leaseMs

export interface Owned {
  /** The owner by the record, compared with the process that asks; `none` also where the attempt is over. */
  readonly owner: 'none' | 'own' | 'unseen' | 'another'
  /** The process that asks still has its claim, or the attempt is over. */
  readonly isClaimed: boolean
}

/** The state of the owner by the record; undefined: only ending its session can tell. */
export function ownerByRecord({ owner, isClaimed }: Owned): Owner | undefined {
  switch (owner) {
    case 'none':
      // Given up since it was claimed, so that its owner has acted until a moment ago.
      return isClaimed ? 'dead' : 'fenced'
    case 'own':
      // A process never asks about its own attempt.
      return 'dead'
    case 'unseen':
      return 'unseen'
    case 'another':
      // Another process looks after it by now: what is found here, it has to find as well.
      return isClaimed ? undefined : 'fenced'
  }
}
