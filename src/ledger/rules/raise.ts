// What an approved request for more of a budget adds, and to which counter. Every engine asks here and adds it in the step that records
// the last vote: an approval whose raise is missing does not exist.
import type { Approval } from '../../contract/approval/approval.ts'
import { hashJson } from '../../json/hash.ts'
import type { Raise } from '../ports/limits.ts'

/** Undefined where nothing is raised, or where it is not what people were shown. */
export function raiseOf({ id, kind, subject, ground, content, decisions }: Approval): Raise | undefined {
  const { name, window_ms: windowMs, amount, why } = content ?? {}
  if (kind !== 'budget' || typeof name !== 'string' || typeof amount !== 'number' || typeof why !== 'string')
    return undefined
  if (hashJson(content ?? {}) !== ground.payloadHash) return undefined
  const by = decisions.map((decision) => decision.by).join(', ')
  return {
    id,
    tenant: subject.tenant,
    name,
    windowMs: typeof windowMs === 'number' ? windowMs : undefined,
    amount,
    by,
    why,
  }
}
