// The nouns of judging: what registration makes of a tool's rules, and what a judgement answers.
// Invariant: a compiled rule is a pure function of its values, so that a replay reaches the same judgement.
import type { RuleContext, RulePhase } from '../../contract/tool/rule.ts'
import type { JsonObject, JsonValue } from '../../json/value.ts'

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
