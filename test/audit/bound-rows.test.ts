// What is written beside facts: an honest ledger always verifies, and a row that was edited is found.
import fc from 'fast-check'
import pg from 'pg'
import { describe, expect, it } from 'vitest'
import { defineTool, openProviso } from '../../src/index.ts'
import { answerText } from '../../src/ledger/postgres/codec/answer-text.ts'
import { asTools } from '../ledger/databases.ts'
import { compare } from '../ledger/model/compare.ts'
import { histories } from '../ledger/model/steps.ts'
import {
  admission,
  answerOf,
  callId,
  callRecord,
  distinct,
  entryOf,
  fact,
  one,
  settlement,
  settleOn,
} from '../ledger/requests.ts'
import { approveAs, keyOf, people } from '../people.ts'
import { auditDesk } from './audit-desk.ts'
import { type Audited, openAudited } from './audited.ts'
import { waiting } from './two-processes.ts'

const desk = auditDesk()

async function onDatabase<T>(work: (audited: Audited, client: pg.Client, url: string) => Promise<T>): Promise<T> {
  const url = await desk.databases.fresh()
  const audited = await openAudited(url, desk.folder, asTools(url))
  const client = new pg.Client(url)
  await client.connect()
  try {
    return await work(audited, client, url)
  } finally {
    await client.end()
    await audited.ledger.close()
  }
}

const kindsOf = async ({ verify }: Audited) =>
  (await verify()).findings.map(({ kind, callId: id }) => `${kind} ${id ?? ''}`)

const waits = { status: 'CONFIRMATION_MISSING', effect: 'pending' } as const

const input = {
  type: 'object',
  properties: { item: { type: 'string' } },
  required: ['item'],
  additionalProperties: false,
} as const

