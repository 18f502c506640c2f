// What is dropped, what stays, and what the log says about it.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { PgBoss } from 'pg-boss'
import { describe, expect, it } from 'vitest'
import { recordCalls } from '../../bench/audit/record-calls.ts'
import { splitCheckpoints } from '../../src/ledger/log/kept-checkpoints.ts'
import { verifyProof } from '../../src/ledger/log/proof/verify-proof.ts'
import { openDatabase } from '../../src/ledger/postgres/driver/database.ts'
import { openLog } from '../../src/ledger/postgres/log/open-log.ts'
import { createRepairRows } from '../../src/ledger/postgres/stores/repairs.ts'
import { runOnIntervals, startJobs } from '../../src/ledger/postgres/upkeep/jobs.ts'
import { choresOf, expireSlots } from '../../src/ledger/postgres/upkeep/maintenance.ts'
import { laterBy } from '../ledger/databases.ts'
import { auditDesk } from './audit-desk.ts'
import { later, openAudited, until, weeks } from './audited.ts'

const desk = auditDesk()

async function ask<T extends pg.QueryResultRow>(url: string, text: string, values: unknown[] = []): Promise<T[]> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    return (await client.query<T>(text, values)).rows
  } finally {
    await client.end()
  }
}

const tablesOf = (url: string) =>
  ask<{ relname: string }>(
    url,
    `select relname from pg_class where relkind = 'r' and relname ~ '^(calls|facts)_w' order by relname`,
  )

/** As Proviso writes it. */
const bound = `where (select set_config('proviso.writes', 'on', true) = 'on')`

