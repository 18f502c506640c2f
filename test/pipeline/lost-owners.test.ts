// Operations whose owners are gone, on a real database: what the next process may conclude, and what it may not.
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { Verification } from '../../src/contract/tool/executor.ts'
import { defineTool, type Ledger, openProviso, type Proviso, ToolError } from '../../src/index.ts'
import type { Operations } from '../../src/ledger/ports/operations.ts'
import { postgres } from '../../src/ledger/postgres/postgres.ts'
import { type Databases, startDatabases } from '../ledger/databases.ts'
import { withOperations } from '../ledger/with-operations.ts'

let databases: Databases

beforeAll(async () => {
  databases = await startDatabases()
})
afterAll(async () => {
  await databases.end()
})

const leaseMs = 150
const context = { tenant: 'acme', run: 'run-1' }

interface Sending {
  readonly key: string | undefined
  readonly number: number
}

const plainInput = {
  type: 'object',
  properties: { to: { type: 'string' } },
  required: ['to'],
  additionalProperties: false,
}

interface Surroundings {
  /** In any way that a tool may say it. */
  readonly input?: object
  readonly onFault?: (fault: unknown) => void
  /** Reads back what became of a request. */
  readonly verify?: () => Verification
  /** What the next process has in place of parts of its ledger. */
  readonly changed?: (ledger: Ledger) => Partial<Operations>
}

/** A provider that is called by a process which then is no more: its first request is taken and never answered. */
async function lostAfterSending(
  later: (sending: Sending) => unknown,
  recovery: { readonly providerWindowMs?: number; readonly horizonMs?: number },
  { input = plainInput, onFault = () => undefined, changed = () => ({}), verify }: Surroundings = {},
) {
  const sent: Sending[] = []
  const tool = defineTool({
    name: 'send_v1',
    description: 'Sends.',
    effect: 'MEDIUM_RISK_WRITE',
    timeoutMs: 2_000,
    recovery,
    input,
    ...(verify === undefined ? {} : { verify: async () => verify() }),
    execute(_args: unknown, { idempotencyKey }) {
      const sending = { key: idempotencyKey, number: sent.length + 1 }
      sent.push(sending)
      return sending.number === 1 ? new Promise<never>(() => undefined) : later(sending)
    },
  })
  const url = await databases.fresh()
  const doomed = await postgres(url, { leaseMs, connections: 2 })
  const first = await openProviso({ ledger: doomed, tools: [tool], sweepMs: 3_600_000 })
  void first.call(proposal('c1'), context)
  await expect.poll(() => sent.length).toBe(1)
  // No process renews its lease any more.
  await doomed.close()
  const ledger: Ledger = await postgres(url, { leaseMs, connections: 3 })
  const own = withOperations(ledger, changed(ledger))
  const next = await openProviso({ ledger: own, tools: [tool], sweepMs: 3_600_000, onFault })
  return { sent, next, ledger, url }
}

const proposal = (callId: string) => ({ tool: 'send_v1', arguments: { to: 'ann' }, callId })

const recovered = async (proviso: Proviso) => {
  let outcomes: readonly string[] = []
  await expect
    .poll(
      async () => {
        outcomes = await proviso.recover()
        return outcomes.length
      },
      { timeout: 10_000 },
    )
    .toBeGreaterThan(0)
  return outcomes
}

