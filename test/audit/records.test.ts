// What is known of a call stays true, and the audit content: whatever is sent again, comes late, or is written at the same moment.
import pg from 'pg'
import { expect, it } from 'vitest'
import {
  admission,
  answerOf,
  callId,
  callRecord,
  claim,
  distinct,
  entryOf,
  escalation,
  fact,
  one,
  settlement,
  settleOn,
  slotAt,
  unknown,
} from '../ledger/requests.ts'
import { auditDesk } from './audit-desk.ts'
import { type Audited, openAudited } from './audited.ts'

const desk = auditDesk()
const waits = { status: 'CONFIRMATION_MISSING', effect: 'pending' } as const
const timedOut = { status: 'TIMEOUT', effect: 'unknown' } as const

/** Two processes on one database, and somebody who stops them. They may wait for each other in a circle at no time. */
async function onTwo(work: (first: Audited, second: Audited, client: pg.Client) => Promise<void>): Promise<void> {
  const url = await desk.databases.fresh()
  const [first, second] = [await openAudited(url, desk.folder), await openAudited(url, desk.folder)]
  const client = new pg.Client(url)
  await client.connect()
  try {
    await work(first, second, client)
    expect((await first.verify()).findings).toEqual([])
  } finally {
    await Promise.all([first.ledger.close(), second.ledger.close()])
  }
  try {
    // Sessions tell what they have counted when they end.
    await expect.poll(() => sessions(client)).toBe(1)
    const { rows } = await client.query('select deadlocks from pg_stat_database where datname = current_database()')
    expect(rows).toEqual([{ deadlocks: '0' }])
  } finally {
    await client.end()
  }
}

async function sessions(client: pg.Client): Promise<number | null> {
  const { rowCount } = await client.query(
    `select 1 from pg_stat_activity where datname = current_database() and backend_type = 'client backend'`,
  )
  return rowCount
}

/** How many statements wait for somebody. */
async function waiting(client: pg.Client): Promise<number | null> {
  const { rowCount } = await client.query(
    `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  )
  return rowCount
}

it('keeps the record of a later pass where an earlier one is sent again', () =>
  onTwo(async ({ ledger }) => {
    const first = entryOf(waits, { id: callId(900), facts: [fact()] })
    await ledger.record(first)
    await ledger.record(entryOf({ passes: 2 }, { facts: [fact({ pass: 2 })] }))
    await ledger.record(first)
    expect(await ledger.call(one)).toMatchObject({ passes: 2, status: 'SUCCESS' })
    expect(await ledger.facts(one)).toHaveLength(2)
  }))

it('keeps the last answer where the one before it is sent again', () =>
  onTwo(async ({ ledger }) => {
    await ledger.admit(admission())
    await settleOn(ledger, { answer: answerOf('first') })
    const amends = (text: string, number: number) =>
      entryOf({}, { id: callId(number), amend: { slotKey: 'slot-1', generation: 1, answer: answerOf(text) } })
    await ledger.record(amends('second', 901))
    await ledger.record(amends('third', 902))
    await ledger.record(amends('second', 901))
    expect((await slotAt(ledger))?.answer).toEqual(answerOf('third'))
  }))

it('counts the starts of an attempt once where its end is sent again, and says of a late end again that it was late', () =>
  onTwo(async ({ ledger }) => {
    await ledger.admit(admission())
    const held = entryOf(timedOut, { id: callId(903), settle: settlement(unknown) })
    const late = entryOf(
      { status: 'DEPENDENCY_UNAVAILABLE', effect: 'none' },
      { id: callId(904), settle: settlement(unknown) },
    )
    expect([await ledger.record(held), await ledger.record(held)]).toEqual(['settled', 'settled'])
    expect(await slotAt(ledger)).toMatchObject({ starts: 1, held: true })
    await settleOn(ledger, { answer: answerOf('done') })
    expect([await ledger.record(late), await ledger.record(late)]).toEqual(['late', 'late'])
    expect(await ledger.call(one)).toMatchObject({ status: 'SUCCESS', effect: 'happened' })
  }))

it('ends an attempt whatever its gates have noted', () =>
  onTwo(async ({ ledger }) => {
    const evidence = { noted: '\u0000 \ud800 \\u0000 "pass":7' }
    const entry = entryOf({ status: 'RUNNING', effect: 'unknown' }, { facts: [fact({ evidence })] })
    await ledger.admit(admission({ entry }))
    await settleOn(ledger, { ...unknown, answer: answerOf('nobody knows') })
    expect(await slotAt(ledger)).toMatchObject({ held: true })
    expect((await ledger.facts(one))[0]).toMatchObject({ pass: 1, evidence })
  }))

it('leaves what a late end has written while a person answers what was asked', () =>
  onTwo(async ({ ledger }, other, client) => {
    await ledger.admit(admission())
    const escalations = [escalation(1), escalation(2, { kind: 'duplicate_side_effect' })]
    await ledger.record(entryOf(timedOut, { settle: settlement(unknown), escalations }))
    await client.query('begin')
    await client.query('lock table proviso.facts_other in share mode')
    const late = settleOn(ledger, { answer: answerOf('late') })
    await expect.poll(() => waiting(client)).toBe(1)
    const said = other.ledger.resolve({
      callId: one,
      tenant: 'acme',
      effect: 'none',
      by: 'bob',
      why: 'it is not there',
      quorum: 1,
    })
    await expect.poll(() => waiting(client)).toBe(2)
    await client.query('commit')
    expect([await late, (await said).kind]).toEqual(['settled', 'answered'])
    expect(await ledger.call(one)).toMatchObject({ status: 'SUCCESS', effect: 'happened' })
  }))

it('lets no two batches with the same calls wait for each other, in whatever order they come', () =>
  onTwo(async (first, second) => {
    const numbers = Array.from({ length: 24 }, (_, number) => number + 1)
    const write = ({ ledger }: Audited, number: number, yields: boolean) => {
      const id = callId(number)
      const key = { ...callRecord().key, providerCallId: `p${number}` }
      const facts = [fact({ callId: id, pass: 2 })]
      return ledger.record(entryOf({ id, key, passes: 2, ...waits }, { facts, ...(yields ? { yields } : {}) }))
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

it('lets nobody who is told of an operation wait for a person who says what became of it, and the other way round', () =>
  onTwo(async (first, second) => {
    for (let number = 1; number <= 20; number++) {
      const id = callId(number)
      const key = { ...callRecord().key, providerCallId: `p${number}` }
      const slotKey = `slot-${number}`
      await first.ledger.admit(distinct(number, { claims: [claim(1_000)] }))
      await first.ledger.record(
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
        second.ledger.resolve({ callId: id, tenant: 'acme', effect: 'happened', by: 'bob', why: 'seen', quorum: 1 }),
        first.ledger.record(told),
      ])
      expect(resolved.kind).toBe('resolved')
    }
  }))
