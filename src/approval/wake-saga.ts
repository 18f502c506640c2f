// A saga waits for what people say about one of its calls: then it is woken, and a process that knows its definition takes it up.
import type { Ledger } from '../ledger/ports/ledger.ts'

export interface WokenSaga {
  readonly tenant: string
  readonly id: string
}

export async function wakeSagaOf(ledger: Ledger, callId: string): Promise<WokenSaga | undefined> {
  const call = await ledger.calls.get(callId)
  if (call?.saga === undefined) return undefined
  const woken = { tenant: call.key.tenant, id: call.saga.id }
  await ledger.sagas.wake(woken.tenant, woken.id)
  return woken
}