describe('retention', () => {
  it('drops whole weeks with their salts, and the log verifies and proves what went', async () => {
    const url = await desk.databases.fresh()
    const first = await openAudited(url, desk.folder)
    const ids = await recordCalls(first.ledger, { tenant: 'acme', calls: 10 })
    await first.ledger.close()
    const before = await tablesOf(url)
    expect(before).toHaveLength(8)
    expect(await ask(url, `select 1 from proviso.facts_other`)).toEqual([])

    const { ledger, log, verify, publicKey } = await openAudited(url, desk.folder, laterBy(weeks(2)))
    await log.checkpoint()
    await ledger.runs.addLabels('acme', 'old-run', ['untrusted'])
    const fresh = await recordCalls(ledger, { tenant: 'acme', calls: 4, from: later(2) })
    const retired = await log.retire({ before: later(1), reason: 'two weeks are enough' })
    expect(retired).toMatchObject({ ok: true, tenants: [{ tenant: 'acme', leaves: 20 }], kept: [] })
    const gone =
      before.length - (await tablesOf(url)).filter(({ relname }) => before.some((b) => b.relname === relname)).length
    expect(gone).toBe(2)
    expect(await ledger.calls.get(ids[0] ?? '')).toBeUndefined()
    // What a run carries is remembered for as long as the run is.
    const keys = 'select count(call_id)::integer as calls, count(*)::integer as all from proviso.call_keys'
    expect(await ask(url, keys)).toEqual([{ calls: 4, all: 5 }])
    const report = await verify()
    expect(report.findings).toEqual([])
    // One group says what the run carries.
    expect(report).toMatchObject({ leaves: 30, contents: 9, retired: 20 })

    const proving = await log.prove(ids[4] ?? '')
    const check = verifyProof(proving.ok ? proving.proof : '', [await publicKey()])
    expect(check).toMatchObject({ ok: true, groups: [{ content: 'retired' }, { content: 'retired' }] })
    const still = await log.prove(fresh[0] ?? '')
    expect(verifyProof(still.ok ? still.proof : '', [await publicKey()])).toMatchObject({
      groups: [{ content: 'shown' }, {}],
    })
    await ledger.close()
  })

  it('keeps calls about which something is open, and drops them once it is decided', async () => {
    const url = await desk.databases.fresh()
    const { ledger, log, verify } = await openAudited(url, desk.folder)
    const ids = await recordCalls(ledger, { tenant: 'acme', calls: 5, from: Date.now() - weeks(5) })
    const escalate = `insert into proviso.escalations (id, tenant, call_id, kind, body, opened_at)
      select gen_random_uuid(), 'acme', $1, 'unknown_effect', '{}', now() ${bound}`
    await ask(url, escalate, [ids[2]])
    const goes = await ledger.results.save('acme', ids[1] ?? '', 'goes')
    const stays = await ledger.results.save('acme', ids[2] ?? '', 'stays')
    const retired = await log.retire({ before: later(-2), reason: 'old' })
    expect([await ledger.results.get('acme', goes), await ledger.results.get('acme', stays)]).toEqual([
      undefined,
      'stays',
    ])
    expect(retired).toMatchObject({ ok: true, tenants: [{ leaves: 8 }], kept: [ids[2]] })
    expect(await ledger.calls.facts(ids[2] ?? '')).toHaveLength(2)
    expect((await verify()).findings).toEqual([])
    await ask(url, `update proviso.escalations set resolved_at = now() ${bound}`)
    expect(await log.retire({ before: later(-2), reason: 'old' })).toMatchObject({ tenants: [{ leaves: 2 }], kept: [] })
    expect(await ledger.results.get('acme', stays)).toBeUndefined()
    const report = await verify()
    expect(report.findings).toEqual([])
    expect(report.retired).toBe(10)
    await ledger.close()
  })

  it('moves what is open out of a partition before it goes', async () => {
    const url = await desk.databases.fresh()
    const first = await openAudited(url, desk.folder)
    const ids = await recordCalls(first.ledger, { tenant: 'acme', calls: 3 })
    await ask(
      url,
      `insert into proviso.approvals (id, tenant, call_id, requester, slot_key, generation, payload_hash, body, created_at, expires_at)
       select 'a', 'acme', $1, '[null,null]', 's', 1, 'p', '{}', now(), now() + interval '1 year' ${bound}`,
      [ids[1]],
    )
    await first.ledger.close()
    const { ledger, log, verify } = await openAudited(url, desk.folder, laterBy(weeks(3)))
    expect(await log.retire({ before: later(2), reason: 'old' })).toMatchObject({
      // With the group that says what was asked.
      tenants: [{ leaves: 5 }],
      kept: [ids[1]],
    })
    expect(await ledger.calls.get(ids[1] ?? '')).toMatchObject({ id: ids[1] })
    expect((await verify()).findings).toEqual([])
    await ledger.close()
  })

  it('refuses what is not in the log, and what is not over', async () => {
    const url = await desk.databases.fresh()
    const { ledger, log } = await openAudited(url, desk.folder)
    await recordCalls(ledger, { tenant: 'acme', calls: 1, from: Date.now() - weeks(5) })
    await log.sequence()
    await ask(
      url,
      `insert into proviso.facts (call_id, entry, xid, tenant, pass, body)
       values (proviso.uuid_at(now() - interval '6 weeks'), gen_random_uuid(), '3', 'acme', 1, '[]')`,
    )
    expect(await log.retire({ before: later(-2), reason: 'old' })).toMatchObject({ ok: false })
    expect(await log.retire({ before: later(3), reason: 'old' })).toMatchObject({ ok: false })
    expect(await ask(url, 'select 1 from proviso.facts')).toHaveLength(3)
    await ledger.close()
  })
})

describe('partitions', () => {
  it('are made ahead, once, also where rows of the week lie in the default partition', async () => {
    const url = await desk.databases.fresh()
    const ensure = 'select proviso.ensure_partitions_v1(5) as made'
    expect(await ask(url, ensure)).toEqual([{ made: 4 }])
    expect(await ask(url, ensure)).toEqual([{ made: 0 }])
    await ask(
      url,
      `insert into proviso.facts (call_id, entry, tenant, pass, body)
       values (proviso.uuid_at(now() + interval '49 days'), gen_random_uuid(), 'acme', 1, '[]')`,
    )
    const made = await ask<{ made: number }>(url, 'select proviso.ensure_partitions_v1(7) as made')
    expect(made).toEqual([{ made: 3 }])
  })
})

