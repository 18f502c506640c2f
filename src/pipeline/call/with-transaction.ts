// An executor that works in the ledger's own database. Every start has a transaction of its own: of a change, the one that returns is
// committed by the settle; of a reading, nothing stays.
import type { Admitted } from '../../contract/call/stages.ts'
import { Fault, ToolError } from '../../contract/fault.ts'
import type { ExecutionContext, Executor, LedgerSql } from '../../contract/tool/executor.ts'
import { lastLook } from '../../execute/attempt/may-act.ts'
import type { LedgerTransaction } from '../../ledger/ports/operations.ts'
import type { Deps } from '../deps.ts'

/** Without a nonce nothing is settled, and so nothing stays. */
export function withTransaction(
  executor: Executor,
  { nonce, tenant }: Pick<Admitted, 'nonce' | 'tenant'>,
  { ledger: { operations }, transactions }: Deps,
): Executor {
  return {
    ...executor,
    async run(args, context) {
      if (operations.begin === undefined) throw new Fault('internal', 'The ledger has no transactions.')
      if (nonce !== undefined) await transactions.get(nonce)?.rollback()
      const transaction = await operations.begin(tenant)
      if (context.signal.aborted) {
        // The pass is over: it will not roll back a transaction that begins now.
        await transaction.rollback()
        throw new ToolError('canceled', 'Given up before it began.', { effect: 'none' })
      }
      if (nonce === undefined) {
        try {
          return await executor.run(args, { ...context, sql: sqlOf(transaction, context) })
        } finally {
          await transaction.rollback()
        }
      }
      transactions.set(nonce, transaction)
      const value = await executor.run(args, { ...context, sql: sqlOf(transaction, context) })
      // The commit comes with the settle, which is refused where the operation has become another attempt's.
      lastLook(context)
      return value
    },
  }
}

/** Every statement is sent only while the attempt may act. */
function sqlOf(transaction: LedgerTransaction, context: ExecutionContext): LedgerSql {
  const query = async (text: string, values?: readonly unknown[]) => {
    lastLook(context)
    return transaction.query(text, values)
  }
  const exactly: LedgerSql['exactly'] = async (statement) => {
    lastLook(context)
    return transaction.exactly(statement)
  }
  return Object.assign(query, { exactly })
}
