// What is promised about how often an operation takes effect. It follows from what recovery can do about a lost attempt
// (plan-recovery.ts), in the same order.
import { effectRow } from '../../contract/effects.ts'
import type { CallTerms, Promised } from '../../contract/tool/terms.ts'
import type { Tool } from '../../contract/tool/tool.ts'

export function promiseOf({ binding }: Pick<Tool, 'binding'>): Promised {
  const { executor, recovery, verifier } = binding
  if (executor.commits === 'ledger') return { kind: 'exactly_once' }
  const horizon = verifier === undefined ? {} : { horizonMs: recovery.horizonMs }
  if (recovery.providerWindowMs !== undefined)
    return { kind: 'once_within_window', windowMs: recovery.providerWindowMs, ...horizon }
  return { kind: verifier === undefined ? 'at_most_once' : 'once_beyond_horizon', ...horizon }
}

/** The same for every call of a tool. */
const terms = new WeakMap<Tool, CallTerms>()

/** What a call keeps of its tool's binding. */
export function termsOf(tool: Tool): CallTerms {
  let own = terms.get(tool)
  if (own === undefined) {
    const { mutates } = effectRow(tool.contract.transactional.side_effect_class)
    own = { ...(mutates ? { promise: promiseOf(tool) } : {}), sensitive: tool.binding.sensitive }
    terms.set(tool, own)
  }
  return own
}
