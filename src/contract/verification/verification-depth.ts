// How deep each effect class is verified: what is checked again besides the sources, and what a verifier that is declared as data has to
// bring. What a function reads cannot be told, so it is taken as it is.
import type { EffectClass } from '../effects.ts'
import type { Tool } from '../tool/tool.ts'
import type { Predicate, StateVerifier, VerifierSource } from './verifier.ts'

/** `scope`: the caller may still call the tool. `approval`: code and policies are those that people approved under. */
export type Recheck = 'parameters' | 'scope' | 'approval'

interface Demand {
  readonly what: string
  isMet(sources: readonly Declared[], tool: Pick<Tool, 'binding'>): boolean
}

interface DepthRow {
  readonly rechecks: readonly Recheck[]
  readonly demands: readonly Demand[]
  /** What becomes of an effect that nothing can read back. */
  readonly unverifiable: 'reported' | 'escalated'
}

type Declared = StateVerifier | 'state'

const places = (sources: readonly Declared[]) => sources.filter((source): source is StateVerifier => source !== 'state')
const predicates = (sources: readonly Declared[]) => places(sources).flatMap(({ expect }) => expect)
const some = (sources: readonly Declared[], fits: (predicate: Predicate) => boolean) => predicates(sources).some(fits)
const readsBefore = ({ is, from }: Predicate) => is === 'changed' || from?.startsWith('/before') === true

const readAfterWrite: Demand = {
  what: 'at least one predicate on what was written',
  isMet: (sources) => sources.includes('state') || predicates(sources).length > 0,
}
const differenceOrActor: Demand = {
  what: 'a comparison with the state before the call, or a predicate about the actor',
  isMet: (sources) => sources.includes('state') || some(sources, (one) => readsBefore(one) || one.about === 'actor'),
}
const providerId: Demand = {
  what: "the provider's id or the idempotency key, in the target or as a predicate about the key",
  isMet: (sources) =>
    some(sources, ({ about, from }) => about === 'key' || from === '/call/idempotency_key') ||
    places(sources).some(({ target }) => typeof target === 'function' || Object.values(target).some(identifies)),
}
const identifies = (pointer: string) => pointer.startsWith('/result') || pointer === '/call/idempotency_key'
const recipient: Demand = {
  what: 'a predicate about the target: the recipient or the account',
  isMet: (sources) => some(sources, ({ about }) => about === 'target'),
}
const amount: Demand = {
  what: 'a predicate about the amount, as the binding names one',
  isMet: (sources, { binding }) => binding.amount === undefined || some(sources, ({ about }) => about === 'amount'),
}
const severalSources: Demand = { what: 'two sources or more', isMet: (sources) => sources.length > 1 }

const high = [providerId, recipient, amount] as const

export const verificationDepth: Readonly<Record<EffectClass, DepthRow>> = {
  READ_ONLY: { rechecks: ['parameters', 'scope'], demands: [], unverifiable: 'reported' },
  EPHEMERAL_WRITE: { rechecks: ['parameters'], demands: [readAfterWrite], unverifiable: 'reported' },
  LOW_RISK_INTERNAL: { rechecks: ['parameters'], demands: [readAfterWrite], unverifiable: 'reported' },
  MEDIUM_RISK_WRITE: { rechecks: ['parameters'], demands: [differenceOrActor], unverifiable: 'reported' },
  HIGH_RISK_EXTERNAL: { rechecks: ['parameters'], demands: high, unverifiable: 'escalated' },
  CRITICAL_MUTATION: {
    rechecks: ['parameters', 'approval'],
    demands: [...high, severalSources],
    unverifiable: 'escalated',
  },
}

/** What a declared verifier lacks for its class; nothing where a part of it is code. */
export function missingDepth({ contract, binding }: Pick<Tool, 'contract' | 'binding'>): readonly string[] {
  const sources: readonly VerifierSource[] = binding.verifier?.sources ?? []
  const declared = sources.filter((source): source is Declared => typeof source !== 'function')
  if (declared.length === 0 || declared.length < sources.length) return []
  const { demands } = verificationDepth[contract.transactional.side_effect_class]
  return demands.filter((demand) => !demand.isMet(declared, { binding })).map(({ what }) => what)
}

/** When the effect of a tool is read back, if it is: within the call, or later, when the call may have been answered already. */
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
