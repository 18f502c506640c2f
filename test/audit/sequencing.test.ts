// The log while everything goes on: several processes that write and sequence, and die in the middle of it.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { recordCalls } from '../../bench/audit/record-calls.ts'
import { auditDesk } from './audit-desk.ts'
import { openAudited, until } from './audited.ts'

const desk = auditDesk()

/** The lock that the sequencing process holds; its number has two halves there. */
const leader = `select pid from pg_locks where locktype = 'advisory' and granted and database = (select oid from pg_database where datname = current_database())
  and classid = 1 and objid = 3171952847`

function startWriter(url: string, tenant: string): ChildProcess {
  const program = fileURLToPath(new URL('./writing-process.ts', import.meta.url))
  return spawn(process.execPath, [program, url, desk.folder, tenant], { stdio: ['ignore', 'pipe', 'inherit'] })
}

async function connected<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

async function openTransactions(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ open: number }>(
    `select count(*)::integer as open from pg_stat_activity
     where datname = current_database() and state <> 'idle' and pid <> pg_backend_pid()`,
  )
  return rows[0]?.open ?? 0
}

describe('the log', () => {
  it('holds while several processes write, and when they are killed, at any moment', async () => {
    const url = await desk.databases.fresh()
    const { ledger, log, verify } = await openAudited(url, desk.folder)
    const writers = ['acme', 'acme', 'other'].map((tenant) => startWriter(url, tenant))
    onTestFinished(() => writers.forEach((writer) => void writer.kill('SIGKILL')))
    await Promise.all(writers.map(({ stdout }) => (stdout === null ? undefined : once(stdout, 'data'))))
    const during = [await verify(), await verify()]
    for (const [at, writer] of writers.entries()) {
      const signed = await log.checkpoint()
      writer.kill('SIGKILL')
      await once(writer, 'exit')
      const kept = signed.ok ? signed.checkpoints.map(({ text }) => text) : []
      if (at < writers.length - 1) during.push(await verify(kept))
    }
    expect(during.flatMap(({ findings }) => findings)).toEqual([])
    // A server does what it has read, also of a process that was killed.
    await connected(url, (client) => expect.poll(() => openTransactions(client)).toBe(0))
    await log.sequence()
    const report = await verify()
    expect(report.findings).toEqual([])
    const groups = await connected(url, (client) =>
      client.query('select count(*)::integer as count from proviso.facts'),
    )
    expect(report.contents).toBe(groups.rows[0].count)
    expect(report.contents).toBeGreaterThan(100)
    await ledger.close()
  })

  it('holds when the connection of its sequencer is cut in the middle of a batch, and goes on', async () => {
    const url = await desk.databases.fresh()
    const { ledger, log, verify } = await openAudited(url, desk.folder)
    await recordCalls(ledger, { tenant: 'acme', calls: 1_500 })
    let cuts = 0
    await connected(url, async (client) => {
      for (let tries = 0; tries < 200 && cuts < 3; tries++) {
        let running = true
        const sequencing = log.sequence().catch(() => undefined)
        void sequencing.finally(() => {
          running = false
        })
        while (running && cuts < 3) {
          const { rows } = await client.query(`select pg_terminate_backend(pid) as cut from (${leader}) l`)
          cuts += rows.length
          if (rows.length > 0) break
        }
        await sequencing
        if (!running && cuts === 0) await recordCalls(ledger, { tenant: 'acme', calls: 200 })
      }
    })
    expect(cuts).toBeGreaterThan(0)
    // A server does what it has read, also of a process that was killed.
    await connected(url, (client) => expect.poll(() => openTransactions(client)).toBe(0))
    await log.sequence()
    const report = await verify()
    expect(report.findings).toEqual([])
    const groups = await connected(url, (client) =>
      client.query('select count(*)::integer as count from proviso.facts'),
    )
    expect(report.contents).toBe(groups.rows[0].count)
    await ledger.close()
  })

  it('is written by any process that has the ledger open, within its delay, without being asked', async () => {
    const url = await desk.databases.fresh()
    const { ledger, verify } = await openAudited(url, desk.folder, { log: { keyFile: join(desk.folder, 'audit.key') } })
    await recordCalls(ledger, { tenant: 'acme', calls: 3 })
    await connected(url, (client) =>
      until(async () => {
        const { rows } = await client.query('select (select count(*) from proviso.log_checkpoints) as signed')
        return rows[0].signed === '1'
      }, 5_000),
    )
    expect(await verify()).toMatchObject({ ok: true, leaves: 6, tenants: [{ agreesWithOwn: 6 }] })
    await ledger.close()
  })

  it('leaves out nothing that commits late', async () => {
    const url = await desk.databases.fresh()
    const { ledger, log, verify } = await openAudited(url, desk.folder)
    await connected(url, async (client) => {
      await client.query('begin')
      await client.query(
        `insert into proviso.facts (call_id, entry, tenant, pass, body) values (gen_random_uuid(), gen_random_uuid(), 'acme', 1, '[]')`,
      )
      await recordCalls(ledger, { tenant: 'acme', calls: 5 })
      // What came after the open transaction waits for it, and is not called late.
      expect(await log.sequence()).toBe(0)
      expect(await verify()).toMatchObject({ ok: true, leaves: 0 })
      await client.query('commit')
    })
    expect(await log.sequence()).toBe(11)
    expect(await verify()).toMatchObject({ ok: true, leaves: 11, contents: 11 })
    await ledger.close()
  })

  it('goes on where the database was moved to a server that counts transactions anew', async () => {
    const url = await desk.databases.fresh()
    const { ledger, log, verify } = await openAudited(url, desk.folder)
    await recordCalls(ledger, { tenant: 'acme', calls: 5 })
    await log.sequence()
    await recordCalls(ledger, { tenant: 'acme', calls: 5 })
    await connected(url, (client) =>
      // As if what is stored came from far ahead.
      client.query(`update proviso.facts set xid = (xid::text::numeric + 1000000000)::text::xid8`),
    )
    await connected(url, (client) => client.query(`update proviso.log_cursor set xid = '1000000500'`))
    await recordCalls(ledger, { tenant: 'acme', calls: 5 })
    expect(await log.sequence()).toBe(20)
    await recordCalls(ledger, { tenant: 'acme', calls: 5 })
    expect(await log.sequence()).toBe(10)
    expect(await verify()).toMatchObject({ ok: true, leaves: 40, contents: 40 })
    await ledger.close()
  })

  it('takes several thousand groups of one transaction in batches', async () => {
    const url = await desk.databases.fresh()
    const { ledger, log, verify } = await openAudited(url, desk.folder)
    await connected(url, (client) =>
      client.query(
        `insert into proviso.facts (call_id, entry, tenant, pass, body)
         select md5((g / 3)::text)::uuid, md5('entry' || g)::uuid, 'acme', 1, ('[' || g || ']')::bytea from generate_series(1, 3100) g`,
      ),
    )
    expect(await log.sequence()).toBe(3_100)
    expect(await verify()).toMatchObject({ ok: true, leaves: 3_100, contents: 3_100 })
    await ledger.close()
  })
})