describe('an operation whose owner is gone', () => {
  it('is sent again under the same key, and comes to its end [killed-after-effect-once] [TC-175, TC-328, TC-461]', async () => {
    const { sent, next } = await lostAfterSending(() => ({ ok: true }), { providerWindowMs: 60_000 })
    expect(await recovered(next)).toEqual(['happened'])
    expect([sent.length, new Set(sent.map(({ key }) => key)).size]).toEqual([2, 1])
    const again = await next.call(proposal('c2'), context)
    expect([again.effect, sent.length]).toEqual(['happened', 2])
    await next.close()
  })

  it('is asked for its owner before the world is read: what the owner does after that is not in the reading [TC-176]', async () => {
    const order: string[] = []
    const { next } = await lostAfterSending(
      () => ({ ok: true }),
      { horizonMs: 10 },
      {
        verify() {
          order.push('read')
          return { status: 'absent', message: 'There is no trace of it.' }
        },
        changed: ({ operations }) => ({
          async fence(slot) {
            const owner = await operations.fence(slot)
            order.push(owner)
            return owner
          },
        }),
      },
    )
    await expect.poll(() => next.recover(), { timeout: 15_000, interval: 100 }).toContain('none')
    expect(order.slice(-2)).toEqual(['dead', 'read'])
    await next.close()
  })

  it('is not taken for undone because the second request did nothing: the first may have', async () => {
    const decline = () => {
      throw new ToolError('declined', 'Not today.', { effect: 'none' })
    }
    const { sent, next } = await lostAfterSending(decline, { providerWindowMs: 60_000 })
    expect(await recovered(next)).toEqual(['later'])
    const again = await next.call(proposal('c2'), context)
    expect([again.effect, again.response.retryable, sent.length]).toEqual(['unknown', true, 2])
    await next.close()
  })

  it('is not taken for undone because the second request says so late, either [late-settle-resolves]', async () => {
    let decline: (error: unknown) => void = () => undefined
    const later = ({ number }: Sending) =>
      number === 2
        ? new Promise<never>((_, fail) => {
            decline = fail
          })
        : { ok: true }
    const { sent, next } = await lostAfterSending(later, { providerWindowMs: 60_000 })
    expect(await recovered(next)).toEqual(['later'])
    decline(new ToolError('declined', 'Not today.', { effect: 'none' }))
    // A late end is written in turn, as all ends are: what another call leaves stands behind it.
    await next.call(proposal('c3'), { ...context, run: 'run-2' })
    const again = await next.call(proposal('c2'), context)
    expect([again.effect, again.response.retryable, sent.length]).toEqual(['unknown', true, 3])
    await next.close()
  })

  it('is not sent again once the provider may have forgotten its key, but held for a person [TC-462]', async () => {
    const { sent, next, ledger } = await lostAfterSending(() => ({ ok: true }), { providerWindowMs: 1_000 })
    expect(await recovered(next)).toEqual(['held'])
    expect(sent).toHaveLength(1)
    expect((await ledger.calls.escalations('acme')).map(({ kind }) => kind)).toEqual(['unknown_effect'])
    await next.close()
  })

  it('is held for a person where its schema library comes to no end, and who runs the process is told why', async () => {
    let stuck = false
    const input = z.strictObject({
      // No JSON: it is made anew out of the arguments.
      to: z.string().transform(async (to) => (stuck ? new Promise<never>(() => undefined) : Symbol.for(to))),
    })
    const faults: unknown[] = []
    const onFault = (fault: unknown) => void faults.push(fault)
    const { sent, next } = await lostAfterSending(() => ({}), { providerWindowMs: 60_000 }, { input, onFault })
    stuck = true
    expect(await recovered(next)).toEqual(['held'])
    expect(faults.map(String)).toEqual(['Error: not finished within 2000 ms'])
    expect(sent).toHaveLength(1)
    await next.close()
  })

  it('is held for a person where every try to find out about it has failed for some time [TC-328]', async () => {
    const faults: unknown[] = []
    const { next, ledger, url } = await lostAfterSending(
      () => ({ ok: true }),
      { providerWindowMs: 86_400_000 },
      {
        onFault: (fault) => void faults.push(fault),
        // It is started anew, and what comes after that fails each time.
        changed: ({ operations }) => ({
          async restart(lost, restart) {
            await operations.restart(lost, restart)
            throw new Error('The disk of this process is full.')
          },
        }),
      },
    )
    expect(await recovered(next)).toEqual(['later'])
    expect(await ledger.calls.escalations('acme')).toEqual([])
    const admin = new pg.Client(url)
    await admin.connect()
    await admin.query(
      `update proviso.idempotency_keys set look_after = proviso.clock(), admitted_at = admitted_at - interval '602 s'`,
    )
    await admin.end()
    expect(await recovered(next)).toEqual(['held'])
    expect((await ledger.calls.escalations('acme')).map(({ kind }) => kind)).toEqual(['unknown_effect'])
    expect(faults.map(String)).toEqual(Array(2).fill('Error: The disk of this process is full.'))
    expect(await next.recover()).toEqual([])
    await next.close()
  })
})

it('takes a word that is none of the three for no word at all', () => {
  expect(new ToolError('x', 'y', { effect: 'Happened' as never }).effect).toBe('unknown')
  expect(new ToolError('x', 'y'.repeat(1_000_000)).message).toHaveLength(2_000)
})
