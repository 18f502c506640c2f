// Records calls the way the pipeline does, two groups each, without running it: the log sees no difference.
import type { RecordedAnswer } from '../../src/contract/answer.ts'
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

/** Two operations with answers: one row each that is not the call's own. */
export async function recordOperations(ledger: Ledger, tenant: string, from: number): Promise<void> {
  for (const number of [1, 2]) {
    const startedAt = epochMs(from + number)
    const callId = uuidv7(startedAt, systemEntropy)
    const nonce = uuidv7(startedAt, systemEntropy)
    const { call, facts, findAgain } = entryOf(callId, tenant, 1, startedAt)
    const slotKey = `operation-${number}`
    const keyFields = {
      workflow: '',
      run: 'run-1',
      tenant,
      user: 'ann',
      tool: 'book_items',
      version: '1.0.0',
      operation: slotKey,
      payloadHash: 'aa',
    }
    await ledger.admit({
      callId,
      tenant,
      nonce,
      entry: { call: { ...call, status: 'RUNNING', effect: 'unknown' }, facts, findAgain },
      timeoutMs: 1_000,
      unseen: false,
      unlabelled: false,
      exact: false,
      slot: {
        tenant,
        key: slotKey,
        kind: 'implicit',
        operation: slotKey,
        requestHash: 'aa',
        providerCallId: callId,
        run: 'run-1',
        resource: undefined,
      },
      generation: 1,
      keyFields,
      approval: undefined,
      grant: undefined,
      rate: { scope: 'book_items', windowMs: 1_000, max: 100 },
      claims: [],
    })
    await ledger.record({
      ...entryOf(callId, tenant, 2, startedAt),
      settle: {
        callId,
        tenant,
        nonce,
        slotKey,
        generation: 1,
        attempt: 1,
        tries: 1,
        status: 'COMPLETED',
        effect: 'happened',
        held: false,
        answer: answerOf(number),
        ttlMs: undefined,
        rebuild: false,
        named: false,
      },
    })
  }
}

const answerOf = (number: number) =>
  ({ effect: 'happened', observation: { status: { code: 200 } }, response: { number } }) as unknown as RecordedAnswer

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
