// A transaction that an executor works in and that commits together with the settle of its call: the effect is there exactly when its
// record says so.
import type { LedgerTransaction, PassEntry, Settlement } from '../ledger.ts'
import { type Database, statement } from './database.ts'
import { type RecordItem, recordItem, recordOutcomes, recordValues } from './record.ts'

export async function beginTransaction(
  database: Database,
  writer: string,
  ended: (nonce: string) => void,
): Promise<LedgerTransaction> {
  const client = await database.connect()
  let open = true
  const release = (broken: boolean) => {
    open = false
    client.release(broken)
  }
  try {
    await client.query('begin')
  } catch (error) {
    // Nobody else can give it back.
    release(true)
    throw error
  }

  const write = async (item: RecordItem): Promise<Settlement> => {
    const values = recordValues([item], writer) as unknown[]
    const { rows } = await client.query({ name: 'record', text: statement('record'), values, rowMode: 'array' })
    const [[letters = ''] = []] = rows as unknown as readonly string[][]
    const [outcome] = recordOutcomes(letters)
    if (outcome !== 'settled') {
      await client.query('rollback')
      return 'late'
    }
    await client.query('commit')
    return 'settled'
  }

  return {
    async query(text, values) {
      if (!open) throw new Error('The transaction of this call is over.')
      const { rows } = await client.query(text, values as unknown[] | undefined)
      return { rows: rows as readonly Record<string, unknown>[] }
    },
    async commit(entry: PassEntry) {
      const item = recordItem(entry)
      try {
        const settlement = await write(item)
        release(false)
        return settlement
      } catch (error) {
        release(true)
        // Whether the commit was done is in the database: the entry's facts are there, or nothing is. Whoever asks waits for the slot's
        // row, which the transaction holds until it has ended one way or the other.
        if (await wasCommitted(database, entry, item.id)) return 'settled'
        throw error
      } finally {
        if (entry.settle !== undefined) ended(entry.settle.nonce)
      }
    },
    async rollback() {
      if (!open) return
      try {
        await client.query('rollback')
        release(false)
      } catch {
        release(true)
      }
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
