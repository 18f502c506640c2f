// How an effect is read back, as data: what to read, and what must hold there. Pointers of targets and predicates read one document:
// /args, /result, /before (the state before the call) and /call (id, tenant, user, run, idempotency_key).
import type { JsonObject, JsonValue } from '../../json/value.ts'
import type { CredentialBindings } from '../tool/credential.ts'
import type { Awaitable, Executor, ToolContext } from '../tool/tool.ts'
import type { Discrepancy } from './verification.ts'

/**
 * What a verifier found. `absent`: the world shows no trace of the effect. Only then may an operation start over whose process was lost.
 */
export type Verification =
  | { readonly status: 'verified' }
  | {
      readonly status: 'partial' | 'failed' | 'absent'
      readonly message: string
      /** What kind of difference it is; derived from the status where it is not said. */
      readonly discrepancy?: Discrepancy
    }

export interface VerifierContext extends ToolContext {
  readonly idempotencyKey: string | undefined
  /** Aborted when the reading takes longer than the contract's timeout. */
  readonly signal: AbortSignal
  /** The secrets that the verification asks for, by name; empty once the reading is over. Never those of the executor. */
  readonly credentials: ReadonlyMap<string, string>
}

/** Reads the effect back from the world. The result is null where the attempt that had it is gone. */
export type Verifier = (args: JsonObject, result: JsonValue, context: VerifierContext) => Awaitable<Verification>

export const predicateOperators = [
  'equals',
  'not_equals',
  'in',
  'exists',
  'absent',
  'greater_than',
  'at_least',
  'less_than',
  'at_most',
  'changed',
] as const

export type PredicateOperator = (typeof predicateOperators)[number]

/** What a predicate is about decides which discrepancy its failure is. `amount`: compared as an exact decimal, number or text. */
export const predicateSubjects = ['value', 'target', 'amount', 'version', 'actor', 'key', 'count'] as const

export type PredicateSubject = (typeof predicateSubjects)[number]

export interface Predicate {
  /** Into the state that was read. */
  readonly path: string
  readonly is: PredicateOperator
  /** What it is compared with: a constant, or a place in the document of the call. */
  readonly value?: JsonValue | undefined
  readonly from?: string | undefined
  readonly about?: PredicateSubject | undefined
}

/** A place that is read, and what must hold there. */
export interface StateVerifier {
  /** Names the source in facts. */
  readonly source?: string | undefined
  /** The source is a record of what was done that the tool does not write itself: a provider's ledger, an audit log. */
  readonly audit?: boolean | undefined
  /** What `read` is given: names with pointers into the document of the call, or a function. */
  readonly target: Readonly<Record<string, string>> | ((args: JsonObject, result: JsonValue) => JsonObject)
  /** The authoritative state; null where there is no such target. An executor is run as it would be for a tool. */
  readonly read: Executor | ((target: JsonObject, context: VerifierContext) => Awaitable<JsonObject | null>)
  readonly expect: readonly Predicate[]
  /** The target comes into being by the call: that there is none means that nothing happened. */
  readonly creates?: boolean | undefined
}

/** `state`: the tool's own state reader is read again, and must say what its `after` foretold. */
export type VerifierSource = Verifier | StateVerifier | 'state'

export interface BoundVerification {
  /** All of them must agree. */
  readonly sources: readonly VerifierSource[]
  /** The first reading comes this long after the effect; 0: within the call. */
  readonly delayMs: number
  /** How often a state that is not there yet is read again, and after how long at first; each wait is twice as long as the last. */
  readonly again: { readonly times: number; readonly everyMs: number }
  /** Secrets for reading, apart from those for doing. Undefined: executors that read get those of the tool, and code gets none. */
  readonly credentials?: CredentialBindings | undefined
}

/** A predicate with what it is compared with. `undetermined`: the document had no such place. */
export interface PreparedPredicate {
  readonly path: string
  readonly is: Exclude<PredicateOperator, 'changed'>
  readonly about: PredicateSubject
  readonly expected?: JsonValue
  readonly undetermined?: true
}

/** A source as it is to be read for one call; code alone needs no preparation. */
export type PreparedSource =
  | { readonly kind: 'code' }
  | { readonly kind: 'state'; readonly expect: readonly PreparedPredicate[] }
  | { readonly kind: 'read'; readonly target: JsonObject; readonly expect: readonly PreparedPredicate[] }
  /** The target to read could not be worked out. */
  | { readonly kind: 'lost' }

/** The waits between readings never exceed this. */
export const longestWaitMs = 86_400_000
export const maxReadings = 50
export const longestDelayMs = 30 * 86_400_000
