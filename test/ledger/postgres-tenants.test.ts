// Every read for a tenant is made as a role that sees this tenant alone, with every statement; and nothing of that is left
// on the connection for its next user.
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Ledger } from '../../src/ledger/ports/ledger.ts'
import { postgres } from '../../src/ledger/postgres/postgres.ts'
import { asTools, type Databases, startDatabases } from './databases.ts'
import {
  approval,
  callId,
  callRecord,
  distinct,
  entryOf,
  escalation,
  fact,
  issue,
  sagaStart,
  says,
  settleOn,
  slot,
  unknown,
} from './requests.ts'

interface Tenant {
  readonly name: string
  readonly call: string
  readonly approval: string
  readonly result: string
}

let databases: Databases
let url = ''
/** One connection: every read comes after one for another tenant. */
let ledger: Ledger
let raw: pg.Client
let acme: Tenant
let globex: Tenant

async function fill(on: Ledger, name: string, number: number): Promise<Tenant> {
  const call = callId(number)
  await on.operations.admit(distinct(number, { tenant: name, slot: slot({ tenant: name, key: 'same slot' }) }))
  await settleOn(
    on,
    { ...unknown, callId: call, tenant: name, slotKey: 'same slot' },
    { facts: [fact({ callId: call })], escalations: [escalation(number, { tenant: name, callId: call })] },
  )
  await on.operations.record(entryOf({ id: callId(number + 10), key: { ...callRecord().key, tenant: name } }))
  const subject = { tenant: name, slotKey: 'same slot', generation: 1, payloadHash: 'p' }
  await on.approvals.open(approval({ id: `approval of ${name}`, callId: call, subject }), 10)
  await on.approvals.decide(`approval of ${name}`, says('boss', 'approved'), issue)
  await on.runs.discover(name, 'run-1', [`tool of ${name}`])
  await on.sagas.create(sagaStart({ tenant: name, id: `saga of ${name}` }), 60_000)
  const result = await on.results.save(name, call, { of: name })
  return { name, call, approval: `approval of ${name}`, result }
}

beforeAll(async () => {
  databases = await startDatabases()
  url = await databases.fresh()
  ledger = await postgres(url, { ...asTools(url), connections: 1 })
  acme = await fill(ledger, 'acme', 1)
  globex = await fill(ledger, 'globex', 2)
  await ledger.calls.saveContracts(new Map([['h', {}]]))
  raw = new pg.Client(url)
  await raw.connect()
}, 60_000)

afterAll(async () => {
  await ledger.close()
  await raw.end()
  await databases.end()
}, 60_000)

/** Every reading of the port that takes a tenant: what `who` gets when it asks for what is `whose`. */
const readings: Readonly<Record<string, (who: Tenant, whose: Tenant) => Promise<unknown>>> = {
  call: async (who, whose) => ledger.calls.get(whose.call, who.name),
  calls: async (who, whose) =>
    (await ledger.calls.list({ tenant: who.name })).filter(({ key }) => key.tenant === whose.name),
  'calls that are held': async (who, whose) =>
    (await ledger.calls.list({ tenant: who.name, held: true })).filter(({ id }) => id === whose.call),
  facts: async (who, whose) => ledger.calls.facts(whose.call, who.name),
  slot: async (who, whose) => {
    const { record } = await ledger.operations.slot(who.name, 'same slot', undefined)
    return record?.callId === whose.call ? record : undefined
  },
  lookUp: async (who, whose) => {
    const key = { ...callRecord().key, tenant: who.name }
    const { call, slot: reading } = await ledger.operations.lookUp({
      key,
      slot: { key: 'same slot', providerCallId: 'p1' },
    })
    return [call?.key.tenant, reading?.record?.tenant].filter((name) => name === whose.name)
  },
  approval: async (who, whose) => ledger.approvals.get(whose.approval, who.name),
  approvals: async (who, whose) =>
    (await ledger.approvals.list({ tenant: who.name })).filter(({ id }) => id === whose.approval),
  findApproval: async (who, whose) => {
    const subject = { tenant: who.name, slotKey: 'same slot', generation: 1, payloadHash: 'p' }
    const found = await ledger.approvals.find(subject, 'run-1')
    return found?.id === whose.approval ? found : undefined
  },
  escalations: async (who, whose) =>
    (await ledger.calls.escalations(who.name)).filter((each) => each.tenant === whose.name),
  discovered: async (who, whose) =>
    [...(await ledger.runs.discovered(who.name, 'run-1'))].filter((tool) => tool === `tool of ${whose.name}`),
  result: async (who, whose) => ledger.results.get(who.name, whose.result),
  saga: async (who, whose) => ledger.sagas.get(`saga of ${whose.name}`, who.name),
  sagas: async (who, whose) =>
    (await ledger.sagas.list({ tenant: who.name })).filter(({ tenant }) => tenant === whose.name),
  'the journal of a saga': async (who, whose) => ledger.sagas.journal(`saga of ${whose.name}`, who.name),
  resolve: async (who, whose) => {
    const { record } = await ledger.operations.resolve({
      tenant: who.name,
      callId: who === whose ? callId(99) : whose.call,
      effect: 'none',
      by: '',
      why: '',
      quorum: 1,
    })
    return who === whose ? 'not asked' : record
  },
  decide: async (who, whose) => ledger.approvals.decide(whose.approval, says('boss', 'approved'), issue, who.name),
}

