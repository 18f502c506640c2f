// The connections of one ledger: a pool, statements prepared once per connection, and the reader's role for all reads for a tenant.
import type { ClientBase, PoolClient, PoolConfig, QueryResult } from 'pg'
import pg from 'pg'
import { closedFault } from '../../closing.ts'
import { createClients } from './clients.ts'
import { type CommandValue, submittable } from './command.ts'
import { leavesConnection } from './errors.ts'
import { statement } from './statements.ts'
import { cutUnanswered } from './unanswered.ts'

export interface Database {
  /** Runs one of statements/*.sql, or the text made of one; prepared, as one transaction of its own. */
  run<Row extends unknown[]>(name: string, values: readonly unknown[], text?: string): Promise<readonly Row[]>
  /** A statement that returns no rows; gives how many its outermost insert or update has written. */
  change(name: string, values: readonly CommandValue[], text: string): Promise<number>
  /** The same as the reader's role, which sees this tenant alone, for every statement. Without a tenant, as the owner. */
  read<Row extends unknown[]>(
    tenant: string | undefined,
    name: string,
    values: readonly unknown[],
  ): Promise<readonly Row[]>
  /** The server's, as a number such as 180001; 0 before the first connection. */
  readonly version: number
  transaction<T>(work: (client: PoolClient) => Promise<T>): Promise<T>
  connect(): Promise<PoolClient>
  /** A connection that is not the pool's, open until it is ended. */
  session(): Promise<pg.Client>
  end(): Promise<void>
}

/** bigint and timestamps come as numbers; ours fit. */
const types = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    if (oid === pg.types.builtins.INT8) return Number
    return pg.types.getTypeParser(oid, format)
  },
}

/**
 * Everything here is looked up by key, also where the planner still takes the tables for empty, and planned once. No bitmaps: they
 * go to every row that was ever pending, each time; a scan of the index alone marks those that are gone, and the next scan leaves them out.
 */
const settings =
  'set enable_seqscan = off; set enable_bitmapscan = off; set enable_hashjoin = off; set enable_mergejoin = off; set plan_cache_mode = force_generic_plan; set jit = off; show server_version_num'

/** After so long without a word, a session's other end is asked whether it is still there. */
const idleMs = 10_000

export interface DatabaseConfig extends PoolConfig {
  /** No answer after this time counts as a lost connection; 0: it is waited for. */
  readonly answerMs?: number | undefined
  /** For how long connections that are in use are waited for at the end. */
  readonly patienceMs?: number | undefined
}

export function openDatabase({ answerMs = 15_000, patienceMs = 10_000, ...config }: DatabaseConfig): Database {
  let version = 0
  const unanswered = cutUnanswered(answerMs)
  const onConnect = async (client: ClientBase) => {
    unanswered.watch(client)
    // One result for each statement; the last tells the version.
    const results = (await client.query(settings)) as unknown as readonly QueryResult<{ server_version_num: string }>[]
    version = Number(results.at(-1)?.rows[0]?.server_version_num ?? 0)
  }
  let isEnding = false
  const clients = createClients(new pg.Pool({ ...config, pipeline: false, types, onConnect }))

  const query = async <Row extends unknown[]>(
    client: PoolClient,
    name: string,
    values: readonly unknown[],
    text?: string,
  ): Promise<readonly Row[]> => {
    const result = (await client.query({
      name,
      text: text ?? statement(name),
      values: values as unknown[],
      rowMode: 'array',
    })) as unknown as QueryResult<Row>
    return result.rows
  }

  const run = async <Row extends unknown[]>(name: string, values: readonly unknown[], text?: string) => {
    const client = await clients.take()
    let broken = true
    try {
      const rows = await query<Row>(client, name, values, text)
      broken = false
      return rows
    } finally {
      clients.give(client, broken)
    }
  }

  /** Only what its end needs is kept until then, and its values are not: those of a batch are large. */
  const endOn =
    (client: PoolClient, resolve: (written: number) => void, reject: (error: Error) => void) =>
    (error: Error | undefined, written: number) => {
      if (error === undefined) {
        clients.give(client, false)
        resolve(written)
        return
      }
      if (leavesConnection(error)) clients.giveWhenReady(client)
      else clients.give(client, true)
      reject(error)
    }

  const change = (name: string, values: readonly CommandValue[], text: string) =>
    new Promise<number>((resolve, reject) => {
      const send = (client: PoolClient) => {
        client.query(submittable({ name, text, values, ended: endOn(client, resolve, reject) }))
      }
      const client = clients.take()
      if (client instanceof Promise) client.then(send).catch(reject)
      else send(client)
    })

  const transaction = async <T>(work: (client: PoolClient) => Promise<T>): Promise<T> => {
    const client = await clients.take()
    // A connection that cannot roll back is thrown away: the next user of it may not find our transaction there.
    let broken = false
    try {
      await client.query('begin')
      const result = await work(client)
      await client.query('commit')
      return result
    } catch (error) {
      try {
        await client.query('rollback')
      } catch {
        broken = true
      }
      throw error
    } finally {
      clients.give(client, broken)
    }
  }

  return {
    get version() {
      return version
    },
    run,
    change,
    async read<Row extends unknown[]>(tenant: string | undefined, name: string, values: readonly unknown[]) {
      if (tenant === undefined) return run<Row>(name, values)
      return transaction(async (client) => {
        await client.query('set local role proviso_reader')
        await client.query({ name: 'tenant', text: statement('tenant'), values: [tenant] })
        return query<Row>(client, name, values)
      })
    },
    transaction,
    connect: async () => clients.take(),
    async session() {
      if (isEnding) throw closedFault()
      // On a connection that does nothing, nothing else tells that the other host is gone.
      const client = new pg.Client({ ...config, keepAlive: true, keepAliveInitialDelayMillis: idleMs })
      // Its end is told to those who listen; unheard, an error would end the process.
      client.on('error', () => undefined)
      await client.connect()
      unanswered.watch(client)
      return client
    },
    end() {
      isEnding = true
      return clients.end(patienceMs)
    },
  }
}
