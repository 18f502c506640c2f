// Edits every column of every table, one at a time, and inserts and deletes rows of each: what an audit must find, or a table in the code must
// declare harmless. Tables and columns are read from the database's own catalogue, so that a new one cannot be forgotten.
import pg from 'pg'
import { loadOrCreateKey } from '../../src/ledger/log/keys/key-file.ts'
import { unbound, unboundReason } from '../../src/ledger/log/unbound.ts'
import { postgres } from '../../src/ledger/postgres/postgres.ts'
import { fillTables } from './fill-tables.ts'

export interface Swept {
  readonly table: string
  readonly change: 'edit' | 'insert' | 'delete'
  /** The edited column, and what it was set to. */
  readonly column?: string
  readonly to?: string
  /** Which of its rows, counted from 1. */
  readonly row: number
  readonly verdict: 'found' | 'harmless' | 'missed' | 'refused'
  /** Kinds of findings, the declared reason, or the database's own refusal. */
  readonly why: string
}

export async function sweepColumns(url: string, keyFile: string, mostRows = enoughRows): Promise<readonly Swept[]> {
  const sweep = await openSweep(url, keyFile, mostRows)
  try {
    const clean = await sweep.findings()
    if (clean.length > 0) throw new Error(`An untouched ledger has findings: ${clean.join('; ')}`)
    const swept: Swept[] = []
    for (const table of await sweep.tables()) swept.push(...(await sweep.sweep(table)))
    const left = await sweep.findings()
    if (left.length > 0) throw new Error(`An edit was not taken back: ${left.join('; ')}`)
    return swept
  } finally {
    await sweep.close()
  }
}

/** What the sweep came to, in numbers; what was missed, and what is declared and was never needed, by name. */
export function countSwept(swept: readonly Swept[]) {
  const of = (verdict: Swept['verdict']) => swept.filter((row) => row.verdict === verdict)
  const named = ({ table, change, column }: Swept) => [table, column ?? change].join('.')
  const needed = new Set(of('harmless').map(named))
  const declared = unbound.flatMap(({ table, columns }) =>
    (typeof columns === 'string' ? [columns] : columns).map((name) => `${table}.${name}`),
  )
  const edits = swept.filter(({ change }) => change === 'edit')
  return {
    tables: new Set(swept.map(({ table }) => table)).size,
    columns: new Set(edits.map(named)).size,
    edits: edits.length,
    inserts: swept.filter(({ change }) => change === 'insert').length,
    deletes: swept.filter(({ change }) => change === 'delete').length,
    found: of('found').length,
    harmless: of('harmless').length,
    refused_by_the_database: of('refused').length,
    missed: [...new Set(of('missed').map((row) => `${row.change} ${named(row)}`))],
    declared_in_vain: declared.filter((name) => !needed.has(name)),
  }
}

interface Column {
  readonly name: string
  readonly type: string
  readonly isKey: boolean
  readonly isNullable: boolean
  readonly words: readonly string[]
}

interface SweptTable {
  readonly name: string
  readonly columns: readonly Column[]
}

/** Enough for a row of each kind that fill-tables.ts makes; of facts and leaves more would only be more of the same. */
const enoughRows = 5

async function openSweep(url: string, keyFile: string, mostRows: number) {
  // The key of tokens lies in the database where no file is given; checkpoints are signed with one.
  const keyed = await postgres(url, { connections: 3, log: { sequence: false } })
  await keyed.approvals.signingKeys()
  await keyed.close()
  const checkpoint = { read: () => undefined, write: () => undefined }
  const ledger = await postgres(url, { connections: 3, log: { keyFile, sequence: false }, checkpoint })
  const client = new pg.Client(url)
  client.on('error', () => undefined)
  await client.connect()
  const { log } = ledger
  if (log === undefined) throw new Error('This ledger keeps no log.')
  await fillTables(ledger, log)
  const signed = await log.checkpoint()
  const key = await loadOrCreateKey(keyFile)
  if (!signed.ok || !key.ok) throw new Error('Nothing was signed.')
  const kept = signed.checkpoints.map(({ text }) => text)
  // Rows that are there only for as long as a tool works.
  await client.query(
    `insert into proviso.tool_tickets (nonce, tenant, until) values (gen_random_uuid(), 'acme', now())`,
  )
  await client.query(
    `insert into proviso.tool_transactions (xact, tenant, nonce) values ('9', 'acme', gen_random_uuid())`,
  )
  // Another hand is bound by no foreign key and no trigger.
  await client.query(`set session_replication_role = replica`)

  const findings = async (): Promise<readonly string[]> => {
    const report = await log.verify({ kept, keys: [key.key.publicKey] })
    return report.findings.map(({ kind, place }) => `${kind} ${place}`)
  }

  const judged = async (what: Omit<Swept, 'verdict' | 'why'>): Promise<Swept> => {
    const found = await findings().catch((error: Error) => [`the audit stops: ${error.message}`])
    if (found.length > 0) return { ...what, verdict: 'found', why: [...new Set(found)].slice(0, 4).join('; ') }
    const reason = unboundReason(what.table, what.change, what.column)
    return { ...what, verdict: reason === undefined ? 'missed' : 'harmless', why: reason ?? '' }
  }

  return {
    findings,
    tables: () => tablesOf(client),
    async sweep(table: SweptTable): Promise<readonly Swept[]> {
      const swept: Swept[] = []
      const { count, apply, restore } = await copyOf(client, table)
      const tried = async (what: Omit<Swept, 'verdict' | 'why'>, statement: string) => {
        const done = await apply(statement)
        if (done === 'same') return
        swept.push(done === 'changed' ? await judged(what) : { ...what, verdict: 'refused', why: done })
        if (done === 'changed') await restore()
      }
      const name = `proviso.${table.name}`
      for (let row = 1; row <= Math.min(count, mostRows); row++) {
        const one = `(tableoid, ctid) = (select tableoid, ctid from ${name} order by ${keyOf(table)} offset ${row - 1} limit 1)`
        for (const column of table.columns)
          for (const to of editsOf(column)) {
            const what = { table: table.name, change: 'edit', column: column.name, to, row } as const
            await tried(what, `update ${name} set ${quoted(column.name)} = ${to} where ${one}`)
          }
        await tried({ table: table.name, change: 'delete', row }, `delete from ${name} where ${one}`)
        await tried({ table: table.name, change: 'insert', row }, insertLike(table, one))
      }
      return swept
    },
    async close() {
      await client.end()
      await ledger.close()
    },
  }
}

