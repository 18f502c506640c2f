// What is promised about a call's effect: one row per kind of ledger, and one per way in which the operation was identified.
import { type EffectClass, effectRow, effects } from '../../contract/effects.ts'
import type { SlotKind } from '../../contract/slot.ts'

export interface PromiseInput {
  readonly effectClass: string | null
  readonly ledger: 'ephemeral' | 'durable'
  /** Undefined where the call was refused before its operation was looked at. */
  readonly slotKind: string | undefined
}

export const ledgerPromises = {
  ephemeral: 'at most once within this process, held when unknown; the ledger is in memory and ends with the process',
  durable: 'at most once, also across crashes and processes; held when unknown',
} as const satisfies Readonly<Record<PromiseInput['ledger'], string>>

export const operationPromises: Readonly<Record<SlotKind, string>> = {
  caller: 'The caller named the operation: whatever is sent under this name has one effect.',
  pointer: 'The arguments that the binding points at name the operation: equal ones have one effect.',
  implicit: 'Nobody named the operation, so the same arguments within one run have one effect.',
  call: 'Every call is an operation of its own: a new call with the same arguments does it again.',
}

const readPromise = 'it changes nothing, so nothing can happen twice; a failed read may simply be made again'

/** The promise in sentences: how often, and what counts as the same operation. */
export function promiseOf({ effectClass, ledger, slotKind }: PromiseInput): readonly string[] {
  if (effectClass === null || !isEffectClass(effectClass)) return ['nothing was promised: no tool was found']
  if (!effectRow(effectClass).mutates) return [readPromise]
  const operation = slotKind !== undefined && isSlotKind(slotKind) ? [operationPromises[slotKind]] : []
  return [ledgerPromises[ledger], ...operation]
}

const isEffectClass = (name: string): name is EffectClass => Object.hasOwn(effects, name)
const isSlotKind = (name: string): name is SlotKind => Object.hasOwn(operationPromises, name)
