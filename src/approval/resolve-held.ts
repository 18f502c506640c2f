// A person says what became of a held operation, with a credential and with as many others as its effect class demands: to say that nothing
// happened lets it run again.
import { patternRow, personOf } from '../contract/approval/approval-pattern.ts'
import { Fault } from '../contract/fault.ts'
import type { Ledger } from '../ledger/ports/ledger.ts'
import type { ResolutionOutcome } from '../ledger/ports/operations.ts'
import type { VerifyPerson } from './verify-person.ts'
import { needsRole, rowOfCall } from './word-class.ts'

export interface ResolutionInput {
  readonly effect: 'happened' | 'none'
  /** How they know; recorded. */
  readonly why: string
  readonly credential: string
}

export async function resolveHeld(
  ledger: Ledger,
  verify: VerifyPerson,
  id: string,
  { effect, why, credential }: ResolutionInput,
): Promise<ResolutionOutcome & { readonly by: string }> {
  if (effect !== 'happened' && effect !== 'none') throw new Fault('bad_options', 'effect is "happened" or "none".')
  if (typeof why !== 'string' || why.trim() === '') throw new Fault('bad_options', 'A resolution says why.')
  if (typeof credential !== 'string' || credential === '')
    throw new Fault('bad_options', 'A resolution needs the credential of the person who says so.')
  const person = await verify(credential)
  const call = await ledger.calls.get(id, person.tenant)
  if (call === undefined) throw new Fault('unknown_call', `There is no call ${id.slice(0, 64)}.`)
  const row = await rowOfCall(ledger, call)
  needsRole(person, patternRow(row.pattern).roles, 'Saying so')
  const { user } = call.principal
  if (row.confirmation === 'always' && user !== undefined && personOf(user) === personOf(person.user))
    throw new Fault('not_permitted', 'Who asked for an operation of this class does not say what became of it.')
  const { tenant, user: by } = person
  const resolved = await ledger.operations.resolve({ callId: id, tenant, effect, by, why, quorum: row.quorum })
  return { ...resolved, by }
}