describe('maintenance', () => {
  it('expires slots past their time, and leaves their marks', async () => {
    const url = await desk.databases.fresh()
    const database = openDatabase({ connectionString: url, max: 2 })
    await ask(
      url,
      `insert into proviso.idempotency_keys (tenant_id, slot_key, generation, idempotency_key, request_hash, status, effect, kind,
         operation, call_id, nonce, contract_hash, attempt, run, lease_until, look_after, created_at, admitted_at,
         response_body, expires_at)
       select 'acme', 's' || g, 1, 'k', '', 'COMPLETED', 'happened', 'implicit', 'o', gen_random_uuid(), gen_random_uuid(), 'c', 1, 'r',
         now(), now(), now(), now(), 'answer', case when g > 5 then now() - interval '1 s' else now() + interval '1 h' end
       from generate_series(1, 2500) g`,
    )
    // Walked through to its end: the next walk begins anew.
    expect(await expireSlots(database)).toEqual(['', '', 0])
    expect(
      await ask(
        url,
        `select status, count(*)::integer from proviso.idempotency_keys where response_body is null group by 1`,
      ),
    ).toEqual([{ status: 'EXPIRED', count: 2_495 }])
    await database.end()
  })

  it('retires by age and sends checkpoints away, where the process can', async () => {
    const url = await desk.databases.fresh()
    const database = openDatabase({ connectionString: url, max: 3 })
    const { ledger } = await openAudited(url, desk.folder)
    await recordCalls(ledger, { tenant: 'acme', calls: 2, from: Date.now() - weeks(6) })
    const now = () => later(0)
    const plain = openLog(database, { sequence: false })
    const repairs = createRepairRows(database)
    expect(
      choresOf(database, { log: plain, repairs }, { retentionDays: undefined, now }).map(({ name }) => name),
    ).toEqual(['upkeep'])
    const kept = join(desk.folder, 'kept.txt')
    const log = openLog(database, { sequence: false, keyFile: join(desk.folder, 'audit.key'), checkpoints: kept })
    const chores = choresOf(database, { log, repairs }, { retentionDays: 30, now })
    expect(chores.map(({ name }) => name)).toEqual(['upkeep', 'retention', 'checkpoints'])
    for (const chore of [...chores, ...chores]) await chore.run()
    expect(await ask(url, 'select 1 from proviso.facts')).toEqual([])
    expect(splitCheckpoints(await readFile(kept, 'utf8'))).toHaveLength(1)
    await log.close()
    await ledger.close()
    await database.end()
  })

  it('is a durable job that any process takes, and an interval where there is no queue', async () => {
    const url = await desk.databases.fresh()
    const database = openDatabase({ connectionString: url, max: 4 })
    let runs = 0
    const chore = {
      name: 'upkeep' as const,
      cron: '*/5 * * * *',
      everyMs: 20,
      run: async () => {
        runs++
      },
    }
    const boss = new PgBoss({ connectionString: url, schema: 'proviso_jobs', supervise: false, schedule: false })
    await boss.start()
    await boss.createQueue('upkeep', { policy: 'exclusive' })
    await boss.send('upkeep', {})
    const jobs = startJobs(database, [chore], 0)
    await until(() => runs === 1)
    await until(async () => (await boss.getSchedules('upkeep')).length === 1)
    await jobs.close()
    await boss.stop({ graceful: false })
    const intervals = runOnIntervals(database, [chore])
    await until(() => runs > 3)
    await intervals.close()
    await until(async () => (await ask(url, `select 1 from pg_locks where locktype = 'advisory'`)).length === 0)
    await database.end()
  })
})
