// What the error codes of Postgres stand for where the contract is silent, by the longest row that fits. A row of five characters is one
// condition, a row of two a whole class of them.
import { ToolError } from '../../../contract/fault.ts'
import type { ExecutorClass } from '../../../contract/taxonomy.ts'

interface Meaning {
  readonly class: ExecutorClass | undefined
  readonly says: string
}

const sqlstates: ReadonlyMap<string, Meaning> = new Map<string, Meaning>([
  ['08', { class: 'DEPENDENCY_UNAVAILABLE', says: 'The connection to the database was lost.' }],
  ['22', { class: 'OUT_OF_BOUNDS', says: 'A value is outside of what the database can hold.' }],
  ['22007', { class: 'TYPE_MISMATCH', says: 'A value is no date or time.' }],
  ['22P02', { class: 'TYPE_MISMATCH', says: 'A value is not written as its type demands.' }],
  ['22P03', { class: 'TYPE_MISMATCH', says: 'A value is not written as its type demands.' }],
  ['22P05', { class: 'TYPE_MISMATCH', says: 'A text holds a character that the database cannot hold.' }],
  ['22021', { class: 'TYPE_MISMATCH', says: 'A text holds a character that the database cannot hold.' }],
  ['23', { class: 'SEMANTIC_INVALIDITY', says: 'The change would break a constraint of the database.' }],
  ['23502', { class: 'SEMANTIC_INVALIDITY', says: 'A value is missing that the database demands.' }],
  [
    '23503',
    { class: 'SEMANTIC_INVALIDITY', says: 'Something refers to a row that is not there, or is still referred to.' },
  ],
  ['23505', { class: 'SEMANTIC_INVALIDITY', says: 'There is such a row already.' }],
  ['23514', { class: 'SEMANTIC_INVALIDITY', says: 'A value breaks a check of the database.' }],
  ['25006', { class: 'POLICY_VIOLATION', says: 'A statement that is declared to read tried to write.' }],
  ['28', { class: 'DEPENDENCY_UNAVAILABLE', says: 'The database does not let this tool in.' }],
  ['3D', { class: 'DEPENDENCY_UNAVAILABLE', says: 'There is no such database.' }],
  [
    '40',
    { class: 'DEPENDENCY_UNAVAILABLE', says: 'Other transactions were in the way. The same call may be made again.' },
  ],
  [
    '42501',
    { class: 'PERMISSION_DENIED', says: 'The database does not allow this to the tool, or not for this tenant.' },
  ],
  ['53', { class: 'DEPENDENCY_UNAVAILABLE', says: 'The database has no room for this at the moment.' }],
  ['55P03', { class: 'DEPENDENCY_UNAVAILABLE', says: 'A row is locked by another transaction for too long.' }],
  ['57', { class: 'DEPENDENCY_UNAVAILABLE', says: 'The database is shutting down or starting up.' }],
  ['57014', { class: 'TIMEOUT', says: 'The statement took too long and was ended.' }],
  ['25P03', { class: 'TIMEOUT', says: 'The transaction took too long and was ended.' }],
  ['25P04', { class: 'TIMEOUT', says: 'The transaction took too long and was ended.' }],
  ['P0001', { class: 'SEMANTIC_INVALIDITY', says: 'The database refuses this.' }],
  ['P0002', { class: 'STALE_STATE', says: 'There is no such row.' }],
])

const unknown: Meaning = { class: undefined, says: 'The statement failed in the database.' }
const lost: Meaning = { class: 'DEPENDENCY_UNAVAILABLE', says: 'The connection to the database was lost.' }

/** The five characters that the server gave; undefined where it was not the server that spoke. */
function sqlstateOf(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && 'severity' in (error as Error) ? code : undefined
}

/**
 * Conditions that are no word about a COMMIT. By the standard 08007 and 40003 say so themselves; databases that speak this protocol also give
 * others of 08, 57, 58 and XX where they lost sight of it, as CockroachDB and poolers do.
 */
const doubtful: readonly string[] = ['08', '40003', '57', '58', 'XX']
/** Ended at request, which Postgres does before the commit or not at all. */
const canceledByUser = '57014'

/** Whether an error that answers a COMMIT says that nothing was committed. */
export function saysUndone(error: unknown): boolean {
  const state = sqlstateOf(error)
  return state !== undefined && (state === canceledByUser || !doubtful.some((one) => state.startsWith(one)))
}

/** Whether the server has ended the session along with the statement: then it is not known how far it came. */
export const isFatal = (error: unknown): boolean =>
  error instanceof Error && 'severity' in error && (error.severity === 'FATAL' || error.severity === 'PANIC')

/** Never the server's own words about values: of those, only what the schema's author wrote reaches the model. */
export function sqlError(error: unknown, effect: 'none' | 'unknown'): ToolError {
  if (error instanceof ToolError) return error
  const state = sqlstateOf(error)
  if (state === undefined)
    return new ToolError('sql_connection', errorText(lost, '', effect), { effect, class: lost.class, cause: error })
  const meaning = sqlstates.get(state) ?? sqlstates.get(state.slice(0, 2)) ?? unknown
  return new ToolError(`sql_${state}`, errorText(meaning, authored(state, error as object), effect), {
    effect,
    class: meaning.class,
    cause: error,
  })
}

const errorText = ({ says }: Meaning, more: string, effect: 'none' | 'unknown'): string =>
  [says, more, effect === 'none' ? 'Nothing was changed.' : 'It is not known whether it was done.']
    .filter((part) => part !== '')
    .join(' ')

/** Names of constraints and columns, and what a function of the database raises on purpose. */
function authored(state: string, error: object): string {
  const field = (name: string): string => {
    const value = name in error ? (error as Record<string, unknown>)[name] : undefined
    return typeof value === 'string' ? value.slice(0, 200) : ''
  }
  if (state === 'P0001') return field('message')
  if (!state.startsWith('23')) return ''
  const constraint = field('constraint')
  const column = field('column')
  return constraint === '' ? (column === '' ? '' : `Column: ${column}.`) : `Constraint: ${constraint}.`
}
