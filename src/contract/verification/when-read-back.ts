// When the effect of a tool is read back, if it is: within the call, or when the call may have been answered long since.
import type { Tool } from '../tool/tool.ts'

export function whenReadBack({
  binding,
  contract,
}: Pick<Tool, 'binding' | 'contract'>): 'at_once' | 'later' | undefined {
  const { verifier, state } = binding
  if (verifier !== undefined) return verifier.delayMs > 0 || verifier.again.times > 0 ? 'later' : 'at_once'
  // Where the contract wants it and nothing is bound for it, the foretold state is held against what is there.
  const isForetold = state?.after !== undefined
  return contract.transactional.post_action_verification_required && isForetold ? 'at_once' : undefined
}
