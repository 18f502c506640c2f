// The role that tools log in as which commit with the ledger. It may begin and settle the transaction of an attempt, and nothing else of the
// ledger: a role that could do more is refused by name.
import pg from 'pg'
import { Fault } from '../../contract/fault.ts'
import type { Database } from './driver/database.ts'
import { statement } from './driver/statements.ts'
import { lockNumbers } from './locks.ts'

/** Throws a Fault where there is no such role, or one that could do more. */
export async function admitToolRole(database: Database, toolUrl: string): Promise<void> {
  const role = new pg.Client({ connectionString: toolUrl }).user ?? ''
  const [found] = await database.run<[faults: readonly string[], granted: boolean]>('tool-role', [role])
  if (found === undefined)
    throw new Fault('bad_options', `toolUrl: there is no role ${role.slice(0, 64)} in the database.`)
  const [faults, granted] = found
  if (faults.length > 0)
    throw new Fault(
      'bad_options',
      `toolUrl: the role ${role.slice(0, 64)} ${faults.join(', and ')}. Give tools a role of their own, with rights to their tables alone.`,
    )
  if (granted) return
  await database.transaction(async (client) => {
    await client.query('select pg_advisory_xact_lock($1)', [lockNumbers.lock_tables])
    await client.query(statement('tool-grants').replaceAll('/* role */', client.escapeIdentifier(role)))
  })
}
