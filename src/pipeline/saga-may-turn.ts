// What the saga that a call was made for does about it where that call went wrong: it turns back while it goes forward and has not passed
// its pivot, nor is about to. A pivot that waits may have happened all the same, and one that goes back undoes the call anyway.
import type { SagaMark } from '../contract/saga/saga.ts'
import { foldJournal } from '../execute/saga/fold-journal.ts'
import { mayTurn } from '../execute/saga/late-failure.ts'
import type { Ledger } from '../ledger/ports/ledger.ts'

export async function sagaMayTurn(
  ledger: Ledger,
  tenant: string,
  { id, direction, step }: SagaMark,
): Promise<'turns' | 'may_turn' | 'goes_back' | 'goes_on'> {
  const saga = direction === 'forward' ? await ledger.sagas.get(id, tenant) : undefined
  if (saga === undefined) return 'goes_on'
  const progress = foldJournal(await ledger.sagas.journal(id, tenant))
  const isCompensable = saga.plan.some((planned) => planned.id === step && planned.kind === 'compensable')
  if (isCompensable && progress.direction === 'backward' && progress.finished === undefined) return 'goes_back'
  if (!mayTurn(saga.plan, progress)) return 'goes_on'
  const pivot = saga.plan.find(({ kind }) => kind === 'pivot')
  if (pivot === undefined || progress.track(pivot.id, 'forward').rendered === undefined) return 'turns'
  return saga.state === 'WAITING' ? 'may_turn' : 'goes_on'
}
