// Judges texts of statements twice: by what Proviso says of them, and by what a real server does with them. A text may run where it is one
// statement that reads or changes rows, and leaves the transaction, the role and the tables as they were.
import pg, { type QueryConfig } from 'pg'
import { statementReader } from '../../src/ledger/exact/read-statement.ts'

export interface JudgedText {
  readonly text: string
  /** May run as a statement that writes, and as one that reads. */
  readonly ours: readonly [writes: boolean, reads: boolean]
  readonly server: readonly [writes: boolean, reads: boolean]
  readonly why: string
}

const rowTags: ReadonlySet<string> = new Set(['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'MERGE'])

export async function judgeTexts(url: string, texts: readonly string[]): Promise<readonly JudgedText[]> {
  const read = await statementReader()
  let client = await fresh(url)
  const judged: JudgedText[] = []
  for (const text of texts) {
    const reading = read(text)
    const ours = [reading.ok, reading.ok && !reading.writes] as const
    const writes = await runs(client, text, 'begin')
    if (!writes.isWhole) client = await again(client, url)
    const reads = await runs(client, text, 'begin transaction read only')
    if (!reads.isWhole) client = await again(client, url)
    judged.push({ text, ours, server: [writes.may, reads.may], why: reading.ok ? writes.why : reading.why })
  }
  await client.end()
  return judged
}

async function fresh(url: string): Promise<pg.Client> {
  const client = new pg.Client(url)
  client.on('error', () => undefined)
  await client.connect()
  await client.query(
    'drop table if exists public.made, public.victims; create table public.victims (n int); set search_path = public',
  )
  return client
}

async function again(client: pg.Client, url: string): Promise<pg.Client> {
  await client.end().catch(() => undefined)
  return fresh(url)
}

const state = `select current_setting('trial.mark', true) as mark, current_user::text as who, session_user::text as whose,
  (select string_agg(format('%s %s %s', c.relname, c.relnatts, c.relacl), ',' order by c.relname) from pg_class c where c.relnamespace = 'public'::regnamespace) as tables,
  (select count(*) from pg_prepared_statements) as prepared, (select count(*) from pg_cursors) as cursors,
  (select count(*) from pg_listening_channels()) as heard`

interface Run {
  readonly may: boolean
  /** The session is as it was. */
  readonly isWhole: boolean
  readonly why: string
}

async function runs(client: pg.Client, text: string, begin: string): Promise<Run> {
  await client.query(begin)
  await client.query("set local trial.mark = 'here'")
  const before = JSON.stringify((await client.query(state)).rows)
  try {
    const { command } = await client.query({ text, queryMode: 'extended' } as QueryConfig)
    const after = JSON.stringify((await client.query(state)).rows)
    await client.query('rollback')
    const isWhole = before === after
    return { may: rowTags.has(command) && isWhole, isWhole, why: isWhole ? command : `${command} left a trace` }
  } catch (error) {
    // It may have broken the protocol: a connection that cannot roll back is not whole.
    const isWhole = await client.query('rollback').then(
      () => true,
      () => false,
    )
    return { may: false, isWhole: isWhole && (await isPlain(client)), why: String(error) }
  }
}

const isPlain = (client: pg.Client): Promise<boolean> =>
  client.query('select 1 from public.victims limit 0').then(
    () => true,
    () => false,
  )

export const disagrees = ({ ours, server }: JudgedText): boolean => ours[0] !== server[0] || ours[1] !== server[1]
