// Effects that are read back after their call: put off, not there yet, or left behind by a process that was killed. On memory and on a
// real database, with real processes.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Answer, type Ledger, openProviso, type Proviso } from '../../src/index.ts'
import { memory } from '../../src/ledger/index.ts'
import { postgres } from '../../src/ledger/postgres/postgres.ts'
import { manualClock } from '../../src/public/testing.ts'
import { type Databases, laterBy, startDatabases } from '../ledger/databases.ts'
import { classOf, context, isReplay, warningsOf } from '../pipeline/bench-desk.ts'
import { enterPayment, openBooks, payment } from './books.ts'
import { fileTool } from './ledger-of-files.ts'

let databases: Databases
let folder = ''
beforeAll(async () => {
  databases = await startDatabases()
  folder = await mkdtemp(join(tmpdir(), 'proviso-verification-'))
}, 60_000)
afterAll(async () => {
  await databases.end()
  await rm(folder, { recursive: true, force: true })
}, 60_000)

const idOf = (answer: Answer) => answer.observation.tool_identity.call_id
const never = 3_600_000

/** A Proviso and the same some time later: in memory one that waits, on Postgres another process of which time has passed. */
interface Engine {
  open(tool: Parameters<typeof enterPayment>[2], later?: number): Promise<Proviso>
}

const engines: Readonly<Record<string, (books: ReturnType<typeof openBooks>) => Promise<Engine>>> = {
  async memory(books) {
    const clock = manualClock()
    const ledger = memory({ clock })
    let passed = 0
    return {
      async open(extras, later = 0) {
        clock.advance(later - passed)
        passed = later
        return openProviso({ ledger, clock, tools: [enterPayment(books, 'LOW_RISK_INTERNAL', extras)], sweepMs: never })
      },
    }
  },
  async postgres(books) {
    const url = await databases.fresh()
    return {
      async open(extras, later = 0) {
        const ledger = await postgres(url, { connections: 2, ...laterBy(later) })
        return openProviso({ ledger, tools: [enterPayment(books, 'LOW_RISK_INTERNAL', extras)], sweepMs: never })
      },
    }
  },
}

const extras = { delayMs: 60_000, compensation: 'enter_payment_v1' }

describe.each(Object.keys(engines))('on %s, an effect that is read back later', (name) => {
  const start = async () => {
    const books = openBooks()
    const make = engines[name]
    if (make === undefined) throw new Error('no such engine')
    return { books, engine: await make(books) }
  }

  it('is pending in the answer, and verified by a later fact that the log has [verified-later] [TC-421, TC-439, TC-440]', async () => {
    const { books, engine } = await start()
    const first = await engine.open(extras)
    const answer = await first.call(payment('c1'), context)
    expect([classOf(answer), warningsOf(answer), books.readings]).toEqual(['SUCCESS', ['verification_pending'], 0])
    expect((await first.calls.get(idOf(answer)))?.verification).toMatchObject({
      execution: 'ACCEPTED',
      state: 'PENDING',
      trust: 1,
    })
    expect(await first.verify()).toEqual([])
    const next = await engine.open(extras, 60_001)
    expect(await next.verify()).toEqual(['VERIFIED'])
    const facts = await next.calls.facts(idOf(answer))
    expect(facts.at(-1)).toMatchObject({ phase: 'verify', verdict: { kind: 'verified', state: 'VERIFIED' } })
    expect((await next.calls.get(idOf(answer)))?.verification).toMatchObject({ state: 'VERIFIED', trust: 4 })
    const again = await next.call(payment('c1'), context)
    expect([isReplay(again), warningsOf(again)]).toEqual([true, []])
    expect(await next.calls.replay(idOf(answer))).toEqual(
      expect.arrayContaining([expect.objectContaining({ divergences: [] })]),
    )
    await first.close()
    await next.close()
  })

  it('is COMPENSATION_REQUIRED where it is not there then: people are asked, duplicates are told [verified-later] [verifier-failure-compensates]', async () => {
    const { books, engine } = await start()
    books.write = () => undefined
    const first = await engine.open(extras)
    const answer = await first.call(payment('c1'), context)
    expect(classOf(answer)).toBe('SUCCESS')
    const next = await engine.open(extras, 60_001)
    expect(await next.verify()).toEqual(['FAILED'])
    const record = await next.calls.get(idOf(answer))
    expect(record).toMatchObject({
      status: 'COMPENSATION_REQUIRED',
      effect: 'happened',
      verification: { discrepancy: 'no_op_success', reconciliation: 'RECONCILED_FAILURE', action: 'compensate' },
    })
    expect((await next.escalations.list()).map(({ kind }) => kind)).toEqual(['verification_failed'])
    const again = await next.call(payment('c1'), context)
    expect([classOf(again), isReplay(again), again.response.next_action]).toEqual([
      'COMPENSATION_REQUIRED',
      true,
      'run_compensation',
    ])
    expect((await next.calls.get(idOf(answer)))?.verification?.state).toBe('FAILED')
    await first.close()
    await next.close()
  })

  it('is read again while it may still arrive, ever more seldom, and then no more [verified-later] [TC-451]', async () => {
    const { books, engine } = await start()
    const { write } = books
    books.write = () => undefined
    const slow = { times: 2, everyMs: 1_000, compensation: 'enter_payment_v1' }
    const first = await engine.open(slow)
    const [late, never_] = [
      await first.call(payment('c1', 'late'), context),
      await first.call(payment('c2', 'no'), context),
    ]
    expect((await first.calls.get(idOf(late)))?.verification).toMatchObject({
      state: 'PENDING',
      discrepancy: 'propagation_delay',
      reads: 1,
    })
    const second = await engine.open(slow, 1_001)
    expect(await second.verify()).toEqual(['PENDING', 'PENDING'])
    const key = (await second.calls.facts(idOf(late))).find(({ phase }) => phase === 'admit')?.evidence
    const entry = write('late', 12, (key as { idempotency_key: string }).idempotency_key)
    if (entry !== undefined) books.entries.set('late', entry)
    const third = await engine.open(slow, 3_100)
    expect((await third.verify()).toSorted()).toEqual(['FAILED', 'VERIFIED'])
    expect((await third.calls.get(idOf(never_)))?.verification).toMatchObject({
      reads: 3,
      discrepancy: 'no_op_success',
    })
    const last = await engine.open(slow, 86_400_000)
    expect(await last.verify()).toEqual([])
    for (const proviso of [first, second, third, last]) await proviso.close()
  })

  it('keeps its record when a duplicate is answered before it is read', async () => {
    const { engine } = await start()
    const first = await engine.open(extras)
    const answer = await first.call(payment('c1'), context)
    await first.call(payment('c1'), context)
    expect((await first.calls.get(idOf(answer)))?.verification?.state).toBe('PENDING')
    const next = await engine.open(extras, 60_001)
    expect(await next.verify()).toEqual(['VERIFIED'])
    await first.close()
    await next.close()
  })
})

