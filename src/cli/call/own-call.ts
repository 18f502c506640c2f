// The call that a command made, and its facts. An answer from the record carries the id of the call that did the work, and the record of
// a read may trail behind its answer.
import { setTimeout } from 'node:timers/promises'
import type { Fact } from '../../contract/call/fact.ts'
import type { WireAnswer } from '../../contract/wire.ts'
import type { Proviso } from '../../runtime/proviso.ts'

export async function ownCallId(
  proviso: Proviso,
  { observation }: WireAnswer,
  { run, providerCallId }: { readonly run: string; readonly providerCallId: string },
): Promise<string> {
  const told = observation.tool_identity.call_id
  if (!observation.execution_metadata.idempotency_hit) return told
  const newest = await proviso.calls.list({ run })
  return newest.find(({ key }) => key.providerCallId === providerCallId)?.id ?? told
}

const askEveryMs = 20
const patienceMs = 2_000

/** Waits for the last fact of a pass, which is written with all the others. */
export async function factsOf(proviso: Proviso, id: string): Promise<readonly Fact[]> {
  for (let waited = 0; ; waited += askEveryMs) {
    const facts = await proviso.calls.facts(id)
    if (facts.at(-1)?.phase === 'emit' || waited >= patienceMs) return facts
    await setTimeout(askEveryMs)
  }
}
