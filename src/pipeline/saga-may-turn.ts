// Whether the saga that a call was made for will turn back where that call went wrong: it goes forward and has not passed its pivot, nor
// is it about to.
import type { SagaMark } from '../contract/saga.ts'
import { foldJournal } from '../execute/saga/fold-journal.ts'
import { mayTurn } from '../execute/saga/late-failure.ts'
import type { Ledger } from '../ledger/ledger.ts'

export async function sagaMayTurn(ledger: Ledger, tenant: string, { id, direction }: SagaMark): Promise<boolean> {
  const saga = direction === 'forward' ? await ledger.sagas.get(id, tenant) : undefined
  if (saga === undefined) return false
  const progress = foldJournal(await ledger.sagas.journal(id, tenant))
  if (!mayTurn(saga.plan, progress)) return false
  const pivot = saga.plan.find(({ kind }) => kind === 'pivot')
  const isCalled = pivot !== undefined && progress.track(pivot.id, 'forward').rendered !== undefined
  return !isCalled || saga.state === 'WAITING'
}
