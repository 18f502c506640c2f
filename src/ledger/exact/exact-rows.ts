// One statement by the extended protocol: parameters are bound, a second statement in the text is refused by the server, and no more
// rows are fetched than asked for. What only reads is held to that by the database itself.
import { once } from 'node:events'
import type { ClientBase, QueryResult } from 'pg'
import Cursor from 'pg-cursor'
import type { ExactRows, ExactStatement } from '../../contract/tool/executor.ts'
import type { JsonValue } from '../../json/value.ts'
import { exactReader } from './exact-value.ts'

const types = { getTypeParser: exactReader }

export async function exactRows(client: ClientBase, statement: ExactStatement): Promise<ExactRows> {
  const { text, values, maxRows } = statement
  const cursor = client.query(new Cursor<readonly JsonValue[]>(text, [...values], { rowMode: 'array', types }))
  // One more than wanted tells whether there are more.
  const { rows, result } = await new Promise<{ rows: readonly (readonly JsonValue[])[]; result: QueryResult }>(
    (resolve, reject) =>
      cursor.read(maxRows + 1, (error, rows, result) => (error ? reject(error) : resolve({ rows, result }))),
  )
  const more = rows.length > maxRows
  if (more) await closed(client, cursor)
  return {
    columns: (result.fields ?? []).map(({ name }) => name),
    rows: more ? rows.slice(0, maxRows) : rows,
    count: more ? undefined : (result.rowCount ?? rows.length),
  }
}

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
