// A person lets a saga go on that stands still: with a credential, with a reason, and where a step is in doubt with what became of it, said
// by as many people as the higher class of the step and its compensation demands.
import type { VerifyPerson } from '../../approval/verify-person.ts'
import { higherRow, needsRole, reviewRoles, rowOfCall, rowOfStep } from '../../approval/word-class.ts'
import { patternRow, personOf } from '../../contract/approval/approval-pattern.ts'
import type { Identified } from '../../contract/approval/identity.ts'
import type { EffectRow } from '../../contract/effects.ts'
import { Fault } from '../../contract/fault.ts'
import type { JournalEntry, SagaEntry, SagaRecord } from '../../contract/saga/saga.ts'
import { foldJournal, type SagaProgress } from '../../execute/saga/fold-journal.ts'
import type { Ledger } from '../../ledger/ports/ledger.ts'
import { drivenStates } from '../../ledger/rules/saga.ts'
import { sagaSlotKey } from '../call/same-operation.ts'

export interface SagaResumption {
  readonly credential: string
  /** What was mended, or how they know; recorded. */
  readonly why: string
  /** What became of the step that the saga is frozen at, where that is in doubt. */
  readonly effect?: 'happened' | 'none'
}

export type SagaResumed =
  /** It goes on wherever its definition is known. */
  | { readonly kind: 'resumed'; readonly by: string }
  /** It was waiting anyway, and looks again now. */
  | { readonly kind: 'woken'; readonly by: string }
  | { readonly kind: 'stated'; readonly by: string; readonly missing: number }
  /** It is over, or being driven: there is nothing to resume. */
  | { readonly kind: 'not_frozen'; readonly by: string }

export interface ResumeSagaInput {
  readonly ledger: Ledger
  readonly verify: VerifyPerson
}

export async function resumeSaga(
  { ledger, verify }: ResumeSagaInput,
  id: string,
  { credential, why, effect }: SagaResumption,
): Promise<SagaResumed> {
  if (typeof why !== 'string' || why.trim() === '') throw new Fault('bad_options', 'Say why the saga is resumed.')
  if (typeof credential !== 'string' || credential === '')
    throw new Fault('bad_options', 'Resuming a saga needs the credential of the person who does.')
  const person = await verify(credential)
  const saga = await ledger.sagas.get(id, person.tenant)
  if (saga === undefined) throw new Fault('bad_options', `There is no saga ${id.slice(0, 64)}.`)
  const by = person.user
  if (saga.state === 'WAITING') {
    needsRole(person, reviewRoles, 'Waking it')
    await ledger.sagas.wake(saga.tenant, saga.id)
    return { kind: 'woken', by }
  }
  const journal = await ledger.sagas.journal(id, saga.tenant)
  const progress = foldJournal(journal)
  const { frozen } = progress
  if (frozen === undefined) return { kind: 'not_frozen', by }
  if (frozen.orphaned === true && effect !== undefined)
    throw new Fault(
      'bad_options',
      'Only its definition was missing, and no step is in doubt: resume it without an effect.',
    )
  const row = await rowOf(ledger, frozen, journal, saga)
  mayResume(person, row, saga, effect)
  if (isDoubtful(progress) && effect === undefined)
    throw new Fault('bad_options', 'The step is in doubt: say what became of it, effect "happened" or "none".')
  if (!isDoubtful(progress) && effect !== undefined)
    throw new Fault(
      'bad_options',
      'Its record knows what became of it, and no step is in doubt: mend the cause, and resume it without an effect.',
    )
  const stated = effect === undefined ? undefined : { kind: 'stated' as const, by, why, effect }
  const missing = stated === undefined ? 0 : row.quorum - sayers(journal, stated)
  const entries: SagaEntry[] = stated === undefined ? [] : [stated]
  if (missing <= 0) entries.push({ kind: 'resumed', by, why, effect: effect ?? null })
  const after = foldJournal([...journal, ...entries])
  const { tenant, epoch, seq } = saga
  const goesOn = missing <= 0
  const written = await ledger.sagas.append({
    ...{ tenant, id: saga.id, epoch, seq, entries },
    state: goesOn ? drivenStates[after.direction] : saga.state,
    direction: after.direction,
    dueMs: goesOn ? 0 : undefined,
    undone: goesOn && effect === 'happened' ? undoneBy(saga, progress) : undefined,
    answered: goesOn ? { calls: progress.asked, by } : undefined,
  })
  if (written !== 'written') throw new Fault('bad_options', 'The saga has changed meanwhile. Look at it again.')
  return goesOn ? { kind: 'resumed', by } : { kind: 'stated', by, missing }
}

/** The effect of the step is there, and not as it should be: trying again would tell nothing new. */
function isDoubtful({ frozen, track }: SagaProgress): boolean {
  return frozen !== undefined && frozen.orphaned !== true && track(frozen.step, frozen.direction).happened
}

/** How many people, with this one, have said the same since the saga was frozen. */
function sayers(journal: readonly JournalEntry[], { by, effect }: { by: string; effect: string }): number {
  const since = journal.findLastIndex(({ kind }) => kind === 'frozen')
  const same = journal
    .slice(since)
    .flatMap((line) => (line.kind === 'stated' && line.effect === effect ? [personOf(line.by)] : []))
  return new Set([...same, personOf(by)]).size
}

function mayResume(person: Identified, row: EffectRow, { context }: SagaRecord, effect: string | undefined): void {
  const { roles } = patternRow(row.pattern)
  needsRole(person, roles.length > 0 ? roles : reviewRoles, 'Resuming it')
  const isRequester = context.user !== undefined && personOf(context.user) === personOf(person.user)
  if (effect !== undefined && row.confirmation === 'always' && isRequester)
    throw new Fault('not_permitted', 'Who asked for an operation of this class does not say what became of it.')
}

/** The slot of the step that people say was undone. */
function undoneBy({ tenant, id }: SagaRecord, { frozen, track }: SagaProgress): string | undefined {
  if (frozen?.direction !== 'backward') return undefined
  const { rendered } = track(frozen.step, 'forward')
  if (rendered === undefined) return undefined
  return sagaSlotKey(tenant, rendered.tool, { id, step: frozen.step, direction: 'forward', round: rendered.round })
}

/** Of the call that it stands at, and of the step whose effect is in question: of a compensation, the higher of both. */
async function rowOf(
  ledger: Ledger,
  { call, step, direction }: NonNullable<SagaProgress['frozen']>,
  journal: readonly JournalEntry[],
  { tenant }: SagaRecord,
): Promise<EffectRow> {
  const own = await rowOfCall(ledger, call === null ? undefined : await ledger.calls.get(call, tenant))
  return direction === 'forward' ? own : higherRow(own, await rowOfStep(ledger, journal, step))
}
