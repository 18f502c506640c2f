// Two attempts of one operation say that they happened: what must never be, so a person is told at once.
import type { Escalation } from '../../contract/approval.ts'
import type { SettleRequest } from '../../contract/settlement.ts'
import type { EpochMs } from '../../json/clock.ts'
import { systemEntropy, uuidv7 } from '../../json/id.ts'

export function duplicateOf({ tenant, callId, attempt }: SettleRequest, at: EpochMs): Escalation {
  return {
    id: uuidv7(at, systemEntropy),
    tenant,
    callId,
    kind: 'duplicate_side_effect',
    message: `Attempt ${attempt} happened after another attempt had taken its place: the effect may be there twice.`,
    at,
  }
}