describe('an untouched ledger', () => {
  it('verifies after any history of admissions, settles, amendments and resolutions', async () => {
    await onDatabase(async (audited, client) => {
      await client.query('create table public.moment (ms float8); insert into public.moment values (0)')
      await client.query('grant select on public.moment to proviso_reader')
      await client.query(`create or replace function proviso.clock() returns timestamptz language sql volatile
        as $$ select to_timestamp(ms / 1000) from public.moment $$`)
      const setClock = async (ms: number) => void (await client.query('update public.moment set ms = $1', [ms]))
      const played = fc.asyncProperty(histories, (steps) => compare(steps, { ledger: audited.ledger, setClock }))
      await fc.assert(played, { numRuns: 80 })
      const report = await audited.verify()
      expect(report.findings).toEqual([])
      expect(report.contents).toBeGreaterThan(300)
    })
  }, 120_000)

  it('verifies after approvals, timeouts, recovery, late ends, resolutions, reads and repeated calls', async () => {
    await onDatabase(async (audited, client, url) => {
      const pending = new Map<string, (value: { done: string }) => void>()
      const slow = (item: string) => new Promise<{ done: string }>((resolve) => pending.set(item, resolve))
      const common = { description: 'Handles an item.', input, trusted: true }
      const tools = [
        defineTool({ ...common, name: 'read_v1', effect: 'READ_ONLY', execute: ({ item }) => ({ done: item }) }),
        defineTool({
          ...common,
          name: 'ask_v1',
          effect: 'HIGH_RISK_EXTERNAL',
          execute: ({ item }) => ({ done: item }),
        }),
        defineTool({
          ...common,
          name: 'slow_v1',
          effect: 'MEDIUM_RISK_WRITE',
          timeoutMs: 30,
          execute: ({ item }) => slow(item),
        }),
        defineTool({
          ...common,
          name: 'sure_v1',
          effect: 'MEDIUM_RISK_WRITE',
          timeoutMs: 20_000,
          recovery: { providerWindowMs: 86_400_000 },
          execute: ({ item }) => (pending.has(item) ? { done: item } : slow(item)),
        }),
      ]
      const start = async () =>
        openProviso({
          ledger: (await openAudited(url, desk.folder)).ledger,
          tools,
          identity: people,
          sweepMs: 2_000_000_000,
        })
      const [proviso, other] = [await start(), await start()]
      const where = { tenant: 'acme', user: 'ann', run: 'run-1' }
      const call = (tool: string, item: string, id: string) =>
        proviso.call({ tool, arguments: { item }, callId: id }, where)

      for (const id of ['r1', 'r2', 'r2']) await call('read_v1', 'a', id)
      await call('read_v1', 'a', 'no such')
      await call('nothing_v1', 'a', 'x1')
      const asked = await call('ask_v1', 'a', 'a1')
      await call('ask_v1', 'a', 'a1')
      await approveAs(proviso, asked.approval?.id ?? '', 'boss')
      for (const id of ['a1', 'a1', 'a2']) await call('ask_v1', 'a', id)

      // Held, and then it ends after all; held, and then a person says what became of it, and only then it ends.
      await call('slow_v1', 'late', 's1')
      pending.get('late')?.({ done: 'late' })
      await expect.poll(async () => (await call('slow_v1', 'late', 's1')).effect).toBe('happened')
      const held = await call('slow_v1', 'lost', 's2')
      const resolved = await proviso.calls.resolve(held.observation.tool_identity.call_id, {
        effect: 'happened',
        credential: await keyOf('bob', 'acme'),
        why: 'it is there',
      })
      expect(resolved.kind).toBe('resolved')
      pending.get('lost')?.({ done: 'lost' })
      await call('slow_v1', 'lost', 's3')

      // Taken for gone by another process, which sends again and settles; then the first one comes to its end.
      const first = call('sure_v1', 'twice', 'u1')
      await expect.poll(() => pending.has('twice')).toBe(true)
      await client.query(`update proviso.idempotency_keys set look_after = proviso.clock(), lease_until = proviso.clock()
        where status = 'PENDING' and not held`)
      expect(await other.recover()).toContain('happened')
      pending.get('twice')?.({ done: 'twice, and late' })
      await first
      await call('sure_v1', 'twice', 'u2')

      await proviso.close()
      await other.close()
      const { rows } = await client.query<{ facts: number; calls: number; answers: number }>(
        `select (select count(*)::integer from proviso.facts) as facts, (select count(*)::integer from proviso.calls) as calls,
           (select count(*)::integer from proviso.idempotency_keys where response_body is not null) as answers`,
      )
      const report = await audited.verify()
      expect(report.findings).toEqual([])
      expect(report.contents).toBe(rows[0]?.facts)
      expect([rows[0]?.calls, rows[0]?.answers]).toEqual([expect.any(Number), 3])
    })
  }, 60_000)

  it('verifies where a transaction that began first wrote last', async () => {
    await onDatabase(async (audited, client) => {
      const { ledger } = audited
      // The tool's own write gives its transaction an early number.
      await client.query('create table public.notes (note text); grant insert on public.notes to proviso_tools')
      const request = admission()
      await ledger.operations.admit(request)
      const attempt = { slotKey: request.slot?.key ?? '', generation: 1, nonce: request.nonce }
      const transaction = await ledger.operations.begin?.('acme', attempt)
      await transaction?.query(`insert into public.notes values ('early')`)
      await ledger.operations.record(entryOf({ passes: 2, argumentText: '{"written":"first"}' }))
      await ledger.operations.admit(distinct(2))
      const settled = await transaction?.commit(
        entryOf({ argumentText: '{"written":"last"}' }, { settle: settlement({ nonce: request.nonce }) }),
      )
      const { rows } = await client.query<{ early: boolean }>(
        `select (select ticket from proviso.facts where call_id = $1 order by xid desc limit 1)
           < (select max(ticket) from proviso.facts where call_id = $1) as early`,
        [callId(1)],
      )
      expect([settled, rows[0]?.early]).toEqual(['settled', true])
      expect((await ledger.calls.get(callId(1), 'acme'))?.argumentText).toBe('{"written":"last"}')
      expect(await kindsOf(audited)).toEqual([])
    })
  })

  it('verifies where a pass came after another of its number and left the record as it was', async () => {
    await onDatabase(async (audited) => {
      const { ledger } = audited
      await ledger.operations.admit(admission())
      await settleOn(ledger, { answer: answerOf('first') })
      const before = await ledger.calls.get(one)
      const amend = { slotKey: 'slot-1', generation: 1, answer: answerOf('final') }
      await ledger.operations.record(
        entryOf({ ...waits, passes: 1 }, { facts: [fact({ seq: 2 })], yields: true, amend }),
      )
      await ledger.operations.record(entryOf({ ...waits, passes: 1 }, { facts: [], yields: true }))
      expect(await ledger.calls.get(one)).toEqual(before)
      expect(await kindsOf(audited)).toEqual([])
    })
  })

  it('verifies where names have what no column takes', async () => {
    await onDatabase(async (audited) => {
      for (const [index, name] of ['\ud800', 'a\u0000b', '\udc00\ud800', '\ufffd'].entries())
        await audited.ledger.operations.record(
          entryOf({ id: callId(index + 1), key: { ...callRecord().key, run: name, tool: name } }),
        )
      expect(await kindsOf(audited)).toEqual([])
    })
  })

  it('verifies where such a pass came while the other was being written, and leaves that record, too', async () => {
    await onDatabase(async (audited, client, url) => {
      const { ledger } = audited
      const other = await openAudited(url, desk.folder)
      const holder = new pg.Client(url)
      await holder.connect()
      await ledger.operations.record(entryOf(waits, { facts: [fact()] }))
      await holder.query('begin')
      await holder.query('select 1 from proviso.calls for update')
      const first = ledger.operations.record(entryOf({ passes: 2 }, { facts: [fact({ pass: 2 })] }))
      await expect.poll(() => waiting(client)).toBe(1)
      const second = other.ledger.operations.record(
        entryOf({ passes: 2, ...waits }, { facts: [fact({ pass: 2 })], yields: true }),
      )
      await expect.poll(() => waiting(client)).toBe(2)
      await holder.query('commit')
      await Promise.all([first, second, holder.end()])
      expect(await ledger.calls.get(one)).toMatchObject({ passes: 2, status: 'SUCCESS', effect: 'happened' })
      await other.ledger.close()
      expect(await kindsOf(audited)).toEqual([])
    })
  })
})

