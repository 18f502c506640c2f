// One statement by the extended protocol: parameters are bound, a second statement in the text is refused by the server, and no more
// rows are returned than asked for: a statement that reads is left there, one that may write runs to its end. What only reads is held to
// that by the database itself.
import { once } from 'node:events'
import type { ClientBase, QueryResult } from 'pg'
import Cursor from 'pg-cursor'
import type { ExactRows, ExactStatement } from '../../contract/tool/executor.ts'
import type { JsonValue } from '../../json/value.ts'
import { exactReader } from './exact-value.ts'
import { readAsParsed } from './read-statement.ts'

const types = { getTypeParser: exactReader }

export async function exactRows(client: ClientBase, statement: ExactStatement): Promise<ExactRows> {
  const { text, values, maxRows, readOnly } = statement
  const fixed = readAsParsed(text)
  if (fixed !== undefined) await client.query(fixed)
  const cursor = client.query(new Cursor<readonly JsonValue[]>(text, [...values], { rowMode: 'array', types }))
  // One more than wanted tells whether there are more.
  const first = await fetched(cursor, maxRows + 1)
  const truncated = first.rows.length > maxRows
  const found = { columns: (first.result.fields ?? []).map(({ name }) => name), truncated }
  if (!truncated) return { ...found, rows: first.rows, count: first.result.rowCount ?? first.rows.length }
  // What is written for each row is written for all of them: the cap is on what is returned.
  const count = readOnly ? undefined : first.rows.length + (await runToEnd(cursor))
  await closed(client, cursor)
  return { ...found, rows: first.rows.slice(0, maxRows), count }
}

/** How many more rows there were. */
async function runToEnd(cursor: Cursor<readonly JsonValue[]>): Promise<number> {
  for (let count = 0; ; ) {
    const { length } = (await fetched(cursor, skippedAtOnce)).rows
    count += length
    if (length < skippedAtOnce) return count
  }
}

/** So many rows that are not returned are held in memory at a time. */
const skippedAtOnce = 1_000

interface Fetched {
  readonly rows: readonly (readonly JsonValue[])[]
  readonly result: QueryResult
}

const fetched = (cursor: Cursor<readonly JsonValue[]>, count: number): Promise<Fetched> =>
  new Promise((resolve, reject) =>
    cursor.read(count, (error, rows, result) => (error ? reject(error) : resolve({ rows, result }))),
  )

/** Or lost with its connection, of which the cursor says nothing. */
async function closed(client: ClientBase, cursor: Cursor): Promise<void> {
  const waiting = new AbortController()
  const lost = once(client, 'end', { signal: waiting.signal }).catch(() => undefined)
  try {
    await Promise.race([cursor.close(), lost])
  } finally {
    waiting.abort()
  }
}

/**
 * Inside a transaction that may write. A savepoint gives the mode back: set within it, it ends with it, and so would anything that slipped
 * through.
 */
export async function readWithin(client: ClientBase, statement: ExactStatement): Promise<ExactRows> {
  await client.query('savepoint proviso_read')
  await client.query('set transaction read only')
  const found = await exactRows(client, statement)
  await client.query('rollback to savepoint proviso_read; release savepoint proviso_read')
  return found
}
