// Two processes on one database, and a test that stops them; in the end the audit is content, and no process has waited in a circle.
import pg from 'pg'
import { expect } from 'vitest'
import type { PostgresOptions } from '../../src/ledger/postgres/options.ts'
import type { auditDesk } from './audit-desk.ts'
import { type Audited, openAudited } from './audited.ts'

export type OnTwo = (
  work: (first: Audited, second: Audited, client: pg.Client, url: string) => Promise<void>,
  options?: PostgresOptions,
) => Promise<void>

export const twoProcesses =
  (desk: ReturnType<typeof auditDesk>): OnTwo =>
  async (work, options) => {
    const url = await desk.databases.fresh()
    const [first, second] = [await openAudited(url, desk.folder, options), await openAudited(url, desk.folder, options)]
    const client = new pg.Client(url)
    await client.connect()
    try {
      try {
        await work(first, second, client, url)
        expect((await first.verify()).findings).toEqual([])
      } finally {
        await Promise.all([first.ledger.close(), second.ledger.close()])
      }
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

/** How many statements wait for another. */
export async function waiting(client: pg.Client): Promise<number | null> {
  const { rowCount } = await client.query(
    `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  )
  return rowCount
}
