// The one phase that crosses into the world. What fails in it is `unknown` unless the executor proves otherwise; the slot says so
// before the answer does.
import type { Call, Outcome } from '../../contract/call.ts'
import { effectRow } from '../../contract/effects.ts'
import { Fault, LedgerLost, ToolError } from '../../contract/fault.ts'
import { respond } from '../../contract/respond.ts'
import { mappableClasses } from '../../contract/taxonomy.ts'
import type { Executor, LedgerSql, Tool } from '../../contract/tool.ts'
import { type Attempts, attemptWithRetries } from '../../execute/retry.ts'
import { isConnectionLoss } from '../../ledger/postgres/errors.ts'
import { toolContext, toolOf, typedInput } from '../context.ts'
import type { Deps } from '../deps.ts'
import { type Act, stop, type Verdict } from '../phase.ts'
import { recordLate } from '../record-pass.ts'
import { endLate, failureEnd } from '../settle.ts'

export const execute: Act = {
  name: 'execute',
  does: 'Runs the tool, with its timeout, an abort signal and the retries its contract allows.',
  stopsWith: [
    { class: 'TIMEOUT', reasons: ['timeout'] },
    { class: 'UNKNOWN_ERROR', reasons: ['execution_failed', 'canceled'] },
    // What the contract's error mapping may name.
    ...mappableClasses.map((name) => ({ class: name, reasons: ['execution_failed'] as const })),
  ],
  async act(call, deps) {
    const tool = toolOf(call)
    const { outcome, count: tries } = await run(call, tool, deps)
    if (outcome.kind === 'returned') return { kind: 'pass', gives: { outcome, tries, effect: outcome.effect } }
    return refuse({ ...call, tries }, outcome, deps)
  },
  keep: ({ outcome, attempt, tries }) =>
    outcome === undefined
      ? undefined
      : {
          attempt: attempt ?? 1,
          tries: tries ?? 1,
          outcome: outcome.kind === 'returned' ? 'returned' : outcome.code,
          effect: outcome.effect,
        },
}

const noCredentials: ReadonlyMap<string, string> = new Map()

function run(call: Call, tool: Tool, deps: Deps): Promise<Attempts> {
  const { runtime, error_contract: errorContract } = tool.contract
  const { executor } = tool.binding
  const inLedger = executor.commits === 'ledger'
  const watched = { callId: call.id, tool: tool.contract.identity.name }
  return attemptWithRetries({
    executor: inLedger ? withTransaction(executor, call, deps) : executor,
    // What fails before its transaction commits is undone with it.
    failedEffect: inLedger ? 'none' : undefined,
    contract: tool.contract,
    args: () => typedInput(call),
    mutates: effectRow(tool.contract.transactional.side_effect_class).mutates,
    context: {
      ...toolContext(call),
      idempotencyKey: call.idempotencyKey,
      attempt: (call.starts ?? 0) + 1,
      sql: undefined,
      credentials: noCredentials,
      egress: { policy: tool.contract.security.egress_policy, domains: tool.binding.egressDomains },
      progress: (text) => deps.progress({ ...watched, event: 'progress', text: String(text) }),
      partial: (value) => deps.progress({ ...watched, event: 'partial_result', value }),
    },
    signal: call.signal,
    late: inLedger ? () => undefined : (outcome) => void settleLate(call, outcome, deps),
    mayStart: () => call.nonce === undefined || deps.ledger.mayStart(call.nonce),
    maxRetries: runtime.max_retries,
    mayRetry: ({ class: taxonomyClass, reason, effect }) =>
      respond({ class: taxonomyClass, reason, effect, errorContract }).retryable,
    random: () => (deps.entropy.bytes(1)[0] ?? 0) / 255,
  })
}

function refuse(call: Call, outcome: Extract<Outcome, { kind: 'failed' }>, deps: Deps): Verdict {
  const { retryAfterMs, message } = outcome
  const effect = call.resent === true && outcome.effect === 'none' ? 'unknown' : outcome.effect
  const error = { field: '$', expected: '', actual: outcome.code, message }
  const verdict = stop(outcome.class, outcome.reason, [error], retryAfterMs === undefined ? {} : { retryAfterMs })
  const end = failureEnd({ ...call, outcome, effect }, verdict, deps)
  return { ...verdict, gives: { ...end, outcome, effect, tries: call.tries ?? 1 } }
}

async function settleLate(call: Call, outcome: Outcome, deps: Deps): Promise<void> {
  try {
    const ended = await endLate(call, outcome, deps)
    if (ended === undefined || (outcome.effect !== 'happened' && outcome.effect !== 'none')) return
    await recordLate(ended, outcome.effect, deps)
  } catch (fault) {
    // The ledger is gone; the record stays as it is, and whoever looks after it finds out.
    deps.report(fault)
  }
}

/** Every start works in a transaction of its own; the one that returns is committed by the settle. */
function withTransaction(executor: Executor, { nonce, tenant }: Call, { ledger, transactions }: Deps): Executor {
  return {
    ...executor,
    async run(args, context) {
      if (ledger.begin === undefined || nonce === undefined)
        throw new Fault('internal', 'The ledger has no transactions.')
      await transactions.get(nonce)?.rollback()
      const transaction = await ledger.begin(tenant)
      if (context.signal.aborted) {
        // The pass is over, and so is the one who would have rolled it back.
        await transaction.rollback()
        throw new ToolError('canceled', 'Given up before it began.', { effect: 'none' })
      }
      transactions.set(nonce, transaction)
      const sql: LedgerSql = async (text, values) => {
        try {
          return await transaction.query(text, values)
        } catch (error) {
          // Not the tool's failure: what it began is undone, and the same call may be made again.
          throw isConnectionLoss(error) ? new LedgerLost() : error
        }
      }
      return executor.run(args, { ...context, sql })
    },
  }
}