const edits: readonly (readonly [what: string, found: string, statement: string])[] = [
  ['arguments', 'call_edited', replaced('"{}"', '"{1}"')],
  ['user', 'call_edited', replaced('"ann"', '"bob"')],
  ['status', 'call_edited', replaced('SUCCESS', 'TIMEOUT')],
  ['listed status', 'call_edited', `update proviso.calls set status = 'TIMEOUT' where id = '${callId(1)}'`],
  ['listed effect', 'call_edited', `update proviso.calls set effect = 'none' where id = '${callId(1)}'`],
  ['listed run', 'call_edited', `update proviso.calls set run = 'run-2' where id = '${callId(1)}'`],
  ['listed tool', 'call_edited', `update proviso.calls set tool = 'other' where id = '${callId(1)}'`],
  ['owner', 'call_edited', `update proviso.calls set tenant = 'other' where id = '${callId(1)}'`],
  ['row', 'call_missing', `delete from proviso.calls where id = '${callId(1)}'`],
  [
    'answer',
    'answer_edited',
    answered(`convert_to(replace(convert_from(response_body, 'UTF8'), 'final', 'forged'), 'UTF8')`),
  ],
  ['answer, by what it was before it was amended', 'answer_edited', answered(`'${answerText(answerOf('first'))}'`)],
  [
    'answer, by that of another operation',
    'answer_edited',
    answered(`(select response_body from proviso.idempotency_keys where slot_key = 'slot-2')`),
  ],
]

