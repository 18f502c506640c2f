// Records calls the way the pipeline does, two groups each, without running it: the log sees no difference.
import { type EpochMs, epochMs } from '../../src/json/clock.ts'
import { systemEntropy, uuidv7 } from '../../src/json/id.ts'
import type { CallRecord, Ledger } from '../../src/ledger/ledger.ts'

export interface Recording {
  readonly tenant: string
  readonly calls: number
  /** When the first call was made; each later one a millisecond after. */
  readonly from?: number
}

/** Returns the ids, oldest first. */
export async function recordCalls(ledger: Ledger, { tenant, calls, from = Date.now() }: Recording): Promise<string[]> {
  const ids = Array.from({ length: calls }, (_, at) => uuidv7(epochMs(from + at), systemEntropy))
  await Promise.all(
    ids.map(async (id, at) => {
      for (const group of [1, 2]) await ledger.record(entryOf(id, tenant, group, epochMs(from + at)))
    }),
  )
  return ids
}

const entryOf = (callId: string, tenant: string, group: number, at: EpochMs) => ({
  call: callOf(callId, tenant, at),
  facts: [
    {
      callId,
      pass: 1,
      seq: group,
      phase: group === 1 ? ('admit' as const) : ('emit' as const),
      at,
      micros: 120,
      verdict: { kind: 'pass' as const },
      evidence: { note: `group ${group} of ${callId}`, text: 'naïve — “quoted”' },
    },
  ],
  findAgain: true,
})

const callOf = (id: string, tenant: string, startedAt: EpochMs): CallRecord => ({
  id,
  key: { tenant, run: 'run-1', providerCallId: id, tool: 'book_items', inputHash: id },
  workflow: undefined,
  traceId: id,
  principal: { user: 'ann', roles: [], scopes: [], agent: undefined },
  operationId: undefined,
  version: '1.0.0',
  contractHash: 'c',
  argumentText: '{}',
  source: 'text',
  startedAt,
  passes: 1,
  status: 'SUCCESS',
  effect: 'happened',
  latencyMs: 1,
  hookOutputs: undefined,
  permissionInput: undefined,
  callInput: undefined,
  mutations: [],
  tenantNamed: true,
  refusal: undefined,
  surfaceEntry: undefined,
  told: undefined,
})
