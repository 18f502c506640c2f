// What is promised about a call's effect: one row per way in which a lost attempt can be cleared up, and one per way in which the
// operation was identified.
import type { SlotKind } from '../../contract/call/slot.ts'
import { type EffectClass, effectRow, effects } from '../../contract/effects.ts'
import type { Promised, PromiseKind } from '../../contract/tool/terms.ts'

export interface PromiseInput {
  readonly effectClass: string | null
  readonly promise: Promised | undefined
  /** Undefined where the call was refused before its operation was looked at. */
  readonly slotKind: string | undefined
}

const time = (ms: number | undefined) => (ms === undefined ? 'unknown length' : durationText(ms))

export const effectPromises: Readonly<Record<PromiseKind, (promise: Promised) => string>> = {
  exactly_once: () => 'exactly once: the effect commits together with its record, in the same database',
  once_within_window: ({ windowMs, horizonMs }) =>
    `once within the provider's window of ${time(windowMs)}: a lost attempt is sent again under the same key; after that it is ${
      horizonMs === undefined ? 'held for a person' : 'read back'
    }`,
  once_beyond_horizon: ({ horizonMs }) =>
    `once beyond the horizon, but for an owner that is paused between its last look and its write: a lost attempt is read back, and that nothing is there counts ${time(horizonMs)} after its deadline; a key that the provider honours, or the ledger's own database, leaves no such gap`,
  at_most_once: () => 'at most once, and held when unknown: only a person can tell what became of a lost attempt',
}

export const operationPromises: Readonly<Record<SlotKind, string>> = {
  caller: 'The caller named the operation: all that is sent under this name has one effect.',
  pointer: 'The arguments that the binding points at name the operation: equal ones have one effect.',
  implicit: 'The operation has no name, so the same arguments within one run have one effect.',
  call: 'Every call is an operation of its own: a new call with the same arguments does it again.',
}

const readPromise = 'it changes nothing, so nothing can happen twice; a failed read may simply be made again'

/** The promise in sentences: how often, and what counts as the same operation. */
export function promiseSentences({ effectClass, promise, slotKind }: PromiseInput): readonly string[] {
  if (effectClass === null || !isEffectClass(effectClass)) return ['nothing was promised: no tool was found']
  if (!effectRow(effectClass).mutates) return [readPromise]
  const operation = slotKind !== undefined && isSlotKind(slotKind) ? [operationPromises[slotKind]] : []
  const often = promise !== undefined && isPromiseKind(promise.kind) ? [effectPromises[promise.kind](promise)] : []
  return [...often, ...operation]
}

const isEffectClass = (name: string): name is EffectClass => Object.hasOwn(effects, name)
const isSlotKind = (name: string): name is SlotKind => Object.hasOwn(operationPromises, name)
const isPromiseKind = (name: string): name is PromiseKind => Object.hasOwn(effectPromises, name)

const units = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const

/** A length of time for a person: the largest unit that leaves no remainder. */
export function durationText(ms: number): string {
  const [name, length] = units.find(([, size]) => ms >= size && ms % size === 0) ?? ['millisecond', 1]
  const count = ms / length
  return `${count} ${name}${count === 1 ? '' : 's'}`
}
