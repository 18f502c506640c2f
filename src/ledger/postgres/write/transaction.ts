// A transaction that an executor works in and that commits together with the settle of its call: the effect is there exactly when its
// record says so.
import type { QueryConfig } from 'pg'
import { LedgerLost } from '../../../contract/fault.ts'
import { exactRows, readWithin } from '../../exact/exact-rows.ts'
import { readAsParsed, statementReader } from '../../exact/read-statement.ts'
import type { LedgerTransaction, PassEntry, Settlement } from '../../ports/operations.ts'
import { consequences, type Fit } from '../../rules/settle.ts'
import type { Database } from '../driver/database.ts'
import { isConnectionLoss } from '../driver/errors.ts'
import { statement } from '../driver/statements.ts'
import { type RecordItem, recordItem } from './items.ts'
import { recordStatement } from './record.ts'

export interface TransactionOptions {
  readonly tenant: string
  readonly writer: string
  /** What the tool's statements run as; the ledger's own role where none is given. */
  readonly role: string | undefined
  readonly ended: (nonce: string) => void
}

/** A connection that is lost before the end is not the tool's failure: what it began is undone, and the same call may be made again. */
export function beginTransaction(database: Database, options: TransactionOptions): Promise<LedgerTransaction> {
  return open(database, options).catch(asLost)
}

function asLost(error: unknown): never {
  throw isConnectionLoss(error) ? new LedgerLost() : error
}

async function open(
  database: Database,
  { tenant, writer, role, ended }: TransactionOptions,
): Promise<LedgerTransaction> {
  const read = await statementReader()
  const client = await database.connect()
  let isOpen = true
  // Never given back: what a tool has left on its session, by any function, must not be there for the next user.
  const release = () => {
    isOpen = false
    client.release(true)
  }
  try {
    // A tool's own statements are planned as the server is set, not as ours are.
    await client.query('begin; reset all')
    // For row policies of the tool's own tables, as for ours.
    await client.query(statement('tenant'), [tenant])
    if (role !== undefined) await client.query(`set local role ${client.escapeIdentifier(role)}`)
  } catch (error) {
    // Only this code can give the connection back.
    release()
    throw error
  }

  const write = async (item: RecordItem): Promise<Settlement> => {
    // What the tool has configured, by any function, ends with its statements.
    await client.query('reset role; reset all')
    const { name, text, values } = recordStatement([item], writer)
    const { rows } = await client.query({ name, text, values: [...values], rowMode: 'array' })
    const [[[fit] = []] = []] = rows as unknown as readonly [readonly Fit[]][]
    if (fit === undefined || !consequences[fit].commits) {
      await client.query('rollback')
      return 'late'
    }
    await client.query('commit')
    return 'settled'
  }

  const admit = (text: unknown): void => {
    if (!isOpen) throw new Error('The transaction of this call is over.')
    const reading = typeof text === 'string' ? read(text) : undefined
    if (reading?.ok === true) return
    throw new Error(
      `A tool that commits with the ledger may read and change rows, and nothing else: the transaction is not its own. Its statement ${reading?.why ?? 'is no text'}.`,
    )
  }

  return {
    async query(text, values) {
      admit(text)
      const fixed = readAsParsed(text)
      if (fixed !== undefined) await client.query(fixed).catch(asLost)
      // One statement at a time: the simple protocol would take several.
      const config = { text, values: [...(values ?? [])], queryMode: 'extended' } as QueryConfig
      const { rows } = await client.query(config).catch(asLost)
      return { rows: rows as readonly Record<string, unknown>[] }
    },
    async exactly(statement) {
      admit(statement.text)
      return (statement.readOnly ? readWithin(client, statement) : exactRows(client, statement)).catch(asLost)
    },
    async commit(entry: PassEntry) {
      // A statement that comes from now on would run behind the end of its transaction.
      isOpen = false
      const item = recordItem(entry)
      try {
        const settlement = await write(item)
        release()
        return settlement
      } catch {
        release()
        // Whether the commit was done is in the database: the entry's facts are there, or nothing is. The question waits for the slot's
        // row: the transaction holds that until it is committed or rolled back. Where the database cannot be asked, that is thrown.
        if (await wasCommitted(database, entry, item.id)) return 'settled'
        return 'late'
      } finally {
        if (entry.settle !== undefined) ended(entry.settle.nonce)
      }
    },
    async rollback() {
      if (!isOpen) return
      isOpen = false
      try {
        await client.query('rollback')
      } catch {
        // The connection is gone, and the transaction with it.
      }
      release()
    },
  }
}

function wasCommitted(database: Database, { call, settle }: PassEntry, entry: string): Promise<boolean> {
  return database.transaction(async (client) => {
    const slot = [call.key.tenant, settle?.slotKey ?? '', settle?.generation ?? 1]
    // Two statements: only one that begins after the wait sees what was waited for.
    await client.query(statement('lock-slot'), slot)
    const { rows } = await client.query<{ done: boolean }>(statement('entry-committed'), [call.id, entry])
    return rows[0]?.done === true
  })
}
