// A connection that is lost in the hands of a transaction costs nobody else theirs.
import pg from 'pg'
import { afterEach, expect, it, vi } from 'vitest'
import { startServer } from '../../bench/faults/site.ts'
import { postgres } from '../../src/ledger/postgres/postgres.ts'

afterEach(() => vi.restoreAllMocks())

it('gives a connection back whose transaction could not begin', async () => {
  const server = await startServer()
  const site = await server.site()
  const ledger = await postgres(site.url, { connections: 1 })
  const real = pg.Client.prototype.query as (...given: unknown[]) => unknown
  vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...given: unknown[]) {
    if (given[0] === 'begin') return Promise.reject(new Error('Connection terminated'))
    return real.apply(this, given)
  } as never)
  await expect(ledger.begin?.('acme')).rejects.toThrow('Connection terminated')
  // The only connection is free again, so this is answered.
  expect(await ledger.call('018f0000-0000-7000-8000-000000000001')).toBeUndefined()
  vi.restoreAllMocks()
  await ledger.close()
  await site.close()
  await server.stop()
})
