// The one phase that crosses into the world. What fails in it is `unknown` unless the executor proves otherwise; the slot says so
// before the answer does.
import type { Call, Outcome } from '../../contract/call.ts'
import { effectRow } from '../../contract/effects.ts'
import type { Tool } from '../../contract/tool.ts'
import { attempt } from '../../execute/attempt.ts'
import { toolContext, typedInput } from '../context.ts'
import type { Deps } from '../deps.ts'
import { type Act, pass, stop, type Verdict } from '../phase.ts'
import { settleFailure, settleLate } from '../settle.ts'

export const execute: Act = {
  name: 'execute',
  does: 'Runs the tool, with its timeout and an abort signal.',
  stopsWith: [
    { class: 'TIMEOUT', reasons: ['timeout'] },
    { class: 'DEPENDENCY_UNAVAILABLE', reasons: ['dependency_unavailable'] },
    { class: 'UNKNOWN_ERROR', reasons: ['execution_failed', 'canceled'] },
  ],
  async act(call, deps) {
    const { tool } = call
    if (tool === undefined) return pass
    const outcome = await run(call, tool, deps)
    if (outcome.kind === 'returned') return { kind: 'pass', gives: { outcome, effect: outcome.effect } }
    return refuse(call, tool, outcome, deps)
  },
  keep: ({ outcome, attempt: number }) =>
    outcome === undefined
      ? undefined
      : {
          attempt: number ?? 1,
          outcome: outcome.kind === 'returned' ? 'returned' : outcome.code,
          effect: outcome.effect,
        },
}

function run(call: Call, tool: Tool, deps: Deps): Promise<Outcome> {
  return attempt({
    executor: tool.binding.executor,
    contract: tool.contract,
    args: typedInput(call),
    mutates: effectRow(tool.contract.transactional.side_effect_class).mutates,
    context: { ...toolContext(call), idempotencyKey: call.idempotencyKey, attempt: call.attempt ?? 1 },
    signal: call.signal,
    late: (outcome) => void settleLate(call, tool, outcome, deps),
  })
}

async function refuse(
  call: Call,
  tool: Tool,
  outcome: Extract<Outcome, { kind: 'failed' }>,
  deps: Deps,
): Promise<Verdict> {
  const { retryAfterMs, effect, message } = outcome
  const error = { field: '$', expected: '', actual: outcome.code, message }
  const verdict = stop(outcome.class, outcome.reason, [error], {
    gives: { outcome, effect },
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  })
  await settleFailure({ ...call, outcome, effect }, tool, verdict, deps)
  return verdict
}
