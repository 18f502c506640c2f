// Drops the content of old calls, and sagas that are over, whole weeks at a time, and says so in the log: the retirement of each tenant and
// the drop are one transaction. Content that is not in the log yet, or on which a person still has to decide, is kept.
import type { PoolClient } from 'pg'
import type { EpochMs } from '../../../json/clock.ts'
import { nilUuid } from '../../../json/id.ts'
import { append, emptyFrontier } from '../../log/tree/frontier.ts'
import { contentTag, hashOfLeaf, type RetirementLeaf } from '../../log/tree/leaf.ts'
import { noHash } from '../../log/tree/tree-hash.ts'
import type { Retired, Retirement } from '../../ports/transparency-log.ts'
import type { Database } from '../driver/database.ts'
import { type Query, queryOn } from '../driver/query-on.ts'
import type { CursorRow } from '../log/sequencer.ts'
import { frontierOf, type HeadRow, type RetirementRow, readRetirement, writeFrontier } from '../log/stored-tree.ts'

/** Thrown to undo the transaction; the caller gets its message as a value. */
class Unretired extends Error {}

export async function retireBefore(
  database: Database,
  { before, reason }: Retirement,
  sequence: () => Promise<unknown>,
): Promise<Retired> {
  await sequence()
  try {
    return await database.transaction((client) => retireIn(client, before, reason))
  } catch (error) {
    if (error instanceof Unretired) return { ok: false, reason: error.message }
    // Calls may not be kept waiting for long: the lock is given up, and the next maintenance tries again.
    if (error instanceof Error && 'code' in error && (error.code === '55P03' || error.code === '40P01'))
      return { ok: false, reason: 'The tables were in use. Try again.' }
    throw error
  }
}

/** Older than every record: a cut there is a mistake of a sign or of a unit. */
const oldest = Date.UTC(2024, 0, 1)

async function retireIn(client: PoolClient, before: EpochMs, reason: string): Promise<Retired> {
  const query = queryOn(client, { patient: true })
  await query('log-lock-wait')
  const [cursor] = await query<CursorRow>('log-cursor')
  const [place] = await query<[string, number, number]>('cut-of', [before])
  if (cursor === undefined || place === undefined) throw new Error('The cursor of the log is gone.')
  const [cut, week, now] = place
  // A week begins before it is over: the one under way begins at the latest now.
  if (week > now) throw new Unretired('Only weeks that are over can be retired.')
  if (week < oldest) throw new Unretired('No call is as old as that; give a later date.')
  const [unlogged] = await query<unknown[]>('log-unlogged', [null, cut, 1, contentTag])
  if (unlogged !== undefined)
    throw new Unretired('Some facts of that time are not in the log yet. Try again, or verify the log.')
  const kept = (await query<[string]>('open-calls', [cut])).map(([id]) => id)
  const tenants = (await query<[string, number]>('log-going', [cut, kept])).map(([tenant, leaves]) => ({
    tenant,
    leaves,
  }))
  for (const { tenant, leaves } of tenants) {
    await appendRetirement(query, { tenant, leaves, from: nilUuid, to: cut, reason, at: now as EpochMs })
  }
  // Before the tables of calls are locked: it may take longer than dropping files.
  await query('drop-sagas', [week])
  const [dropped] = await query<[boolean]>('drop-before', [cut, kept, beyond(cursor)])
  if (dropped?.[0] !== true) throw new Unretired('Calls of that time were written to meanwhile. Try again.')
  return { ok: true, before: week as EpochMs, tenants, kept }
}

/** The first transaction that the log may not have seen yet. */
const beyond = ([xid, ticket]: CursorRow): string => (ticket === 0 ? xid : `${BigInt(xid) + 1n}`)

async function appendRetirement(
  query: Query,
  fields: Omit<RetirementLeaf, 'kind' | 'number' | 'previous'>,
): Promise<void> {
  const { tenant, from, to, leaves, reason, at } = fields
  const rows = await query<RetirementRow>('log-retirements', [tenant])
  const earlier = rows.map(readRetirement).at(-1)?.leaf
  const previous = earlier === undefined ? noHash : hashOfLeaf(earlier)
  const number = (earlier?.number ?? 0) + 1
  const hash = hashOfLeaf({ kind: 'retirement', number, previous, ...fields })
  const [head] = await query<HeadRow>('log-heads', [[tenant]])
  const before = head === undefined ? emptyFrontier : frontierOf(head)
  const { frontier, completed } = append(before, hash)
  const nodes = Buffer.concat(completed.map((node) => node.hash))
  const place = [tenant, before.size, Buffer.from(hash), Buffer.from(previous), nodes]
  const told = [number, from, to, leaves, reason, at]
  await query('log-append-retirement', [...place, ...told, frontier.size, writeFrontier(frontier)])
}
