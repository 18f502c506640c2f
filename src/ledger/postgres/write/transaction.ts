// A transaction that an executor works in and that commits together with the settle of its call: the effect is there exactly when its
// record says so. It is logged in as the role of tools, and can do of the ledger only what tools.sql lets it: settle this attempt.
import { randomUUID } from 'node:crypto'
import type { QueryConfig } from 'pg'
import { LedgerLost } from '../../../contract/fault.ts'
import { exactRows, readWithin } from '../../exact/exact-rows.ts'
import { readAsParsed, statementReader } from '../../exact/read-statement.ts'
import type { LedgerTransaction, PassEntry, Settlement, TransactionAttempt } from '../../ports/operations.ts'
import { consequences, type Fit } from '../../rules/settle.ts'
import type { Database } from '../driver/database.ts'
import { isConnectionLoss } from '../driver/errors.ts'
import { statement } from '../driver/statements.ts'
import { type RecordItem, recordItem } from './items.ts'
import { recordStatement } from './record.ts'

export interface TransactionOptions {
  readonly tenant: string
  /** Without one, nothing that is done stays. */
  readonly attempt: TransactionAttempt | undefined
  readonly writer: string
  readonly ended: (nonce: string) => void
}

/** A connection that is lost before the end is not the tool's failure: what it began is undone, and the same call may be made again. */
export function beginTransaction(databases: Databases, options: TransactionOptions): Promise<LedgerTransaction> {
  return open(databases, options).catch(asLost)
}

interface Databases {
  readonly database: Database
  /** Logged in as the role of tools. */
  readonly tools: Database
}

function asLost(error: unknown): never {
  throw isConnectionLoss(error) ? new LedgerLost() : error
}

async function open(
  { database, tools }: Databases,
  { tenant, attempt, writer, ended }: TransactionOptions,
): Promise<LedgerTransaction> {
  const read = await statementReader()
  const ticket = attempt === undefined ? await ticketFor(database, tenant) : undefined
  const client = await tools.connect()
  /** Whether the tool may still send statements. */
  let isOpen = true
  let isEnded = false
  // Never given back: what a tool has left on its session, by any function, must not be there for the next user.
  const release = () => {
    isOpen = false
    isEnded = true
    client.release(true)
    // One that stays goes with a later one.
    if (ticket !== undefined) database.run('tool-ticket-end', [ticket]).catch(() => undefined)
  }
  try {
    // A tool's own statements are planned as the server is set, not as ours are.
    await client.query('begin; reset all')
    const { slotKey = null, generation = null, nonce = ticket } = attempt ?? {}
    await client.query('select proviso.tool_begin_v1($1, $2, $3, $4)', [tenant, slotKey, generation, nonce])
  } catch (error) {
    // Only this code can give the connection back.
    release()
    throw error
  }

  const write = async (item: RecordItem, nonce: string): Promise<Settlement> => {
    // What the tool has configured, by any function, ends with its statements.
    await client.query('reset role; reset all')
    const { rows } = await client.query({ ...settleStatement(item, nonce, writer), rowMode: 'array' })
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
    async check() {
      isOpen = false
      // A statement that failed has ended the transaction already: the commit says so.
      await client.query('set constraints all immediate').catch((error: unknown) => {
        if (!isOver(error)) asLost(error)
      })
    },
    async commit(entry: PassEntry) {
      // A statement that comes from now on would run behind the end of its transaction.
      isOpen = false
      isEnded = true
      const item = recordItem(entry)
      try {
        const settlement = await write(item, attempt?.nonce ?? '')
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
      if (isEnded) return
      isOpen = false
      isEnded = true
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

/** Names a reading, for which there is no attempt. */
async function ticketFor(database: Database, tenant: string): Promise<string> {
  const ticket = randomUUID()
  await database.run('tool-ticket', [ticket, tenant])
  return ticket
}

/** The statement that writes an entry, by the function that the role of tools may call. */
function settleStatement(item: RecordItem, nonce: string, writer: string) {
  const { text, values } = recordStatement([item], writer)
  const shifted = text.replaceAll(/\$(\d+)/g, (_, number: string) => `$${Number(number) + 1}`)
  return { text: shifted.replace('record_v1(', 'tool_settle_v1($1::uuid, '), values: [nonce, ...values] }
}

const isOver = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === '25P02'
