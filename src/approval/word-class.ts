// Which effect class decides who may say what became of a call: that of its tool. To say of a compensation that it was done is to say of its
// step that it was undone, so there the higher class of the two decides.
import { patternRow } from '../contract/approval/approval-pattern.ts'
import type { Identified } from '../contract/approval/identity.ts'
import { type EffectClass, type EffectRow, effectRow, effects } from '../contract/effects.ts'
import { Fault } from '../contract/fault.ts'
import type { SagaEntry } from '../contract/saga/saga.ts'
import { isObject, type JsonObject } from '../json/value.ts'
import type { CallRecord } from '../ledger/ports/calls.ts'
import type { Ledger } from '../ledger/ports/ledger.ts'

/** Of a call that cannot be read, the strictest row. */
export async function rowOfCall(ledger: Ledger, call: CallRecord | undefined): Promise<EffectRow> {
  const own = await ownRow(ledger, call)
  if (call?.saga?.direction !== 'backward') return own
  const journal = await ledger.sagas.journal(call.saga.id, call.key.tenant)
  return higherRow(own, await rowOfStep(ledger, journal, call.saga.step))
}

/** By the last call that was made forward; of a step without any, or with one that cannot be read, the strictest row. */
export async function rowOfStep(ledger: Ledger, journal: readonly SagaEntry[], step: string): Promise<EffectRow> {
  const made = journal.findLast(
    (line) => (line.kind === 'ended' || line.kind === 'waiting') && line.step === step && line.direction === 'forward',
  )
  const id = made !== undefined && 'call' in made ? made.call : null
  return ownRow(ledger, id === null ? undefined : await ledger.calls.get(id))
}

export const higherRow = (a: EffectRow, b: EffectRow): EffectRow => (b.rank > a.rank ? b : a)

/** Throws where this person has none of these roles. */
export function needsRole({ roles }: Identified, wanted: readonly string[], deed: string): void {
  if (wanted.length > 0 && !wanted.some((role) => roles.includes(role)))
    throw new Fault('not_permitted', `${deed} takes the role ${wanted.join(' or ')}.`)
}

/** Of the people who review what an agent does; the least that any word about a saga takes. */
export const reviewRoles: readonly string[] = patternRow('operator_review').roles

async function ownRow(ledger: Ledger, call: CallRecord | undefined): Promise<EffectRow> {
  return rowIn(call === undefined ? undefined : await ledger.calls.contract(call.contractHash))
}

function rowIn(contract: JsonObject | undefined): EffectRow {
  const transactional = contract?.transactional
  const name = isObject(transactional) ? transactional.side_effect_class : undefined
  return effectRow(
    typeof name === 'string' && Object.hasOwn(effects, name) ? (name as EffectClass) : 'CRITICAL_MUTATION',
  )
}
