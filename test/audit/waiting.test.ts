// Writers to a ledger wait for others, never in a circle: batches, people, renewals of leases, readers of effects and retention.
import { expect, it } from 'vitest'
import { recordCalls } from '../../bench/audit/record-calls.ts'
import {
  answerOf,
  callId,
  callRecord,
  claim,
  distinct,
  entryOf,
  fact,
  settlement,
  unknown,
  verification,
} from '../ledger/requests.ts'
import { auditDesk } from './audit-desk.ts'
import { type Audited, later } from './audited.ts'
import { twoProcesses } from './two-processes.ts'

const onTwo = twoProcesses(auditDesk())
const waits = { status: 'CONFIRMATION_MISSING', effect: 'pending' } as const
const timedOut = { status: 'TIMEOUT', effect: 'unknown' } as const
/** With room for all the calls of a test. */
const roomy = { rate: { scope: 'tool', windowMs: 1_000, max: 1_000_000 }, claims: [claim(1_000_000)] } as const
const keyOf = (number: number) => ({ ...callRecord().key, providerCallId: `p${number}` })

it('lets no two batches with the same calls wait for each other, in any order', () =>
  onTwo(async (first, second) => {
    const numbers = Array.from({ length: 24 }, (_, number) => number + 1)
    const write = ({ ledger }: Audited, number: number, yields: boolean) => {
      const id = callId(number)
      const key = keyOf(number)
      const facts = [fact({ callId: id, pass: 2 })]
      return ledger.operations.record(
        entryOf({ id, key, passes: 2, ...waits }, { facts, ...(yields ? { yields } : {}) }),
      )
    }
    for (const number of numbers) await write(first, number, false)
    for (let round = 0; round < 20; round++) {
      const yields = round % 2 === 1
      await Promise.all([
        ...numbers.map((number) => write(first, number, yields)),
        ...numbers.toReversed().map((number) => write(second, number, yields)),
      ])
    }
  }))

it('lets no reader of an operation wait for a person who says what became of it, and the other way round', () =>
  onTwo(async (first, second) => {
    for (let number = 1; number <= 20; number++) {
      const id = callId(number)
      const key = keyOf(number)
      const slotKey = `slot-${number}`
      await first.ledger.operations.admit(distinct(number, roomy))
      await first.ledger.operations.record(
        entryOf({ id, key, ...timedOut }, { settle: settlement({ callId: id, slotKey, ...unknown }) }),
      )
      const told = entryOf(
        { id, key, passes: 2, status: 'IDEMPOTENCY_CONFLICT', effect: 'unknown' },
        {
          facts: [fact({ callId: id, pass: 2 })],
          yields: true,
          seen: { slotKey, generation: 1, providerCallId: 'new' },
        },
      )
      const [resolved] = await Promise.all([
        second.ledger.operations.resolve({
          callId: id,
          tenant: 'acme',
          effect: 'happened',
          by: 'bob',
          why: 'seen',
          quorum: 1,
        }),
        first.ledger.operations.record(told),
      ])
      expect(resolved.kind).toBe('resolved')
    }
  }))

it('retires while calls are written one by one', () =>
  onTwo(async (first, second) => {
    let writes = 2
    const write = async ({ ledger }: Audited) => {
      for (let round = 0; round < 150; round++) await recordCalls(ledger, { tenant: 'acme', calls: 1 })
      writes--
    }
    const retire = async () => {
      while (writes > 0) await first.log.retire({ before: later(-3), reason: 'old' })
    }
    await Promise.all([write(first), write(second), retire()])
  }))

it('renews leases while their calls end in any order', () =>
  onTwo(
    async ({ ledger }) => {
      for (let round = 0; round < 20; round++) {
        const numbers = Array.from({ length: 60 }, (_, index) => round * 60 + index + 1)
        const requests = numbers.map((number) => ({ number, request: distinct(number, roomy) }))
        await Promise.all(requests.map(({ request }) => ledger.operations.admit(request)))
        await new Promise((resolve) => setTimeout(resolve, 12))
        const ends = requests.toReversed().map(({ number, request: { callId: id, nonce } }) =>
          ledger.operations.record(
            entryOf(
              { id, key: keyOf(number) },
              {
                facts: [fact({ callId: id, seq: 2 })],
                settle: settlement({ callId: id, slotKey: `slot-${number}`, nonce, answer: answerOf('done') }),
              },
            ),
          ),
        )
        expect(new Set(await Promise.all(ends))).toEqual(new Set(['settled']))
      }
    },
    { leaseMs: 60 },
  ))

it('finishes what is read back while the call that has read it itself comes to its end', () =>
  onTwo(async (first, second) => {
    for (let number = 1; number <= 40; number++) {
      const [id, slotKey] = [callId(number), `slot-${number}`]
      const call = { id, key: keyOf(number) }
      await first.ledger.operations.admit(distinct(number, roomy))
      const settle = settlement({ callId: id, slotKey, answer: answerOf('done') })
      const verify = verification({ afterMs: 0, slotKey })
      await first.ledger.operations.record(entryOf(call, { facts: [fact({ callId: id })], settle, verify }))
      const query = { contracts: [callRecord().contractHash], limit: 10, forMs: 30_000 }
      const [due] = await second.ledger.verifications.claim(query)
      if (due === undefined) throw new Error('Nothing is due.')
      await Promise.all([
        second.ledger.verifications.finish(due, entryOf(call, { facts: [fact({ callId: id, seq: 9 })] })),
        first.ledger.operations.record(entryOf(call, { facts: [fact({ callId: id, seq: 5 })], verified: true })),
      ])
    }
  }))