/** Partitions are swept as the table that they belong to. */
async function tablesOf(client: pg.Client): Promise<readonly SweptTable[]> {
  const { rows } = await client.query<Column & { table: string }>(
    `select c.relname as table, a.attname as name, format_type(a.atttypid, null) as type, not a.attnotnull as "isNullable",
       coalesce(a.attnum = any (i.indkey), false) as "isKey",
       coalesce((select array_agg(quote_literal(e.enumlabel)::text order by e.enumsortorder) from pg_enum e where e.enumtypid = a.atttypid), '{}') as words
     from pg_class c
     join pg_namespace n on n.oid = c.relnamespace and n.nspname = 'proviso'
     join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     left join pg_index i on i.indrelid = c.oid and i.indisprimary
     where c.relkind in ('r', 'p') and not c.relispartition
     order by c.relname, a.attnum`,
  )
  return [...Map.groupBy(rows, ({ table }) => table)].map(([name, columns]) => ({ name, columns }))
}

/** Values of every kind that the column can be set to; one that it has already is passed over. */
function editsOf({ name, type, isNullable, words }: Column): readonly string[] {
  return [...valuesOf(quoted(name), type, words), ...(isNullable ? ['null'] : [])]
}

function valuesOf(column: string, type: string, words: readonly string[]): readonly string[] {
  if (words.length > 0) return words
  switch (type) {
    case 'text':
      return [`coalesce(${column}, '') || 'x'`, ...(knownWords.get(column) ?? [])]
    case 'uuid':
      return ['gen_random_uuid()']
    case 'integer':
    case 'smallint':
    case 'bigint':
      return [`coalesce(${column}, 0) + 1`, `coalesce(${column}, 0) - 1`]
    case 'boolean':
      return ['true', 'false']
    case 'timestamp with time zone':
      return [`coalesce(${column}, now()) + interval '1 hour'`, `coalesce(${column}, now()) - interval '1 hour'`]
    case 'bytea':
      return [
        `case when length(${column}) > 0 then set_byte(${column}, length(${column}) / 2, (get_byte(${column}, length(${column}) / 2) + 1) % 256) else '\\x01' end`,
        `''::bytea`,
      ]
    case 'text[]':
      return [`coalesce(${column}, '{}') || 'x'::text`, `'{}'`]
    case 'jsonb':
      return [`'{"x": "y"}'`]
    case 'xid8':
      return [`'3'`]
    default:
      throw new Error(`No edit is known for a column of type ${type}.`)
  }
}

/** Of columns that take only some words. */
const knownWords = new Map([
  ['"verdict"', [`'pending'`, `'approved'`, `'superseded'`]],
  ['"kind"', [`'facts'`, `'retirement'`]],
])

const quoted = (name: string): string => `"${name}"`

const keyOf = ({ columns }: SweptTable): string => {
  const key = columns.filter(({ isKey }) => isKey)
  return (key.length > 0 ? key : columns).map(({ name }) => `${quoted(name)}::text`).join(', ')
}

/** A row like this one under another key. */
function insertLike({ name, columns }: SweptTable, one: string): string {
  const values = columns.map((column) => {
    const { isKey, type } = column
    const quotedName = quoted(column.name)
    // A tenant stays, so that the row is one among its like; a key of nothing else is changed all the same.
    const isOwner = column.name.startsWith('tenant') && columns.filter((each) => each.isKey).length > 1
    return isKey && !isOwner && type !== 'boolean' ? (valuesOf(quotedName, type, [])[0] ?? quotedName) : quotedName
  })
  return `insert into proviso.${name} (${columns.map((each) => quoted(each.name)).join(', ')}) overriding system value
    select ${values.join(', ')} from proviso.${name} where ${one}`
}

/** The table is small, so that a change of it is undone by writing all of it anew. */
async function copyOf(client: pg.Client, { name, columns }: SweptTable) {
  const table = `proviso.${name}`
  const all = columns.map((column) => quoted(column.name)).join(', ')
  await client.query(
    `drop table if exists pg_temp.copied; create temporary table copied as select ${all} from ${table}`,
  )
  const { rows } = await client.query<{ count: number }>('select count(*)::integer as count from copied')
  const count = rows[0]?.count ?? 0
  if (count === 0) throw new Error(`No row of ${name} to edit.`)
  const restore = async () => {
    await client.query(`begin; delete from ${table};
      insert into ${table} (${all}) overriding system value select ${all} from copied; commit`)
  }
  const differs = `select exists (select ${all} from ${table} except all select ${all} from copied)
    or (select count(*) from ${table}) <> ${count} as differs`
  return {
    count,
    restore,
    /** `same` where nothing changed, or why the database refuses it. */
    async apply(statement: string): Promise<'changed' | 'same' | (string & {})> {
      try {
        await client.query(statement)
      } catch (error) {
        return (error as Error).message
      }
      const { rows: said } = await client.query<{ differs: boolean }>(differs)
      return said[0]?.differs === true ? 'changed' : 'same'
    },
  }
}
