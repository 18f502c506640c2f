// Which runs get a canary: a hash of tenant, run and tool against the share. Every process decides the same for a run, a larger share only
// adds runs, and the runs of one tool say nothing about those of another.
import type { Canary } from '../../contract/release/version-decision.ts'
import { hashFields } from '../../json/hash.ts'

/** As many hexadecimal digits as a number holds exactly. */
const digits = 13

/** Where the run lies for this tool: from 0 to just below 1, in steps of 2^-52. */
export function canaryPlace(tenant: string, run: string, tool: string): number {
  const hash = hashFields('proviso.canary.v1', [tenant, run, tool])
  return Number.parseInt(hash.slice(0, digits), 16) / 16 ** digits
}

/** A call outside of any run has no stable place: it gets a canary only where the share is everything. */
export function getsCanary(
  canary: Canary,
  who: { readonly tenant: string; readonly run: string | undefined },
  tool: string,
): boolean {
  if (canary.tenants !== undefined && !canary.tenants.includes(who.tenant)) return false
  return canary.share >= 1 || (who.run !== undefined && canaryPlace(who.tenant, who.run, tool) < canary.share)
}