function replaced(from: string, to: string): string {
  return `update proviso.calls set body = convert_to(replace(convert_from(body, 'UTF8'), '${from}', '${to}'), 'UTF8')
    where id = '${callId(1)}'`
}

function answered(value: string): string {
  return `update proviso.idempotency_keys set response_body = ${value} where slot_key = 'slot-1'`
}

describe('an audit finds an edit of', () => {
  it.each(edits)("a call's %s", async (_, kind, statement) => {
    await onDatabase(async (audited, client) => {
      const { ledger } = audited
      await ledger.operations.admit(admission())
      await settleOn(ledger, { answer: answerOf('first') })
      await ledger.operations.admit(distinct(2))
      const { key } = callRecord()
      const settle = settlement({ callId: callId(2), slotKey: 'slot-2', answer: answerOf('another') })
      await ledger.operations.record(entryOf({ id: callId(2), key: { ...key, providerCallId: 'p2' } }, { settle }))
      const amend = { slotKey: 'slot-1', generation: 1, answer: answerOf('final') }
      await ledger.operations.record(entryOf({ id: callId(1), key }, { amend }))
      await settleOn(ledger, { effect: 'none', status: 'FAILED_FINAL', answer: answerOf('came late') })
      expect(await kindsOf(audited)).toEqual([])
      const { rowCount } = await client.query(statement)
      expect(rowCount).toBe(1)
      expect(await kindsOf(audited)).toEqual([`${kind} ${callId(1)}`])
    })
  })

  it('the order in which groups were written, to bring back an earlier record', async () => {
    await onDatabase(async (audited, client) => {
      const { ledger, log } = audited
      await ledger.operations.record(entryOf({ argumentText: '{"pass":1}' }))
      const before = await client.query<{ body: Buffer }>('select body from proviso.calls')
      await ledger.operations.record(entryOf({ argumentText: '{"pass":2}' }))
      await log.sequence()
      await client.query(
        'update proviso.facts set ticket = 1000 where ticket = (select min(ticket) from proviso.facts)',
      )
      await client.query('update proviso.calls set body = $1', [before.rows[0]?.body])
      expect(await kindsOf(audited)).toEqual([`content_edited ${callId(1)}`])
    })
  })

  it.each(['', `|| E'\\n'`])(
    'what groups bind, moved into their texts so that rows may be edited %s',
    async (empty) => {
      await onDatabase(async (audited, client) => {
        const { ledger } = audited
        await ledger.operations.admit(admission())
        await settleOn(ledger, { answer: answerOf('final') })
        expect(await kindsOf(audited)).toEqual([])
        const line = (name: string) => `coalesce('${name} ' || encode(binds_${name}, 'hex') || E'\\n', '')`
        const lines = ['call', 'slot', 'answer', 'amended'].map(line).join(' || ')
        await client.query(`update proviso.facts set body = convert_to(${lines} ${empty}, 'UTF8') || body,
        binds_call = null, binds_slot = null, binds_answer = null, binds_amended = null where binds_call is not null`)
        await client.query(replaced('"ann"', '"bob"'))
        await client.query(
          answered(`convert_to(replace(convert_from(response_body, 'UTF8'), 'final', 'forged'), 'UTF8')`),
        )
        expect(await kindsOf(audited)).toEqual([`content_edited ${one}`])
      })
    },
  )

  it('the ledger, by a call that was never made', async () => {
    await onDatabase(async (audited, client) => {
      await audited.ledger.operations.record(entryOf())
      await client.query(`insert into proviso.calls (id, tenant, run, tool, status, effect, body)
        select '${callId(7)}', tenant, run, tool, status, effect, body from proviso.calls`)
      expect(await kindsOf(audited)).toEqual([`call_edited ${callId(7)}`])
    })
  })
})
