// What people are still asked about the calls of one run, by every process and for every reason.
import type { Escalation } from '../../src/contract/approval/approval.ts'
import type { Host } from './host.ts'

export async function openQuestionsOf({ proviso }: Host, run: string): Promise<readonly Escalation[]> {
  const calls = new Set((await proviso.calls.list({ run, limit: 1_000 })).map(({ id }) => id))
  return (await proviso.escalations.list('acme')).filter(({ callId }) => calls.has(callId))
}
