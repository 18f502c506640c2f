// Which failures of the database say nothing about the statement itself: the connection is gone, and the statement may or may not have
// been done. Everything sent through here can be sent again.

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

/** A plain statement that met something it does not decide on: a row that is there already, or its own division by zero. */
const refused: ReadonlySet<string> = new Set(['23505', '22012', '40P01', '40001'])

export function isRefused(error: unknown): boolean {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && refused.has(error.code)
}

/** The server refused the statement and went on: its connection is as good as before. */
export const isOfStatement = (error: unknown): boolean =>
  error instanceof Error && 'severity' in error && error.severity === 'ERROR'

/** Somebody else has inserted the same row in the meantime. */
export const isTaken = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === '23505'

export function isConnectionLoss(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined
  if (code !== undefined) return lost.has(code) || code.startsWith('08')
  return /connection|timeout|terminated|not queryable/i.test(error.message)
}
