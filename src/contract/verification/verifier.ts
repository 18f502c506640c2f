// How an effect is read back, as data: what to read, and what must hold there. Pointers of targets and predicates read one document:
// /args, /result, /before (the state before the call) and /call (id, tenant, user, run, idempotency_key).
import type { JsonObject, JsonValue } from '../../json/value.ts'
import type { CredentialBindings } from '../tool/credential.ts'
import type { Awaitable, Executor, Verifier, VerifierContext } from '../tool/executor.ts'

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

/** What a later reading needs and the call's record does not hold. It is removed with the last reading. */
export interface VerificationBody {
  /** In the order of the tool's sources. */
  readonly sources: readonly PreparedSource[]
  /** The result as it may be shown; null where no source asks for it. */
  readonly result: JsonValue
  readonly before: JsonObject | null | undefined
  readonly idempotencyKey: string | undefined
  readonly payloadHash: string | undefined
  /** What the approval was given under, where there was one. */
  readonly approved: { readonly executorVersion: string | null; readonly policies: readonly string[] } | undefined
  readonly attempt: number
  readonly target: string | null
}

/** Asks the ledger to have a call verified: written with its settle, so that no crash loses it. */
export interface VerificationRequest {
  readonly afterMs: number
  readonly slotKey: string | undefined
  readonly generation: number
  /** How often the sources were read before. */
  readonly reads: number
  readonly body: VerificationBody
}
