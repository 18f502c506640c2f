// What people write today: reserve the key, do the effect, complete the key. Two statements, prepared, each its own commit and each with
// its line of audit trail.
import { createHash } from 'node:crypto'
import pg from 'pg'
import { countItems, type Order, orderText } from '../overhead/order-payload.ts'
import type { Contender } from './contender.ts'
import { argumentBytes } from './setting.ts'

const tables = `
  create schema hand_written;
  create table hand_written.idempotency_keys (
    tenant text not null,
    key text not null,
    request_hash bytea not null,
    status text not null,
    response jsonb,
    created_at timestamptz not null default now(),
    completed_at timestamptz,
    primary key (tenant, key)
  );
  create table hand_written.audit (
    id bigint generated always as identity primary key,
    tenant text not null,
    key text not null,
    event text not null,
    body jsonb not null,
    at timestamptz not null default now()
  );`

const reserve = {
  name: 'reserve',
  text: `
    with reserved as (
      insert into hand_written.idempotency_keys (tenant, key, request_hash, status) values ($1, $2, $3, 'PENDING')
      on conflict do nothing returning tenant, key
    )
    insert into hand_written.audit (tenant, key, event, body) select tenant, key, 'reserved', $4 from reserved returning key`,
}

const complete = {
  name: 'complete',
  text: `
    with completed as (
      update hand_written.idempotency_keys set status = 'COMPLETED', response = $3, completed_at = now()
      where tenant = $1 and key = $2 and status = 'PENDING' returning tenant, key, response
    )
    insert into hand_written.audit (tenant, key, event, body) select tenant, key, 'completed', response from completed returning key`,
}

export async function handWritten(url: string, connections: number): Promise<Contender> {
  const pool = new pg.Pool({ connectionString: url, max: connections })
  await pool.query(tables)
  return {
    name: 'hand_written',
    async call(number, lane) {
      const text = orderText(argumentBytes, number)
      const order = JSON.parse(text) as Order
      const key = `run-${lane}:${order.order}`
      const hash = createHash('sha256').update(text).digest()
      const reserved = await pool.query({ ...reserve, values: ['acme', key, hash, text] })
      if (reserved.rowCount !== 1) throw new Error(`The key ${key} was reserved before`)
      const result = await countItems(order)
      const completed = await pool.query({ ...complete, values: ['acme', key, JSON.stringify(result)] })
      if (completed.rowCount !== 1) throw new Error(`The key ${key} was not pending any more`)
    },
    async close() {
      // The server may stop before it has heard that these connections end, and says so on them.
      pool.on('error', () => undefined)
      await pool.end()
    },
  }
}
