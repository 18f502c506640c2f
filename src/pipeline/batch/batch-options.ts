// How the calls of one model step are run together. Options come from the host: what is none is a mistake of the host, and thrown.
import { Fault } from '../../contract/fault.ts'
import { asIs, checkOptions, type OptionTable } from '../../contract/options.ts'

export interface BatchOptions {
  /**
   * In which order answers are given where they are streamed: that of the proposals, which is the default, or as they come. `serial` also
   * runs the calls one after another.
   */
  readonly ordering?: 'preserve_terminal_order' | 'allow_unordered' | 'serial'
  /** How many calls are under way at most, 64 by default. One that waits for a lock is under way. */
  readonly maxParallel?: number
  /**
   * What a call that does not succeed means for those that have not started: nothing, which is the default; the end of them all; or of
   * those that depend on it, by `after` or because they come later on a resource that both lock and one of them changes.
   */
  readonly siblingFailure?: 'ignore' | 'cancel_siblings' | 'cancel_dependent'
  /** By index of a proposal, the indices of earlier ones that have to end first. */
  readonly after?: Readonly<Record<number, readonly number[]>>
  /** What has not started by then is not started any more; what runs is interrupted where its tool may be. */
  readonly deadlineMs?: number
  /**
   * What happens where a call changes what its siblings are judged by, labels of the run or the tools there are. `allow_serial_only`, the
   * default: siblings that heed it run after it, or before. `defer_until_batch_complete`: all are judged as the run was when the batch
   * began. `forbid`: the call is refused.
   */
  readonly contextModifiers?: 'allow_serial_only' | 'defer_until_batch_complete' | 'forbid'
}

export interface BatchRules {
  readonly ordering: NonNullable<BatchOptions['ordering']>
  readonly maxParallel: number
  readonly siblingFailure: NonNullable<BatchOptions['siblingFailure']>
  readonly after: ReadonlyMap<number, readonly number[]>
  readonly deadlineMs: number | undefined
  readonly contextModifiers: NonNullable<BatchOptions['contextModifiers']>
}

/** Their values are judged below. */
const batchOptions: OptionTable<BatchOptions> = {
  ordering: asIs,
  maxParallel: asIs,
  siblingFailure: asIs,
  after: asIs,
  deadlineMs: asIs,
  contextModifiers: asIs,
}

const orderings = ['preserve_terminal_order', 'allow_unordered', 'serial'] as const
const failures = ['ignore', 'cancel_siblings', 'cancel_dependent'] as const
const modifiers = ['allow_serial_only', 'defer_until_batch_complete', 'forbid'] as const

export function readBatchOptions(options: BatchOptions, size: number): BatchRules {
  checkOptions('callAll', batchOptions, options)
  const { maxParallel = 64, deadlineMs } = options
  if (!(Number.isInteger(maxParallel) && maxParallel > 0)) throw refused('maxParallel is a whole number above zero')
  if (deadlineMs !== undefined && !(deadlineMs >= 0)) throw refused('deadlineMs is not negative')
  return {
    ordering: oneOf('ordering', orderings, options.ordering),
    maxParallel,
    siblingFailure: oneOf('siblingFailure', failures, options.siblingFailure),
    after: readAfter(options.after ?? {}, size),
    deadlineMs,
    contextModifiers: oneOf('contextModifiers', modifiers, options.contextModifiers),
  }
}

/** The first choice is the default. */
function oneOf<T extends string>(name: string, choices: readonly [T, ...T[]], given: T | undefined): T {
  const chosen = given ?? choices[0]
  if (!choices.includes(chosen)) throw refused(`${name} is one of ${choices.join(', ')}`)
  return chosen
}

/** A call depends on earlier ones only: so nothing waits in a circle. */
function readAfter(given: NonNullable<BatchOptions['after']>, size: number): BatchRules['after'] {
  const isBefore = (index: number, other: number) => Number.isInteger(other) && other >= 0 && other < index
  const after = new Map<number, readonly number[]>()
  for (const [key, others] of Object.entries(given)) {
    const index = Number(key)
    if (!isBefore(size, index) || !others.every((other) => isBefore(index, other)))
      throw refused('after names, for the index of a proposal, indices of earlier ones')
    after.set(index, [...others])
  }
  return after
}

const refused = (message: string) => new Fault('bad_options', `${message}.`)
