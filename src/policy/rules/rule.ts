// The nouns of a tool's rules: what an author writes, what registration makes of it, and what judging a call answers.
// Invariant: a compiled rule is a pure function of its values, so that a replay reaches the same judgement.
import type { Awaitable } from '../../contract/tool.ts'
import type { EpochMs } from '../../json/clock.ts'
import type { JsonObject, JsonValue } from '../../json/value.ts'

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
  check(args: JsonObject, context: RuleContext, state?: JsonValue): Awaitable<boolean>
}

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

export interface RuleValues {
  /** Arguments that the tool's input schema has accepted: rules are typed by it and do not ask again. */
  readonly args: JsonObject
  readonly context: RuleContext
  /** Only rules of phase `state` read it; it is held to its declared schema first. */
  readonly state?: JsonValue
}

export interface RuleFault {
  readonly rule: string
  /** JSON Pointer into the list of rules. */
  readonly pointer: string
  /** Where in the expression, as offsets; absent where the fault is not in it. */
  readonly at?: { readonly start: number; readonly end: number }
  readonly reason: string
}

export interface RuleReads {
  readonly args: boolean
  readonly context: boolean
  readonly state: boolean
}

export interface CompiledRule {
  readonly id: string
  readonly message: string
  readonly fields: readonly string[]
  readonly phase: RulePhase
  readonly reads: RuleReads
  /** No judgement of this rule takes more units of work. */
  readonly units: number
  /** May throw: an overflow, a division by zero, a text that is no number. */
  holds(values: RuleValues): boolean
  /** Whether a state is what its declared schema says; a rule that reads none accepts all. */
  acceptsState(state: JsonValue | undefined): boolean
}

export interface RuleFailure {
  readonly id: string
  readonly message: string
  readonly fields: readonly string[]
}

/** Anything but `pass` refuses the call. */
export type RuleJudgement =
  | { readonly kind: 'pass' }
  | { readonly kind: 'fail'; readonly failures: readonly RuleFailure[] }
  | { readonly kind: 'error'; readonly id: string; readonly reason: string }
