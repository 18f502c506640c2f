// A connection that is lost in the hands of a transaction costs no other call its own.

import pg from 'pg'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { startServer } from '../../bench/faults/site.ts'
import { LedgerLost } from '../../src/contract/fault.ts'
import { defineTool, openProviso } from '../../src/index.ts'
import { postgres } from '../../src/ledger/postgres/postgres.ts'
import { asTools } from '../ledger/databases.ts'
import { sagaStart } from '../ledger/requests.ts'

afterEach(() => vi.restoreAllMocks())

it('gives a connection back whose transaction could not begin', async () => {
  const server = await startServer()
  const site = await server.site()
  const ledger = await postgres(site.url, { ...asTools(site.url), connections: 1 })
  const real = pg.Client.prototype.query as (...given: unknown[]) => unknown
  vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...given: unknown[]) {
    if (given[0] === 'begin; reset all') return Promise.reject(new Error('Connection terminated'))
    return real.apply(this, given)
  } as never)
  await expect(ledger.operations.begin?.('acme')).rejects.toThrow('The database was lost')
  // The only connection is free again, so this is answered.
  expect(await ledger.calls.get('018f0000-0000-7000-8000-000000000001')).toBeUndefined()
  vi.restoreAllMocks()
  await ledger.close()
  await site.close()
  await server.stop()
})

it('may call again a tool whose transaction could not begin: nothing was done', async () => {
  const server = await startServer()
  const site = await server.site()
  const ledger = await postgres(site.url, { ...asTools(site.url), connections: 2 })
  let begun = 0
  const proviso = await openProviso({
    // As a connection that is lost when the transaction is to begin.
    ledger: {
      ...ledger,
      operations: {
        ...ledger.operations,
        begin: async (tenant, attempt) => {
          if (begun++ === 0) throw new LedgerLost()
          return (ledger.operations.begin as NonNullable<typeof ledger.operations.begin>)(tenant, attempt)
        },
      },
    },
    tools: [
      defineTool({
        name: 'note_effect',
        description: 'Notes one thing.',
        effect: 'MEDIUM_RISK_WRITE',
        input: {
          type: 'object',
          properties: { id: { type: 'string' } },
          required: ['id'],
          additionalProperties: false,
        },
        commits: 'ledger',
        execute: async ({ id }: { id: string }, { sql }) => {
          await sql?.('insert into world.effects (op) values ($1)', [id])
          return { id }
        },
      }),
    ],
  })
  const call = () => proviso.call({ tool: 'note_effect', arguments: '{"id":"a"}', callId: 'c1' }, { run: 'r1' })
  expect(await call()).toMatchObject({
    effect: 'none',
    observation: { status: { taxonomy_class: 'DEPENDENCY_UNAVAILABLE', retryable: true } },
  })
  expect(await call()).toMatchObject({ effect: 'happened' })
  expect(await site.fired('a')).toBe(1)
  await proviso.close()
  await site.close()
  await server.stop()
})

describe('a saga whose connection is lost', () => {
  type Told = (error: unknown, result?: unknown) => void

  /** The statement of this name is lost the first time: on its way, or on its way back. */
  const losing = (name: string, when: 'before' | 'after') => {
    const real = pg.Client.prototype.query as (...given: unknown[]) => unknown
    const gone = new Error('Connection terminated unexpectedly')
    let lost = 0
    vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...given: unknown[]) {
      if ((given[0] as { readonly name?: unknown }).name !== name || lost++ > 0) return real.apply(this, given)
      const tell = given.at(-1) as Told | undefined
      if (typeof tell !== 'function') {
        const sent = when === 'after' ? Promise.resolve(real.apply(this, given)) : Promise.resolve()
        return sent.then(() => Promise.reject(gone))
      }
      if (when === 'after') return real.apply(this, [...given.slice(0, -1), () => tell(gone)])
      return tell(gone)
    } as never)
  }

  it.each([
    ['before', true],
    ['after', false],
  ] as const)('is begun once, when what begins it is lost %s it is done', async (when, created) => {
    const server = await startServer()
    const site = await server.site()
    const ledger = await postgres(site.url, { connections: 2 })
    losing('saga-create', when)
    const begun = await ledger.sagas.create(sagaStart(), 60_000)
    expect(begun).toMatchObject({ created, saga: { id: 'saga-1', epoch: 1, seq: 1 } })
    expect(await ledger.sagas.list({})).toHaveLength(1)
    vi.restoreAllMocks()
    losing('saga-entries', 'after')
    expect(await ledger.sagas.journal('saga-1', 'acme')).toHaveLength(1)
    vi.restoreAllMocks()
    await ledger.close()
    await site.close()
    await server.stop()
  })
})
