// The best that is written by hand: the same work set-based, in micro-batches through unnest, two statements of a kind in flight, with the
// facts of each statement as one bytea and one budget debited by the sum of a batch.
import { createHash } from 'node:crypto'
import pg from 'pg'
import { countItems, type Order, orderText } from '../overhead/order-payload.ts'
import type { Contender } from './contender.ts'
import { createMicroBatch } from './micro-batch.ts'
import { argumentBytes, bytesAfter, bytesBefore } from './setting.ts'

const tables = `
  create schema hand_batched;
  create table hand_batched.idempotency_keys (
    tenant text not null,
    key text not null,
    request_hash bytea not null,
    status text not null,
    response bytea,
    created_at timestamptz not null default now(),
    completed_at timestamptz,
    primary key (tenant, key)
  );
  create table hand_batched.facts (
    tenant text not null,
    key text not null,
    part text not null,
    body bytea not null,
    primary key (tenant, key, part)
  );
  create table hand_batched.budgets (tenant text primary key, used bigint not null);
  insert into hand_batched.budgets values ('acme', 0);`

const reserve = {
  name: 'reserve-batch',
  text: `
    with debited as (
      update hand_batched.budgets b set used = b.used + d.calls
      from (select t, count(*) as calls from unnest($1::text[]) u (t) group by t order by t) d where b.tenant = d.t
    ), reserved as (
      insert into hand_batched.idempotency_keys (tenant, key, request_hash, status)
      select t, k, h, 'PENDING' from unnest($1::text[], $2::text[], $3::bytea[]) u (t, k, h)
      on conflict do nothing returning key
    ), kept as (
      insert into hand_batched.facts (tenant, key, part, body)
      select t, k, 'before', f from unnest($1::text[], $2::text[], $4::bytea[]) u (t, k, f)
    )
    select key from reserved`,
}

const complete = {
  name: 'complete-batch',
  text: `
    with completed as (
      update hand_batched.idempotency_keys i set status = 'COMPLETED', response = u.r, completed_at = now()
      from unnest($1::text[], $2::text[], $3::bytea[]) u (t, k, r)
      where i.tenant = u.t and i.key = u.k and i.status = 'PENDING' returning i.key
    ), kept as (
      insert into hand_batched.facts (tenant, key, part, body)
      select t, k, 'after', f from unnest($1::text[], $2::text[], $4::bytea[]) u (t, k, f)
    )
    select key from completed`,
}

interface Item {
  readonly key: string
  /** The hash of the request, or the response. */
  readonly bytes: Buffer
  readonly facts: Buffer
}

export async function handBatched(url: string, connections: number): Promise<Contender> {
  const pool = new pg.Pool({ connectionString: url, max: connections })
  await pool.query(tables)

  const send = (statement: typeof reserve) => async (items: readonly Item[]) => {
    const { rows } = await pool.query<[string]>({
      ...statement,
      rowMode: 'array',
      values: [
        items.map(() => 'acme'),
        items.map(({ key }) => key),
        items.map(({ bytes }) => bytes),
        items.map(({ facts }) => facts),
      ],
    })
    const done = new Set(rows.map(([key]) => key))
    return items.map(({ key }) => done.has(key))
  }
  const reserving = createMicroBatch(send(reserve))
  const completing = createMicroBatch(send(complete))

  return {
    name: 'hand_batched',
    async call(number, lane) {
      const text = orderText(argumentBytes, number)
      const order = JSON.parse(text) as Order
      const key = `run-${lane}:${order.order}`
      const hash = createHash('sha256').update(text).digest()
      if (!(await reserving({ key, bytes: hash, facts: factsOf(order.order, bytesBefore) }))) {
        throw new Error(`The key ${key} was reserved before`)
      }
      const response = Buffer.from(JSON.stringify(await countItems(order)))
      if (!(await completing({ key, bytes: response, facts: factsOf(order.order, bytesAfter) }))) {
        throw new Error(`The key ${key} was not pending any more`)
      }
    },
    async close() {
      // The server may stop before it has heard that these connections end, and says so on them.
      pool.on('error', () => undefined)
      await pool.end()
    },
  }
}

function factsOf(order: string, bytes: number): Buffer {
  const fact = { order, at: Date.now(), verdict: 'pass', evidence: '' }
  const evidence = filler.slice(0, bytes - JSON.stringify(fact).length)
  return Buffer.from(JSON.stringify({ ...fact, evidence }))
}

const filler = 'x'.repeat(Math.max(bytesBefore, bytesAfter))
