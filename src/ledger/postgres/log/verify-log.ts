// The audit of the logs in this database: everything is read in one snapshot, in pieces, the next while one is checked.
import type { EpochMs } from '../../../json/clock.ts'
import { type AuditReport, audit, type WaitingGroup } from '../../log/audit/audit.ts'
import { contentTag, type FactsLeaf, type Leaf, type RetirementLeaf } from '../../log/tree/leaf.ts'
import type { StoredLeaf } from '../../log/tree/stored-leaf.ts'
import type { VerifyOptions } from '../../ports/transparency-log.ts'
import { storedFacts } from '../codec/facts-row.ts'
import type { Database } from '../driver/database.ts'
import { type Query, queryOn } from '../driver/query-on.ts'
import type { PendingRow } from './append-groups.ts'
import { pieceSize, readBoundRows } from './bound-rows.ts'
import { rebuildRows } from './rebuilt-rows.ts'
import { type CursorRow, mergeDelayMs } from './sequencer.ts'
import { type HeadRow, type RetirementRow, readHead, readNodes, readRetirement } from './stored-tree.ts'

type LeafRow = [
  index: number,
  hash: Buffer,
  kind: 'facts' | 'retirement',
  callId: string | null,
  pass: number | null,
  group: number | null,
  commitment: Buffer | null,
  previous: Buffer,
  nodes: Buffer,
  factsTenant: string | null,
  factsPass: number | null,
  body: Buffer | null,
  salt: Buffer | null,
]

type UnloggedRow = [...pending: PendingRow, body: Buffer]

/** Beyond these no more are counted: the log is not being written. */
const mostWaiting = 1_000

export interface ReadOptions extends VerifyOptions {
  /** When everything committed had been put into the log; undefined where that was not done. */
  readonly sequencedAt: EpochMs | undefined
}

export function verifyLog(database: Database, options: ReadOptions): Promise<AuditReport> {
  return database.transaction(async (client) => {
    await client.query('set transaction isolation level repeatable read read only')
    const query = queryOn(client, { patient: true })
    const { tenant, kept, keys, onProgress } = options
    const only = [tenant ?? null]
    const tenants = (await query<[string]>('log-tenants', only)).map(([name]) => name)
    const retirements = (await query<RetirementRow>('log-retirements', only)).map(readRetirement)
    const heads = (await query<HeadRow>('log-heads', [tenant === undefined ? null : [tenant]])).map(readHead)
    const own = (await query<[string]>('log-checkpoints', only)).map(([text]) => text)
    const [cursor] = await query<CursorRow>('log-cursor')
    const waiting = await readWaiting(query, tenant, cursor, options.sequencedAt)
    await query('log-settings')
    const of = heads.reduce((sum, { size }) => sum + size, 0)
    return audit(
      {
        rows: readLeaves(
          query,
          tenants,
          new Map(retirements.map(({ index, leaf }) => [`${index} ${leaf.tenant}`, leaf])),
        ),
        bound: readBoundRows(query, tenant),
        rebuilt: () => rebuildRows(query, tenant),
        tenants,
        everyTenant: tenant === undefined,
        retirements,
        heads,
        own,
        kept,
        keys,
        waiting,
        mergeDelayMs,
        now: (cursor?.[5] ?? 0) as EpochMs,
      },
      {
        findGroup: async (owner, callId, group) => {
          const [row] = await query<[number, Buffer]>('log-group', [owner, callId, group])
          return row === undefined ? undefined : { index: row[0], leafHash: row[1] }
        },
        ...(onProgress && { onProgress: (progress) => onProgress({ ...progress, of }) }),
      },
    )
  })
}

async function* readLeaves(
  query: Query,
  tenants: readonly string[],
  retirements: ReadonlyMap<string, RetirementLeaf>,
): AsyncGenerator<StoredLeaf> {
  for (const tenant of tenants) {
    let after = -1
    let next = query<LeafRow>('log-leaves', [tenant, after, pieceSize])
    for (;;) {
      const rows = await next
      after = rows.at(-1)?.[0] ?? after
      const isLast = rows.length < pieceSize
      if (!isLast) {
        next = query<LeafRow>('log-leaves', [tenant, after, pieceSize])
        // Looked at when it is awaited, which may be after it has failed.
        next.catch(() => undefined)
      }
      for (const row of rows) yield storedLeaf(tenant, row, retirements.get(`${row[0]} ${tenant}`))
      if (isLast) break
    }
  }
}

function storedLeaf(tenant: string, row: LeafRow, retirement: RetirementLeaf | undefined): StoredLeaf {
  const [index, leafHash, kind, , , , , previous, nodes, factsTenant, factsPass, body, salt] = row
  const leaf: Leaf = kind === 'facts' ? factsLeaf(tenant, row) : (retirement ?? lostRetirement(tenant, previous))
  const gone = kind === 'facts' ? 'missing' : undefined
  return {
    tenant,
    index,
    leafHash,
    leaf,
    // These facts have lost their salt, and so cannot be those that the leaf was made of.
    content: body === null ? gone : { salt: salt ?? Buffer.alloc(0), bytes: body },
    ...(factsTenant !== null && { contentOf: { tenant: factsTenant, pass: factsPass ?? 0 } }),
    nodes: readNodes(index, nodes),
  }
}

/** A null here was written by hand: it has no hash, and so is found. */
function factsLeaf(tenant: string, [, , , callId, pass, group, commitment, previous]: LeafRow): FactsLeaf {
  return {
    kind: 'facts',
    tenant,
    callId: callId ?? '',
    pass: pass ?? Number.NaN,
    group: group ?? Number.NaN,
    commitment: commitment ?? Buffer.alloc(0),
    previous,
  }
}

function lostRetirement(tenant: string, previous: Buffer): RetirementLeaf {
  const number = Number.NaN
  const at = 0 as EpochMs
  return { kind: 'retirement', tenant, number, from: '', to: '', leaves: 0, reason: '', at, previous }
}

/** Groups that are committed and in no log. One that an older running transaction holds back is not late. */
async function readWaiting(
  query: Query,
  tenant: string | undefined,
  cursor: CursorRow | undefined,
  sequencedAt: EpochMs | undefined,
): Promise<readonly WaitingGroup[]> {
  const rows = await query<UnloggedRow>('log-unlogged', [tenant ?? null, null, mostWaiting, contentTag])
  return rows.flatMap(([xid, ticket, owner, callId, , , , , lastGroup, , body]): readonly WaitingGroup[] => {
    const group = { tenant: owner, callId, group: (lastGroup ?? 0) + 1 }
    if (cursor === undefined) return [{ ...group, committedAt: undefined }]
    const [cursorXid, cursorTicket, at, moved, horizon] = cursor
    if (moved) return []
    const [own, reached] = [BigInt(xid), BigInt(cursorXid)]
    if (own < reached || (own === reached && ticket <= cursorTicket)) return [{ ...group, committedAt: undefined }]
    if (own >= BigInt(horizon)) return []
    return [{ ...group, committedAt: Math.max(at, newestFact(callId, body), sequencedAt ?? 0) as EpochMs }]
  })
}

function newestFact(callId: string, body: Buffer): number {
  try {
    return Math.max(
      0,
      ...storedFacts(callId, body)
        .map(({ at }) => at)
        .filter(Number.isFinite),
    )
  } catch {
    // Something else was written there.
    return 0
  }
}