it('is read by a sweep of its own in memory', async () => {
  const books = openBooks()
  const proviso = await openProviso({
    tools: [enterPayment(books, 'LOW_RISK_INTERNAL', { delayMs: 20 })],
    sweepMs: 10,
  })
  const answer = await proviso.call(payment('c1'), context)
  await expect.poll(async () => (await proviso.calls.get(idOf(answer)))?.verification?.state).toBe('VERIFIED')
  await proviso.close()
})

describe('with real processes', () => {
  const program = new URL('./verifying-process.ts', import.meta.url).pathname
  const said = async (child: ChildProcess, word: string) => {
    let text = ''
    for await (const chunk of child.stdout ?? []) {
      text += String(chunk)
      if (text.includes(word)) return text
    }
    throw new Error(`It ended without saying ${word}: ${text}`)
  }
  const start = (...args: readonly string[]) =>
    spawn(process.execPath, [program, ...args], { stdio: ['pipe', 'pipe', 'inherit'] })

  const killedAfterSettling = async (url: string, delayMs: number, id: string) => {
    const child = start('call', url, folder, String(delayMs), id)
    await said(child, 'settled')
    child.kill('SIGKILL')
    await once(child, 'exit')
  }

  it.each([
    ['at once', 0],
    ['later', 60_000],
  ])(
    'loses no verification that was to come %s when its process is killed after the settle [verified-later] [TC-176]',
    async (_, delayMs) => {
      const url = await databases.fresh()
      await killedAfterSettling(url, delayMs, 'lost')
      await killedAfterSettling(url, delayMs, 'kept')
      const ledger: Ledger = await postgres(url, { connections: 2, ...laterBy(never) })
      const next = await openProviso({ ledger, tools: [fileTool(folder, delayMs)], sweepMs: never })
      expect((await next.verify()).toSorted()).toEqual(['FAILED', 'VERIFIED'])
      const calls = await next.calls.list({ tenant: 'acme' })
      expect(calls.map(({ status }) => status).toSorted()).toEqual(['COMPENSATION_REQUIRED', 'SUCCESS'])
      expect((await next.escalations.list('acme')).map(({ kind }) => kind)).toEqual(['verification_failed'])
      await next.close()
    },
    60_000,
  )

  it('is recorded once where two processes race for it [one-verification-fact]', async () => {
    const url = await databases.fresh()
    const first = await openProviso({ ledger: await postgres(url), tools: [fileTool(folder, 60_000)], sweepMs: never })
    const ids: string[] = []
    for (let n = 0; n < 40; n++) {
      const proposal = { tool: 'file_payment_v1', arguments: { id: `r-${n}`, enter: true }, callId: `c-${n}` }
      ids.push(idOf(await first.call(proposal, context)))
    }
    const racers = [1, 2].map(() => start('verify', url, folder, '60000'))
    await Promise.all(racers.map((child) => said(child, 'ready')))
    const ends = racers.map((child) => once(child, 'exit'))
    for (const child of racers) child.stdin?.write('go\n')
    await Promise.all(ends)
    for (const id of ids) {
      const facts = await first.calls.facts(id)
      expect(facts.filter(({ verdict }) => verdict.kind === 'verified')).toHaveLength(1)
    }
    const readings = (await readFile(join(folder, 'readings'), 'utf8')).split('\n').filter((id) => id.startsWith('r-'))
    expect(readings).toHaveLength(40)
    await first.close()
  }, 60_000)
})
