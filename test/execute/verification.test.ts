// Effects that are read back within the call: what each discrepancy makes of the answer, the record and the questions to people.
import { describe, expect, it } from 'vitest'
import { type Answer, defineTool, type JsonObject, type Proviso } from '../../src/index.ts'
import { classOf, context, open, warningsOf } from '../pipeline/bench-desk.ts'
import { type Books, enterPayment, ledgerOf, openBooks, payment } from './books.ts'

const idOf = (answer: Answer) => answer.observation.tool_identity.call_id
const reportOf = async (proviso: Proviso, answer: Answer) => (await proviso.calls.get(idOf(answer)))?.verification
const kinds = async (proviso: Proviso) => (await proviso.escalations.list()).map(({ kind }) => kind)

async function entered(change: (books: Books) => void = () => undefined) {
  const books = openBooks()
  change(books)
  const proviso = await open(enterPayment(books, 'LOW_RISK_INTERNAL', { compensation: 'enter_payment_v1' }))
  const answer = await proviso.call(payment('c1'), context)
  return { books, proviso, answer, report: await reportOf(proviso, answer) }
}

const wrong = (change: JsonObject) => (books: Books) => {
  const { write } = books
  books.write = (...args) => ({ ...write(...args), ...change })
}

const nothing = (books: Books) => {
  books.write = () => undefined
}

describe('an effect that is read back', () => {
  it('is committed and audit-confirmed where every predicate holds [predicates-decide] [TC-425]', async () => {
    const { answer, report, proviso } = await entered()
    expect([classOf(answer), warningsOf(answer), await kinds(proviso)]).toEqual(['SUCCESS', [], []])
    expect(report).toMatchObject({
      execution: 'COMMITTED',
      state: 'VERIFIED',
      reconciliation: 'RECONCILED_SUCCESS',
      discrepancy: null,
      trust: 4,
      action: 'none',
      target: 'id="p-1"',
      reads: 1,
    })
    const facts = await proviso.calls.facts(idOf(answer))
    expect(facts.find(({ phase }) => phase === 'verify')?.evidence).toMatchObject({ state: 'VERIFIED', trust: 4 })
  })

  it.each([
    ['no_op_success', nothing, 'RECONCILED_FAILURE', 'compensate'],
    ['wrong_target', wrong({ id: 'p-2' }), 'REVIEW_REQUIRED', 'freeze_and_alarm'],
    ['value_mismatch', wrong({ amount: '13.00' }), 'REVIEW_REQUIRED', 'compensate'],
    ['value_mismatch', wrong({ payer: 'eve' }), 'REVIEW_REQUIRED', 'compensate'],
  ] as const)(
    'is %s, asked of people and told to duplicates [predicates-decide] [verifier-failure-compensates] [TC-079, TC-080, TC-320, TC-418, TC-443, TC-445, TC-449]',
    async (discrepancy, change, reconciliation, action) => {
      const { answer, report, proviso } = await entered(change)
      expect([classOf(answer), answer.effect, answer.response.next_action]).toEqual([
        'COMPENSATION_REQUIRED',
        'happened',
        'run_compensation',
      ])
      expect(report).toMatchObject({ state: 'FAILED', discrepancy, reconciliation, action })
      expect(await kinds(proviso)).toEqual(['verification_failed'])
      expect(classOf(await proviso.call(payment('c1'), context))).toBe('COMPENSATION_REQUIRED')
      expect((await proviso.calls.get(idOf(answer)))?.verification).toMatchObject({ discrepancy })
    },
  )

  it('shows no value of what was read, only places', async () => {
    const { report, answer } = await entered(wrong({ amount: '987654.00' }))
    expect(report?.unmet).toEqual(['books: /amount equals'])
    expect(JSON.stringify([report, answer])).not.toContain('987654')
  })

  it('is unverifiable where its reader fails, hangs or answers with no state [unverifiable-is-said]', async () => {
    const readers = [
      () => {
        throw new Error('x')
      },
      () => new Promise<never>(() => undefined),
      () => undefined as never,
      () => 'text' as never,
      () => [] as never,
    ]
    for (const read of readers) {
      const books = openBooks()
      const tool = enterPayment(books, 'LOW_RISK_INTERNAL', { timeoutMs: 30, verify: [ledgerOf(books, { read })] })
      const proviso = await open(tool)
      const answer = await proviso.call(payment('c1'), context)
      expect([classOf(answer), answer.effect, warningsOf(answer)]).toEqual(['SUCCESS', 'happened', ['unverifiable']])
      expect((await reportOf(proviso, answer))?.state).toMatch(/UNVERIFIABLE|TIMEOUT/)
    }
  })

  it('is held against several sources, which must agree', async () => {
    const books = openBooks()
    const other = ledgerOf(books, { source: 'statement', read: () => null })
    const proviso = await open(enterPayment(books, 'LOW_RISK_INTERNAL', { verify: [ledgerOf(books), other] }))
    const answer = await proviso.call(payment('c1'), context)
    expect(classOf(answer)).toBe('COMPENSATION_REQUIRED')
    expect(await reportOf(proviso, answer)).toMatchObject({ reconciliation: 'REVIEW_REQUIRED', trust: 1 })
  })
})

