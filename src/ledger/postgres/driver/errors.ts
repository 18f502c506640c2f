// What an error of the database means: for the connection it came on, for the statement, and for its sender. Everything that is
// sent can be sent again.
import { setTimeout as sleep } from 'node:timers/promises'

/** The connection is gone or of no use, and the statement may or may not have been done. */
const lost: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOENT',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  // The server is shutting down, crashed, or starting up.
  '57P01',
  '57P02',
  '57P03',
  // Too many connections for the moment; a deadlock; a serialization failure; a statement that was cut off.
  '53300',
  '40P01',
  '40001',
  '57014',
])

/** What proviso.expect_v1 ends in (functions/slots.sql). */
const notAsExpected = 'PV001'

/** A plain statement met something that it does not decide on: a row that is there already, an unexpected state, another's lock. */
const refused: ReadonlySet<string> = new Set(['23505', notAsExpected, '40P01', '40001'])

export function isRefused(error: unknown): boolean {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && refused.has(error.code)
}

/** Classes of errors that are of this statement alone: bad data, constraints, rollbacks, locks, what SQL raises. Others may be of the session. */
const goesOn: ReadonlySet<string> = new Set(['22', '23', '40', '55', 'P0', 'PV'])

/** The server refused the statement and went on: its connection is as good as before. Its own words for that are translated, codes are not. */
export const leavesConnection = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  typeof error.code === 'string' &&
  /^[0-9A-Z]{5}$/.test(error.code) &&
  goesOn.has(error.code.slice(0, 2))

/** Another one has inserted the same row in the meantime. */
export const isDuplicateRow = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === '23505'

/** Another statement was in the way for a moment: the server is there, and the next try may do. */
const isContention = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === '40P01' || error.code === '40001')

/** So many tries are made at least, also where a call waits for a short time only. */
const leastTries = 8

/** Whether what failed is sent once more: for as long as the caller waits for a database that is gone, and some times where one is there. */
export const isSentAgain = (error: unknown, tries: number, overMs: number): boolean =>
  isConnectionLoss(error) && (overMs <= 0 || (isContention(error) && tries < leastTries))

export function isConnectionLoss(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined
  if (code !== undefined) return lost.has(code) || code.startsWith('08')
  return /connection|timeout|terminated|not queryable/i.test(error.message)
}

/** This role may not do that. */
export const isForbidden = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === '42501'

/** No server was reached at all: at a first try, the address is more likely to be wrong than the server to be back soon. */
const unreachable: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ENOENT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ETIMEDOUT',
])

const isUnreachable = (error: unknown): boolean =>
  error instanceof Error && ('code' in error ? unreachable.has(error.code) : /timeout/i.test(error.message))

/** Begins anew what a cut connection has ended, once a server was there; for as long as a call waits for a database that is gone. */
export async function throughCuts<T>(patienceMs: number, open: () => Promise<T>): Promise<T> {
  let wasThere = false
  return patiently(patienceMs, async () => {
    try {
      return await open()
    } catch (error) {
      wasThere ||= isConnectionLoss(error) && !isUnreachable(error)
      throw wasThere || !isConnectionLoss(error) ? error : new Unreached(error)
    }
  }).catch((error: unknown) => {
    throw error instanceof Unreached ? error.cause : error
  })
}

/** No loss of a connection, and so not tried again. */
class Unreached extends Error {
  readonly code = 'unreached'

  constructor(cause: unknown) {
    super('No server was reached.', { cause })
  }
}

const firstPauseMs = 20
const longestPauseMs = 500

/**
 * Sends again what was lost with its connection, for as long as a call waits for a database that is gone. Only for statements that may be
 * done twice: those that change nothing the second time, or nothing that matters.
 */
export async function patiently<T>(patienceMs: number, send: () => Promise<T>): Promise<T> {
  const startedAt = performance.now()
  for (let tries = 0; ; tries++) {
    try {
      return await send()
    } catch (error) {
      if (!isSentAgain(error, tries, performance.now() - startedAt - patienceMs)) throw error
      await sleep(Math.min(firstPauseMs * 2 ** tries, longestPauseMs))
    }
  }
}