const isNothing = (value: unknown) => value === undefined || (Array.isArray(value) && value.length === 0)

describe('a tenant is shown its own and nothing of another by', () => {
  it.each(Object.keys(readings))('%s [tenants-isolated]', async (name) => {
    const read = readings[name]
    if (read === undefined) throw new Error(name)
    // Over one connection, each read after one of the other tenant.
    for (const [who, whose] of [
      [acme, acme],
      [globex, acme],
      [globex, globex],
      [acme, globex],
    ] as const) {
      expect(isNothing(await read(who, whose)), `${who.name} asks for what is ${whose.name}'s`).toBe(who !== whose)
    }
  })
})

interface Relation {
  readonly name: string
  readonly owner: string | null
  readonly secured: boolean
}

async function relations(): Promise<readonly Relation[]> {
  const { rows } = await raw.query<Relation>(`
    select c.relname as name, c.relrowsecurity and c.relforcerowsecurity as secured,
      (select attname from pg_attribute a where a.attrelid = c.oid and attname in ('tenant', 'tenant_id')) as owner
    from pg_class c where c.relnamespace = 'proviso'::regnamespace and c.relkind in ('r', 'p', 'v', 'm') order by 1`)
  return rows
}

/** Runs a statement as the reader, for a tenant or for none, and gives its rows or the code of its refusal. */
async function asReader(
  tenant: string | undefined,
  text: string,
): Promise<readonly Record<string, unknown>[] | string> {
  await raw.query('begin')
  try {
    await raw.query('set local role proviso_reader')
    if (tenant !== undefined) await raw.query(`select set_config('proviso.tenant', $1, true)`, [tenant])
    return (await raw.query<Record<string, unknown>>(text)).rows
  } catch (error) {
    return (error as { code?: string }).code ?? 'no code'
  } finally {
    await raw.query('rollback')
  }
}

const denied = '42501'

describe('the role that reads', () => {
  it('sees the rows of its tenant and no others, on every table that it may read [tenants-isolated]', async () => {
    const seen: string[] = []
    for (const { name, owner, secured } of await relations()) {
      const rows = await asReader('acme', `select * from proviso.${name}`)
      if (rows === denied) continue
      // Contracts belong to no tenant: a hash is its own permission.
      if (name === 'contracts') continue
      expect(secured, `${name} has forced row policies`).toBe(true)
      const owners = new Set((rows as readonly Record<string, unknown>[]).map((row) => row[owner ?? 'tenant']))
      if (owners.size > 0) seen.push(name)
      expect(
        [...owners].filter((each) => each !== 'acme'),
        name,
      ).toEqual([])
      for (const stranger of [undefined, '', 'stranger']) {
        expect(await asReader(stranger, `select * from proviso.${name}`), `${name} for ${stranger}`).toEqual([])
      }
    }
    // Every one of these has rows of both tenants.
    expect(seen).toEqual(
      expect.arrayContaining([
        'approval_decisions',
        'approvals',
        'call_keys',
        'calls',
        'counters',
        'escalations',
        'facts',
        'idempotency_keys',
        'results',
        'runs',
        'saga_entries',
        'sagas',
      ]),
    )
  })

  it('has no partition, view or table without a tenant to go round by', async () => {
    for (const { name, owner } of await relations()) {
      if (owner !== null || name === 'contracts') continue
      expect(await asReader('acme', `select * from proviso.${name}`), name).toBe(denied)
    }
    for (const name of ['calls_other', 'facts_other']) {
      expect(await asReader('acme', `select * from proviso.${name}`), name).toBe(denied)
    }
  })

  it('writes nothing, on no table and through no function', async () => {
    for (const { name, owner } of await relations()) {
      const column = owner ?? 'hash'
      for (const text of [
        `delete from proviso.${name}`,
        `truncate proviso.${name}`,
        `insert into proviso.${name} default values`,
        ...(owner === null ? [] : [`update proviso.${name} set ${column} = 'acme'`]),
      ]) {
        expect(await asReader('acme', text), text).toBe(denied)
      }
    }
    expect(await asReader('acme', `select proviso.lease_quota_v1('globex', 'n', 1, 0, 1)`)).toBe(denied)
    expect(await asReader('acme', `select nextval('proviso.tickets')`)).toBe(denied)
  })
})

