// Counts one more start of a call that was admitted: it is one more request to the provider, and a read that is paid for is paid again.
// What cannot be counted is not started. A way back takes from nothing, however often it is tried.
import type { AdmittedCall } from '../../contract/call/stages.ts'
import type { Tool } from '../../contract/tool/tool.ts'
import type { UncountedStart } from '../../execute/attempt/retry.ts'
import { uuidv7 } from '../../json/id.ts'
import type { RateWindow } from '../../ledger/ports/limits.ts'
import { claimsOfStart } from '../../policy/budgets/claims.ts'
import type { Deps } from '../deps.ts'
import { keyFields } from './operation.ts'

/** A way back that had to wait for its turn would be none. */
export const unlimitedRate: RateWindow = { scope: 'compensations', windowMs: 1_000, max: 1_000_000_000 }

/** The window that requests of a tool are counted in: calls at their admission, and each further start of one that failed. */
export function rateOf({ contract: { identity, runtime } }: Tool): RateWindow {
  const { window_sec, max_requests } = runtime.rate_limits
  return { scope: identity.name, windowMs: window_sec * 1_000, max: max_requests }
}

export async function countStart(call: AdmittedCall, deps: Deps): Promise<UncountedStart | undefined> {
  if (call.saga?.direction === 'backward') return undefined
  const judged = claimsOfStart(call, call.tool, deps.budgets)
  if (!judged.ok) return { why: 'budget_exhausted' }
  try {
    // An admission without an operation: the attempt has its own already, and what a start takes never comes back.
    const admission = await deps.ledger.operations.admit({
      callId: call.id,
      tenant: call.tenant,
      nonce: uuidv7(deps.clock.now(), deps.entropy),
      entry: undefined,
      unseen: false,
      unlabelled: false,
      exact: true,
      slot: undefined,
      generation: 1,
      keyFields: keyFields(call),
      approval: undefined,
      grant: undefined,
      rate: rateOf(call.tool),
      claims: judged.claims,
    })
    switch (admission.kind) {
      case 'admitted':
        return undefined
      case 'rate':
        return { why: 'rate_limited', retryAfterMs: admission.retryAfterMs }
      case 'budget':
        return { why: 'budget_exhausted', ...(admission.resets && { retryAfterMs: admission.resets.afterMs }) }
      default:
        return { why: 'not_counted' }
    }
  } catch (fault) {
    deps.report(fault)
    return { why: 'not_counted' }
  }
}
