// Fills a ledger with calls that have been made before. Invariant: each is a copy of a call that Proviso made in this very database, so
// rows have the shape and size of real ones; names, hashes and ids differ, and ids spread over the last sixty days.
import pg from 'pg'
import { say } from '../arguments.ts'

const chunk = 50_000
const days = 60

/** A UUIDv7 of the moment at which stored call number g was made; the rest of its bits are made of its number. */
const millis = `(extract(epoch from now() - interval '${days} days' * (1 - g / $1::float8)) * 1000)::bigint`
const bits = `decode(md5('call' || g), 'hex')`
const callId = `encode(substring(int8send(${millis}) from 3) || '\\x70'::bytea || substring(${bits} from 8 for 1)
  || '\\x80'::bytea || substring(${bits} from 10), 'hex')::uuid`
const sha256Of = (what: string) => `sha256(('${what}' || g)::bytea)`
const hexOf = (what: string) => `encode(${sha256Of(what)}, 'hex')`

/** What differs from one stored call to the next; all other columns are those of the call that was copied. */
const changes = {
  calls: { id: callId, run: `'stored-' || g % 10000` },
  call_keys: { key: sha256Of('key'), call_id: callId },
  facts: { call_id: callId, entry: `md5(x.entry || '-' || g)::uuid`, ticket: undefined, xid: undefined },
  idempotency_keys: {
    slot_key: `'stored:' || ${hexOf('slot')}`,
    idempotency_key: hexOf('idempotency'),
    request_hash: sha256Of('request'),
    call_id: callId,
    nonce: `md5('nonce' || g)::uuid`,
    run: `'stored-' || g % 10000`,
    provider_call_ids: `array['stored_' || g]`,
  },
} as const

type Table = keyof typeof changes

export async function storeCalls(url: string, count: number): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    // The load itself need not survive anything; what is measured afterwards runs on other connections.
    await client.query('set synchronous_commit = off')
    const tables = Object.keys(changes) as readonly Table[]
    for (const table of tables) await client.query(`create temporary table "x_${table}" as ${sampleOf(table)}`)
    const statements: string[] = []
    for (const table of tables) statements.push(await copyStatement(client, table))
    for (let from = 1; from <= count; from += chunk) {
      const to = Math.min(count, from + chunk - 1)
      // In one transaction, which has one now(): ids are made of it, and a call's rows in all tables have the same.
      await client.query('begin')
      for (const statement of statements) await client.query(statement, [count, from, to])
      await client.query('commit')
      say(`stored ${to.toLocaleString('en')} of ${count.toLocaleString('en')} calls`)
    }
    for (const table of tables) await client.query(`vacuum (analyze) proviso.${table}`)
    await client.query('checkpoint')
  } finally {
    await client.end()
  }
}

const anyCall = `(select call_id from proviso.idempotency_keys where status = 'COMPLETED' limit 1)`
const sampleOf = (table: Table) =>
  `select * from proviso.${table} where ${table === 'calls' ? 'id' : 'call_id'} = ${anyCall}`

async function copyStatement(client: pg.Client, table: Table): Promise<string> {
  const { rows } = await client.query<{ name: string }>(
    `select attname as name from pg_attribute
     where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = '' and attidentity = '' order by attnum`,
    [`proviso.${table}`],
  )
  const own: Readonly<Record<string, string | undefined>> = changes[table]
  // A column that is named without a value gets its default.
  const columns = rows.map(({ name }) => name).filter((name) => !(name in own) || own[name] !== undefined)
  const values = columns.map((name) => own[name] ?? `x."${name}"`)
  // Every statement takes the same three numbers, whether it says when the call was made or not.
  return `insert into proviso.${table} (${columns.map((name) => `"${name}"`).join(', ')})
    select ${values.join(', ')} from generate_series($2::integer, $3::integer) g cross join "x_${table}" x where $1::float8 > 0`
}