/** Who the next tool is, and for which tenant. */
async function nextUser(): Promise<unknown> {
  const transaction = await ledger.operations.begin?.('')
  const answer = await transaction?.query(
    `select current_user = session_user as own, coalesce(current_setting('proviso.tenant', true), '') as tenant`,
  )
  await transaction?.rollback()
  return answer?.rows
}

/** Statements of a tool, each of which may be refused. */
async function inTransaction(texts: readonly string[]): Promise<void> {
  const transaction = await ledger.operations.begin?.('acme')
  for (const text of texts) await transaction?.query(text).catch(() => undefined)
  await transaction?.rollback()
}

describe('nothing of a reader is left on the connection', () => {
  const nothingLeft = [{ own: true, tenant: '' }]
  const uses: Readonly<Record<string, () => Promise<unknown>>> = {
    'a reading': async () => ledger.calls.get(acme.call, 'acme'),
    'a reading that failed': async () => ledger.calls.list({ tenant: 'acme', after: 'no uuid' }),
    'the reading before the gates': async () =>
      ledger.operations.lookUp({ key: callRecord().key, slot: { key: 'same slot', providerCallId: undefined } }),
    'a reading before the gates that failed': async () =>
      ledger.operations.lookUp({ key: callRecord().key, slot: { key: '\u0000', providerCallId: undefined } }),
    'a decision for a tenant': async () =>
      ledger.approvals.decide(acme.approval, says('boss', 'approved'), issue, 'globex'),
    'a transaction that a tool spoiled': () =>
      inTransaction([
        `select set_config('proviso.tenant', 'acme', true)`,
        `select set_config('role', 'proviso_reader', true)`,
        'select 1 / 0',
      ]),
    'a transaction in which a tool changed its session': () =>
      inTransaction([
        `select set_config('proviso.tenant', 'acme', false), set_config('role', 'proviso_reader', false)`,
      ]),
  }

  it.each(Object.keys(uses))('after %s [reader-role-leaves-nothing]', async (name) => {
    await uses[name]?.().catch(() => undefined)
    expect(await nextUser()).toEqual(nothingLeft)
    // The only connection of the ledger: a reader that is left on it sees one tenant at most.
    expect(await ledger.calls.list({})).toHaveLength(4)
  })
})

it('keeps tenants apart where the owner of the tables is no superuser, either', async () => {
  const empty = await databases.empty()
  await raw.query('create role plain_owner createrole')
  await raw.query(`alter database ${new URL(empty).pathname.slice(1)} owner to plain_owner`)
  // The role that reads was made by another user: the administrator of the server grants it once.
  await raw.query('grant proviso_reader to plain_owner with admin option')
  const plain = await postgres(empty, { driver: { options: '-c role=plain_owner' }, connections: 2 })
  try {
    const [a, b] = [await fill(plain, 'acme', 1), await fill(plain, 'globex', 2)]
    expect(await plain.calls.get(a.call, 'acme')).toMatchObject({ id: a.call })
    expect(await plain.calls.get(b.call, 'acme')).toBeUndefined()
    expect((await plain.operations.slot('acme', 'same slot', undefined)).record?.callId).toBe(a.call)
    expect(await plain.calls.list({})).toHaveLength(4)
  } finally {
    await plain.close()
  }
})
