// The session of this process: a connection that does nothing but hold a lock of its own. While it is there, the process lives; once it
// has ended, others know that it is dead, or cut off. Invariant: as long as the session is not held, nothing is done for an attempt.
import { hash } from 'node:crypto'
import type pg from 'pg'
import type { SlotRecord } from '../../../contract/call/slot.ts'
import { Fault } from '../../../contract/fault.ts'
import type { Owner } from '../../ports/operations.ts'
import { type Owned, ownerByRecord } from '../../rules/own-attempt.ts'
import type { Database } from '../driver/database.ts'
import { isForbidden } from '../driver/errors.ts'
import { cutWire } from '../driver/unanswered.ts'

export interface OwnerSession {
  /** The name under which this process holds its attempts; one common name for all processes whose database gives no sessions. */
  readonly name: string
  /** Whether this process may act: its session is held, or there are no sessions here. */
  isHeld(): boolean
  /** Called when the session was lost, and when there is one again. */
  onChange(changed: (isHeld: boolean) => void): void
  /** The state of the owner of an attempt; a living one is cut off. */
  fence(slot: SlotRecord): Promise<Owner>
  close(): Promise<void>
}

/** The owner of those who have no session. */
export const unseenOwner = '00000000-0000-0000-0000-000000000000'

const firstPauseMs = 50
const longestPauseMs = 2_000
/** So often a session is looked at before it counts as this process's own: one of two servers comes so often in a row once in 30,000 times. */
const looks = 16
/** How long a session that was told to end is waited for. */
const endMs = 1_000

const settings =
  "set idle_session_timeout = 0; set tcp_keepalives_idle = 10; set tcp_keepalives_interval = 5; set tcp_keepalives_count = 3; set application_name = 'proviso owner'"

export async function openOwner(
  database: Database,
  writer: string,
  report: (fault: unknown) => void,
): Promise<OwnerSession> {
  const lock = lockOf(writer)
  let client: pg.Client | undefined
  /** A connection that may get the lock. */
  let opening: pg.Client | undefined
  let changed: (isHeld: boolean) => void = () => undefined
  let isClosed = false
  let timer: ReturnType<typeof setTimeout> | undefined

  const hold = async (): Promise<boolean> => {
    const session = await database.session()
    opening = session
    let isOver = false
    try {
      session.on('end', () => {
        isOver = true
        lost(session)
      })
      await session.query(settings)
      const isOwn = await holdsOn(session, database, lock)
      // The name counts also where the session was there a moment ago.
      if (isOver) throw new Error(hasEnded)
      if (!isOwn || isClosed) {
        await sessionEnd(session)
        return false
      }
      client = session
      return true
    } catch (error) {
      await sessionEnd(session)
      throw isOver ? new Error(hasEnded, { cause: error }) : error
    } finally {
      opening = undefined
    }
  }

  const lost = (session: pg.Client) => {
    if (session !== client) return
    client = undefined
    if (isClosed) return
    changed(false)
    again(firstPauseMs)
  }

  const again = (pauseMs: number) => {
    if (isClosed) return
    const later = () => again(Math.min(2 * pauseMs, longestPauseMs))
    const failed = (cause: unknown) => {
      // Once for each loss, and only where it lasts: a server that restarts is back sooner.
      if (pauseMs < longestPauseMs && 2 * pauseMs >= longestPauseMs && !isClosed)
        report(new Error(noSessionNow, { cause }))
      later()
    }
    timer = setTimeout(() => {
      hold().then((isHeld) => {
        if (isHeld) return changed(true)
        // The server may not have heard yet that the session before this one is gone.
        if (!isClosed) void endSession(database, lock).then(later, failed)
      }, failed)
    }, pauseMs)
    // The host is not kept alive for it.
    timer.unref()
  }

  const hasSessions = await hold()
  if (!hasSessions) report(new Fault('bad_options', noSessions))

  return {
    name: hasSessions ? writer : unseenOwner,
    isHeld: () => !hasSessions || client !== undefined,
    onChange(told) {
      changed = told
    },
    async fence({ tenant, key, generation, nonce }) {
      type Row = [owner: string | null, isClaimed: boolean]
      const [row] = await database.run<Row>('owner-of', [tenant, key, generation, nonce, writer])
      const [owner, isClaimed] = row ?? [null, true]
      const known = ownerByRecord({ owner: kindOf(owner, writer), isClaimed })
      if (known !== undefined || owner === null) return known ?? 'dead'
      if (!(await endSession(database, lockOf(owner)))) return 'alive'
      // It may get another session soon, but this attempt is no longer its own. Where it had no session, it is not known since when: a process
      // that stood still may have sent something a moment ago.
      await database.run('cut-off', [tenant, key, generation, nonce])
      return 'fenced'
    },
    async close() {
      isClosed = true
      clearTimeout(timer)
      await Promise.all([client, opening].map((session) => session && sessionEnd(session)))
    },
  }
}

const kindOf = (owner: string | null, writer: string): Owned['owner'] => {
  if (owner === null) return 'none'
  if (owner === writer) return 'own'
  return owner === unseenOwner ? 'unseen' : 'another'
}

/** A silent server is not waited for. */
async function sessionEnd(session: pg.Client): Promise<void> {
  const timer = setTimeout(() => cutWire(session), endMs)
  await session.end().catch(() => undefined)
  clearTimeout(timer)
}

/** The number of the lock that the session of this process holds. */
const lockOf = (name: string): string => hash('sha256', `proviso.owner ${name}`, 'buffer').readBigInt64BE().toString()

/**
 * Whether the session is this connection's own: behind a pooler, others are served on the same one, or it on another each time. The lock is
 * asked for only then: on a connection of the pooler it would stay for ever.
 */
async function holdsOn(session: pg.Client, database: Database, lock: string): Promise<boolean> {
  const pidOf = async (client: pg.ClientBase) => {
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
    return rows[0]?.pid
  }
  const pid = await pidOf(session)
  // A pooler that gives its servers in turn, or any of them, gives another one sooner or later.
  for (let look = 1; look < looks; look++) if ((await pidOf(session)) !== pid) return false
  // Asked while another one is at work: a pooler gives this connection another server then.
  const other = await database.transaction(async (client) => ({
    pid: await pidOf(client),
    still: await pidOf(session),
  }))
  if (other.pid === pid || other.still !== pid) return false
  const { rows } = await session.query<{ pid: number; taken: boolean }>(
    'select pg_backend_pid() as pid, pg_try_advisory_lock($1::bigint) as taken',
    [lock],
  )
  return rows[0]?.taken === true && rows[0].pid === pid
}

/** Ends the session that holds this lock, where there is one; false where it may still be there. */
async function endSession(database: Database, lock: string): Promise<boolean> {
  try {
    const rows = await database.run<[boolean]>('end-owner', [lock, endMs])
    return rows.every(([ended]) => ended)
  } catch (error) {
    // Its session is that of another role, which this one may not end.
    if (isForbidden(error)) return false
    throw error
  }
}

const noSessionNow =
  'This process has lost its session in the database and gets no other: it does nothing for the attempts that it has in hand until it has one.'

const hasEnded = 'The connection of the session has ended.'

const noSessions =
  'The database gives this process no session of its own, as behind a pooler in transaction mode. Recovery cannot tell whether the owner of a lost attempt lives, and waits a minute longer before absence counts. Give the ledger a direct connection, or a pooler in session mode.'
