// What a call sees of the scheduler: the locks that it holds to its end, and its seat among the calls of its batch.
import type { Answer } from './answer.ts'

/** Readers of a resource share it; a call that changes it has it alone. */
export type LockMode = 'shared' | 'exclusive'

export interface LockWant {
  readonly key: string
  readonly mode: LockMode
  /** Named by the binding, rather than standing for the run or the operation: a later call on it depends on the earlier ones. */
  readonly resource: boolean
}

export interface LockGrant {
  /** Whether anything else ran in between. */
  readonly waited: boolean
  /** Order of arrival, over all locks of the process. */
  readonly ticket: number
  /** Which locks, by names that mean something within this process only, and tell nothing of what they stand for. */
  readonly locks: readonly { readonly id: string; readonly mode: LockMode }[]
}

/** The locks of one call. All are taken together, once. */
export interface CallLocks {
  /** `entangled`: it would wait for a call that waits for it. Undefined: the signal was aborted first. */
  acquire(
    wants: readonly LockWant[],
    signal: AbortSignal | undefined,
  ): LockGrant | 'entangled' | Promise<LockGrant | undefined>
  /** Ends the hold, as soon as no call is left that was made within this one and shares its locks. */
  release(): void
}

/** The place of a call in a batch. Calls that want the same locks ask for them in the order of the proposals. */
export interface Seat {
  readonly batch: string
  readonly index: number
  /** Aborted where the call is not to start any more, or is to be interrupted; undefined where that cannot happen. */
  readonly signal: AbortSignal | undefined
  /** What the run carried when the batch began, where its calls are judged by that. */
  readonly labels: readonly string[] | undefined
  /** Whether the call would change what its siblings are judged by, in a batch that forbids this. */
  changesContext(): boolean
  /** Undefined where no sibling is under way with this slot; otherwise when that one has ended. */
  claims(slotKey: string): Promise<void> | undefined
  /** Undefined where it is this call's turn to ask for its locks. */
  turn(): Promise<void> | undefined
  /** It has asked for these locks. */
  asked(wants: readonly LockWant[]): void
  /** From here on it is interrupted only where its tool may be. */
  starts(): void
  /** What it came to, told before its locks are free. */
  ends(answer: Answer, wants: () => readonly LockWant[]): void
}
