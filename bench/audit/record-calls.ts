// Records calls the way the pipeline does, two groups each, without running it: the log sees no difference.
import { type EpochMs, epochMs } from '../../src/json/clock.ts'
import { systemEntropy, uuidv7 } from '../../src/json/id.ts'
import type { Ledger } from '../../src/ledger/ports/ledger.ts'
import { admission, answerOf, entryOf, fact, keyFields, settlement, slot } from '../../test/ledger/requests.ts'

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
      for (const group of [1, 2]) await ledger.operations.record(passOf(id, tenant, group, epochMs(from + at)))
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
    const { call, facts, findAgain } = passOf(callId, tenant, 1, startedAt)
    const slotKey = `operation-${number}`
    await ledger.operations.admit(
      admission({
        callId,
        tenant,
        nonce,
        entry: { call: { ...call, status: 'RUNNING', effect: 'unknown' }, facts, findAgain },
        slot: slot({ tenant, key: slotKey, operation: slotKey, requestHash: 'aa', providerCallId: callId }),
        keyFields: {
          ...keyFields,
          tenant,
          user: 'ann',
          tool: 'book_items',
          version: '1.0.0',
          operation: slotKey,
          payloadHash: 'aa',
        },
        rate: { scope: 'book_items', windowMs: 1_000, max: 100 },
        claims: [],
      }),
    )
    await ledger.operations.record({
      ...passOf(callId, tenant, 2, startedAt),
      settle: settlement({ callId, tenant, nonce, slotKey, answer: answerOf(`${number}`) }),
    })
  }
}

const passOf = (callId: string, tenant: string, group: number, at: EpochMs) =>
  entryOf(
    {
      id: callId,
      key: { tenant, run: 'run-1', providerCallId: callId, tool: 'book_items', inputHash: callId },
      traceId: callId,
      startedAt: at,
    },
    {
      facts: [
        fact({
          callId,
          seq: group,
          phase: group === 1 ? 'admit' : 'emit',
          at,
          micros: 120,
          evidence: { note: `group ${group} of ${callId}`, text: 'naïve — “quoted”' },
        }),
      ],
    },
  )