describe('the state of a tool, read again', () => {
  const ticket = (after: (status: string) => JsonObject, writes: JsonObject) => {
    let state: JsonObject = { status: 'open', note: '', version: 1 }
    return defineTool({
      name: 'close_ticket_v1',
      description: 'Closes.',
      effect: 'MEDIUM_RISK_WRITE',
      input: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'], additionalProperties: false },
      resource: '/id',
      trusted: true,
      state: { read: () => state, after: (before: JsonObject) => ({ ...before, ...after('closed') }) },
      verify: 'state',
      execute: () => {
        state = { ...state, ...writes }
        return { ok: true }
      },
    })
  }
  const close = { tool: 'close_ticket_v1', arguments: { id: 't-1' }, callId: 'c1' }

  it('must be what was foretold, and is then reconciled with what was before [predicates-decide]', async () => {
    const proviso = await open(ticket((status) => ({ status }), { status: 'closed' }))
    expect(await reportOf(proviso, await proviso.call(close, context))).toMatchObject({ state: 'VERIFIED', trust: 3 })
  })

  it('tells partial application from nothing at all, and names what was not expected [TC-447]', async () => {
    const expected = (status: string) => ({ status, note: 'done' })
    const half = await open(ticket(expected, { status: 'closed' }))
    const partial = await half.call(close, context)
    expect([classOf(partial), (await reportOf(half, partial))?.discrepancy]).toEqual([
      'PARTIAL_SUCCESS',
      'partial_application',
    ])
    const none = await open(ticket(expected, {}))
    expect((await reportOf(none, await none.call(close, context)))?.discrepancy).toBe('no_op_success')
    const more = await open(ticket((status) => ({ status }), { status: 'closed', owner: 'eve' }))
    expect(await reportOf(more, await more.call(close, context))).toMatchObject({ unexpected: ['owner'] })
  })
})

describe('the verification hints of an observation', () => {
  it('say what to read, what to expect there and how long to wait, and nothing sensitive [TC-271, TC-338]', async () => {
    const books = openBooks()
    const proviso = await open(enterPayment(books, 'LOW_RISK_INTERNAL', { delayMs: 90_000 }))
    const { observation } = await proviso.call(payment('c1'), context)
    expect(observation.verification).toMatchObject({
      post_action_verification_required: true,
      target_state_reference: 'id="p-1"',
      delay_seconds: 90,
      expected_state: { '/id': 'p-1', '/amount': 12, '/status': { in: ['entered', 'cleared'] } },
    })
    await proviso.close()
  })
})
