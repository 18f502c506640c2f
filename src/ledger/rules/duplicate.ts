// Two attempts of one operation say that they happened: what must never be, so a person is told at once.
import type { Escalation } from '../../contract/approval/approval.ts'
import type { SettleRequest } from '../../contract/call/settlement.ts'

/** The question, but for when it is asked, which the ledger's own clock says. */
export function duplicateOf(
  { tenant, callId, attempt }: Pick<SettleRequest, 'tenant' | 'callId' | 'attempt'>,
  id: string,
): Omit<Escalation, 'at'> {
  return {
    id,
    tenant,
    callId,
    kind: 'duplicate_side_effect',
    message: `Attempt ${attempt} happened after another attempt had taken its place: the effect may be there twice.`,
  }
}
