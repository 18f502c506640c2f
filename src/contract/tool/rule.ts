// Rules of a tool as its author writes them: what a JSON Schema cannot say about arguments and state. In CEL wherever CEL can say it, so
// that a replay judges again; in code for the rest.
import type { EpochMs } from '../../json/clock.ts'
import type { JsonObject, JsonValue } from '../../json/value.ts'
import type { Awaitable } from './executor.ts'

/** `semantics` rules read the arguments and the context; one that names `state` waits until the state was read. */
export type RulePhase = 'semantics' | 'state'

export interface RuleSource {
  readonly id: string
  /** A CEL expression over `args`, `context` and `state`; the call passes only where it is true. */
  readonly when: string
  /** One sentence for the model: what to do so that the rule holds. */
  readonly message: string
  /** JSON Pointers of the arguments concerned; none: the arguments as a whole. */
  readonly fields?: readonly string[]
}

/** What CEL cannot say, said in code. Its answer is evidence: it is recorded, and never asked for again in a replay. */
export interface CodeRule {
  readonly id: string
  readonly phase: RulePhase
  readonly message: string
  readonly fields?: readonly string[]
  /** True where the rule holds. It gets the arguments that the input schema accepted, before any library has transformed them. */
  check(args: JsonObject, context: RuleContext, state?: JsonValue): Awaitable<boolean>
}

export type Rule = RuleSource | CodeRule

/** Who calls and when, as rules may know it. Names that a caller did not give are absent: `has(context.user)`. */
export interface RuleContext {
  readonly tenant: string
  readonly user?: string | undefined
  readonly roles: readonly string[]
  readonly scopes: readonly string[]
  readonly agent?: string | undefined
  readonly run?: string | undefined
  readonly workflow?: string | undefined
  readonly now: EpochMs
}
