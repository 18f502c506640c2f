// An executor that works in the ledger's own database. Every start has a transaction of its own: of a change, the one that returns is
// committed by the settle; of a reading, nothing stays.
import type { Call } from '../contract/call.ts'
import { Fault, LedgerLost, ToolError } from '../contract/fault.ts'
import type { Executor, LedgerSql } from '../contract/tool.ts'
import type { LedgerTransaction } from '../ledger/ledger.ts'
import { isConnectionLoss } from '../ledger/postgres/errors.ts'
import type { Deps } from './deps.ts'

/** Without a nonce nothing is settled, and so nothing stays. */
export function withTransaction(
  executor: Executor,
  { nonce, tenant }: Pick<Call, 'nonce' | 'tenant'>,
  { ledger, transactions }: Deps,
): Executor {
  return {
    ...executor,
    async run(args, context) {
      if (ledger.begin === undefined) throw new Fault('internal', 'The ledger has no transactions.')
      if (nonce !== undefined) await transactions.get(nonce)?.rollback()
      const transaction = await ledger.begin(tenant).catch(asLost)
      if (context.signal.aborted) {
        // The pass is over, and so is the one who would have rolled it back.
        await transaction.rollback()
        throw new ToolError('canceled', 'Given up before it began.', { effect: 'none' })
      }
      if (nonce === undefined) {
        try {
          return await executor.run(args, { ...context, sql: sqlOf(transaction) })
        } finally {
          await transaction.rollback()
        }
      }
      transactions.set(nonce, transaction)
      return executor.run(args, { ...context, sql: sqlOf(transaction) })
    },
  }
}

function sqlOf(transaction: LedgerTransaction): LedgerSql {
  return Object.assign((text: string, values?: readonly unknown[]) => transaction.query(text, values).catch(asLost), {
    exactly: (statement: Parameters<LedgerSql['exactly']>[0]) => transaction.exactly(statement).catch(asLost),
  })
}

/** Not the tool's failure: what it began is undone, and the same call may be made again. */
function asLost(error: unknown): never {
  throw isConnectionLoss(error) ? new LedgerLost() : error
}
