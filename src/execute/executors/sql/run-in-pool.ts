// The statements of one call in a database that is not the ledger's. A failure before COMMIT is sent has left nothing behind; the effect of
// a COMMIT that was not answered is unknown.
import type { Pool, PoolClient } from 'pg'
import { ToolError } from '../../../contract/fault.ts'
import type { ExactRows, ExactStatement, ExecutionContext } from '../../../contract/tool/executor.ts'
import type { JsonObject, JsonValue } from '../../../json/value.ts'
import { exactRows, readWithin } from '../../../ledger/exact/exact-rows.ts'
import { exactSettings } from '../../../ledger/exact/exact-value.ts'
import { lastLook } from '../../attempt/may-act.ts'
import { cancelStatement } from './cancel.ts'
import { bindStatements, runStatements, type Statements, settingsFor } from './run-statements.ts'
import { isFatal, saysUndone, sqlError } from './sqlstate.ts'

export async function runInPool(
  pool: Pool,
  plan: Statements,
  args: JsonObject,
  context: ExecutionContext,
): Promise<JsonValue> {
  const bound = bindStatements(plan, args, context)
  const writes = bound.some(({ access }) => access === 'write')
  const client = await connect(pool, context.signal)
  // A connection that breaks fails its next statement; its error event, without a listener, would end the process.
  client.on('error', ignore)
  let stage: 'working' | 'committing' | 'over' = 'working'
  let hangUp: ReturnType<typeof setTimeout> | undefined
  let canceled: Promise<void> | undefined
  const cancel = () => {
    if (stage === 'working') canceled = cancelStatement(pool, client, answerMs)
    // A server that does not answer even now is not waited for; what that means depends on the stage.
    hangUp = setTimeout(() => void client.end().catch(ignore), answerMs).unref()
  }
  context.signal.addEventListener('abort', cancel, { once: true })
  try {
    // A process that is gone leaves no lock behind.
    const idle = ['idle_in_transaction_session_timeout', String(Math.ceil(context.timeoutMs))] as const
    const { text, values } = settingsFor(plan, context, [...exactSettings, idle])
    await client.query(writes ? 'begin' : 'begin transaction read only')
    await client.query(text, [...values])
    const send = (statement: ExactStatement): Promise<ExactRows> => {
      lastLook(context)
      return writes && statement.readOnly ? readWithin(client, statement) : exactRows(client, statement)
    }
    const value = await runStatements(plan, bound, send)
    if (!writes) {
      await client.query('rollback')
    } else {
      lastLook(context)
      stage = 'committing'
      await commit(client)
    }
    stage = 'over'
    await giveBack(client, canceled)
    return value
  } catch (error) {
    const effect = stage === 'committing' && error instanceof CommitUnanswered ? 'unknown' : 'none'
    stage = 'over'
    await leave(client, error, canceled)
    throw sqlError(error instanceof CommitUnanswered ? error.cause : error, effect)
  } finally {
    stage = 'over'
    clearTimeout(hangUp)
    context.signal.removeEventListener('abort', cancel)
    client.off('error', ignore)
  }
}

const ignore = () => undefined
/** How long a server has to answer once the call was given up. */
const answerMs = 5_000

/** COMMIT was sent, and what came back does not say that nothing was done. */
class CommitUnanswered extends Error {}

async function commit(client: PoolClient): Promise<void> {
  let doubt: unknown
  // A server that stops waiting for its standby only warns, and the change may be lost with that server.
  const warned = (notice: { readonly severity?: string | undefined }) => {
    if (notice.severity === 'WARNING') doubt = new Error('The commit came with a warning.')
  }
  client.on('notice', warned)
  try {
    const { command } = await client.query('commit')
    if (command === 'ROLLBACK') throw new ToolError('sql_rolled_back', 'The database undid it.', { effect: 'none' })
    if (command !== 'COMMIT') throw new CommitUnanswered('', { cause: new Error('COMMIT was answered otherwise.') })
    if (doubt !== undefined) throw new CommitUnanswered('', { cause: doubt })
  } catch (error) {
    // An error that the server names and survives means that nothing was committed, but for states that say themselves that they do not know.
    const denied = error instanceof ToolError || (!isFatal(error) && saysUndone(error))
    throw denied || error instanceof CommitUnanswered ? error : new CommitUnanswered('', { cause: error })
  } finally {
    client.off('notice', warned)
  }
}

async function connect(pool: Pool, signal: AbortSignal): Promise<PoolClient> {
  if (signal.aborted) throw givenUp()
  let client: PoolClient
  try {
    client = await pool.connect()
  } catch (error) {
    throw error instanceof ToolError ? error : sqlError(error, 'none')
  }
  if (!signal.aborted) return client
  client.release()
  throw givenUp()
}

/** A connection that was told to end its statement is thrown away, and only once that was heard. */
async function giveBack(client: PoolClient, canceled: Promise<void> | undefined): Promise<void> {
  await canceled
  client.release(canceled !== undefined)
}

/** Given back where it can be rolled back, thrown away where it cannot: no other call may find this transaction on it. */
async function leave(client: PoolClient, error: unknown, canceled: Promise<void> | undefined): Promise<void> {
  try {
    if (error instanceof CommitUnanswered) throw error
    await client.query('rollback')
  } catch {
    await canceled
    client.release(true)
    return
  }
  await giveBack(client, canceled)
}

const givenUp = (): ToolError => new ToolError('canceled', 'Given up before it was done.', { effect: 'none' })
