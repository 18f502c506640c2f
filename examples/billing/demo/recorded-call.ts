// What the ledger has on a call that was just answered. The record of a read may trail behind its answer, so it is waited for.
import { setTimeout } from 'node:timers/promises'
import type { Fact, Proviso } from '../../../src/index.ts'

export interface RecordedCall {
  readonly id: string
  readonly facts: readonly Fact[]
}

const askEveryMs = 10
const patienceMs = 5_000

export async function recordedCall(
  proviso: Proviso,
  { tenant, run, callId }: { readonly tenant: string; readonly run: string; readonly callId: string | undefined },
): Promise<RecordedCall> {
  const until = performance.now() + patienceMs
  for (;;) {
    const calls = await proviso.calls.list({ tenant, run })
    const id = calls.find(({ key }) => key.providerCallId === callId)?.id ?? ''
    const facts = await proviso.calls.facts(id)
    if (facts.at(-1)?.phase === 'emit' || performance.now() > until) return { id, facts }
    await setTimeout(askEveryMs)
  }
}
