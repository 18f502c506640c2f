// Brings the database to this version's tables and functions, once: the first process that comes does it, and the others wait and find it
// done. Tables change forward only, each step under the checksum of its text; functions of another layout stay beside ours.
import { hash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import type { ClientConfig } from 'pg'
import pg from 'pg'
import { Fault } from '../../contract/fault.ts'
import type { Database } from './driver/database.ts'
import { isForbidden } from './driver/errors.ts'
import { statement } from './driver/statements.ts'
import { currentFunctions, type Functions } from './functions/functions.ts'
import { lockNumbers } from './locks.ts'

export interface MigrationStep {
  readonly number: number
  readonly name: string
  readonly text: string
  readonly sha256: string
}

/** What this version wants of a ledger. */
export interface Wanted {
  readonly steps: readonly MigrationStep[]
  readonly functions: Functions
}

export interface MigrateOptions {
  /** Whether the tables are made where there are none, and brought up to date where they are old. */
  readonly make: boolean
  readonly connection: ClientConfig
  /** Another version's, to try two beside each other. */
  readonly wanted?: Wanted
}

export async function migrate(database: Database, options: MigrateOptions): Promise<void> {
  const { make, connection, wanted = currentVersion() } = options
  const due = dueOf(wanted, await readInstalled((name) => database.run(name, [])))
  if (due.steps.length === 0 && !due.functions) return refuseLost(database, wanted.functions)
  if (!make) throw new Fault('bad_options', due.isNew ? noLedger : oldLedger)
  // A connection of its own: waiting for others, and the work itself, may take longer than any statement of a call.
  const client = new pg.Client(connection)
  client.on('error', () => undefined)
  await client.connect()
  try {
    while (await bringOneStepUp(client, wanted));
  } catch (error) {
    throw isForbidden(error) ? new Fault('bad_options', forbidden, { cause: error }) : error
  } finally {
    await client.end()
  }
}

/** The list says that they are there; each call would find out that they are not. */
async function refuseLost(database: Database, { version, text }: Functions): Promise<void> {
  const names = [...text.matchAll(/^create function proviso\.(\w+)/gm)].map(([, name]) => name)
  const lost = (await database.run<[string]>('ledger-lost', [names])).map(([name]) => name)
  if (lost.length > 0) throw new Fault('bad_options', lostFunctions(version, lost))
}

let current: Wanted | undefined

export function currentVersion(): Wanted {
  current ??= { steps: readSteps(new URL('./migrations/', import.meta.url)), functions: currentFunctions() }
  return current
}

function readSteps(folder: URL): readonly MigrationStep[] {
  const names = readdirSync(folder).filter((name) => name.endsWith('.sql'))
  return names.sort().map((file) => {
    const text = readFileSync(new URL(file, folder), 'utf8')
    const [number = '', name = ''] = /^(\d+)_(.+)\.sql$/.exec(file)?.slice(1) ?? []
    return { number: Number(number), name, text, sha256: hash('sha256', text) }
  })
}

interface InstalledLayout {
  /** No ledger, one of ours, or one that was made before its tables had checksums. */
  readonly kind: 'none' | 'ours' | 'unpublished'
  /** By number. */
  readonly steps: ReadonlyMap<number, string>
  /** By layout. */
  readonly functions: ReadonlyMap<number, string>
}

type Ask = (name: string) => Promise<readonly unknown[][]>

async function readInstalled(ask: Ask): Promise<InstalledLayout> {
  const [kind] = (await ask('ledger-kind'))[0] as [InstalledLayout['kind']]
  if (kind !== 'ours') return { kind, steps: new Map(), functions: new Map() }
  const rows = (await ask('ledger-state')) as readonly [what: string, number: number, sha256: string][]
  const of = (wanted: string) =>
    new Map(rows.flatMap(([what, number, sum]) => (what === wanted ? [[number, sum]] : [])))
  return { kind, steps: of('step'), functions: of('functions') }
}

interface Due {
  readonly isNew: boolean
  readonly steps: readonly MigrationStep[]
  readonly functions: boolean
}

/** What is still to be done. Steps of a newer version may be there as well: it keeps our functions for as long as we may be at work. */
function dueOf({ steps, functions }: Wanted, found: InstalledLayout): Due {
  if (found.kind === 'unpublished') throw new Fault('bad_options', unpublished)
  for (const { number, name, sha256 } of steps) {
    const sum = found.steps.get(number)
    if (sum !== undefined && sum !== sha256)
      throw new Fault('bad_options', otherText(`step ${number} (${name}) of its tables`))
  }
  const sum = found.functions.get(functions.version)
  if (sum !== undefined && sum !== functions.sha256)
    throw new Fault('bad_options', otherText(`layout ${functions.version} of its functions`))
  const left = steps.filter(({ number }) => !found.steps.has(number))
  const newest = Math.max(0, ...found.steps.keys())
  if (left.some(({ number }) => number < newest)) throw new Fault('bad_options', outOfOrder)
  if (sum === undefined && newest > (steps.at(-1)?.number ?? 0)) throw new Fault('bad_options', newLedger)
  return { isNew: found.kind === 'none', steps: left, functions: sum === undefined }
}

/**
 * Does what is due first, as one transaction with its own entry in the list; false where nothing was. The lock is the transaction's: behind a
 * pooler, one of the session would stay with a connection that others are given.
 */
function bringOneStepUp(client: pg.Client, { steps, functions }: Wanted): Promise<boolean> {
  const ask: Ask = async (name) => (await client.query({ text: statement(name), rowMode: 'array' })).rows
  return inTransaction(client, async () => {
    await client.query('select pg_advisory_xact_lock($1)', [lockNumbers.lock_tables])
    if ((await readInstalled(ask)).kind === 'none') await client.query(statement('ledger-lists'))
    const due = dueOf({ steps, functions }, await readInstalled(ask))
    const [step] = due.steps
    if (step !== undefined) {
      const { number, name, text, sha256 } = step
      await client.query(text)
      await client.query('insert into proviso.migrations (number, name, sha256) values ($1, $2, $3)', [
        number,
        name,
        sha256,
      ])
    } else if (due.functions) {
      const { version, text, sha256 } = functions
      await client.query(text)
      await client.query('insert into proviso.functions (layout, sha256) values ($1, $2)', [version, sha256])
    }
    return step !== undefined || due.functions
  })
}

async function inTransaction<T>(client: pg.Client, work: () => Promise<T>): Promise<T> {
  await client.query('begin')
  try {
    const done = await work()
    await client.query('commit')
    return done
  } catch (error) {
    await client.query('rollback')
    throw error
  }
}

const noLedger = 'There is no ledger in this database. Is it the right one? Opening Proviso on it makes one.'
const oldLedger = 'The ledger in this database is of an earlier version. Opening Proviso on it brings it up to date.'
const newLedger =
  'The ledger in this database is of a later version, which has no functions for this one any more. Use that version, or a later one.'
const unpublished =
  'The ledger in this database was made before the first publication of Proviso, and cannot be brought up to date. Take another database, or drop its schema "proviso" if nothing in it is needed any more.'
const outOfOrder =
  'The ledger in this database has a later step of its tables without an earlier one. Was it changed by hand?'
const lostFunctions = (version: number, names: readonly string[]): string =>
  `The ledger in this database has lost functions of layout ${version}: ${names.join(', ')}. Was it changed by hand? Bring them back from a copy of the database.`
const otherText = (what: string): string =>
  `The ledger in this database was made by a version of Proviso in which ${what} is another text. Use that version, or take another database.`
const forbidden =
  'This role may not make the ledger. It has to create a schema and a role (CREATE on the database and CREATEROLE, or a role proviso_reader that exists and that it may grant); docs/guide/durability.md says how.'
