// The window that requests of a tool are counted in: calls at their admission, and each further start of one that failed.
import type { Tool } from '../../contract/tool/tool.ts'
import type { RateWindow } from '../../ledger/ports/limits.ts'

/** A way back that had to wait for its turn would be none. */
export const unlimited: RateWindow = { scope: 'compensations', windowMs: 1_000, max: 1_000_000_000 }

export function rateOf({ contract: { identity, runtime } }: Tool): RateWindow {
  const { window_sec, max_requests } = runtime.rate_limits
  return { scope: identity.name, windowMs: window_sec * 1_000, max: max_requests }
}
