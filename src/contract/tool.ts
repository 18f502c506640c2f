// A tool is a contract with its binding. The binding is what the envelope has no room for: how the tool runs here.

import type { JsonObject, JsonValue } from '../json/value.ts'
import type { FieldError } from '../schema/field-error.ts'
import type { Dialect, Preprocessed } from '../schema/normal.ts'
import type { ApprovalPattern, EffectClass } from './effects.ts'
import type { Contract } from './envelope.ts'
import type { Rule } from './rule.ts'

export type Awaitable<T> = T | Promise<T>

/** What a tool's own code learns about the call it serves. No secret is in it. */
export interface ToolContext {
  readonly callId: string
  readonly tenant: string
  readonly user: string | undefined
  readonly run: string | undefined
  readonly traceId: string
}

export interface ExecutionContext extends ToolContext {
  /** Aborted at the contract's timeout, and when the caller goes away. */
  readonly signal: AbortSignal
  /** Same for every attempt of one operation; hand it to the provider. Undefined for reads. */
  readonly idempotencyKey: string | undefined
  readonly attempt: number
  /** Statements that commit together with the record of this call; only where the executor says `commits: 'ledger'`. */
  readonly sql: LedgerSql | undefined
  /** Secrets by the names under which the binding asks for them; given to the executor and to nobody else. */
  readonly credentials: ReadonlyMap<string, string>
  /** Whom this call may connect to. */
  readonly egress: Egress
  /** Tells whoever watches the call how far it is; never part of the answer. */
  progress(text: string): void
  /** Shows whoever watches the call a part of the result that is there already; the answer is what `run` returns. */
  partial(value: unknown): void
}

export interface Egress {
  readonly policy: Contract['security']['egress_policy']
  /** Where the policy lists domains: these, and no others. */
  readonly domains: readonly string[]
}

/** One statement with bound parameters, in the transaction that settles the call. */
export type LedgerSql = (
  text: string,
  values?: readonly unknown[],
) => Promise<{ readonly rows: readonly Record<string, unknown>[] }>

export const executorKinds = ['fn', 'http', 'mcp', 'process', 'sql', 'file', 'email'] as const

export type ExecutorKind = (typeof executorKinds)[number]

export interface Executor {
  readonly kind: ExecutorKind
  /** Whether the tool runs cut off from this process. */
  readonly isolated: boolean
  /** Whether it opens connections of its own: then the contract's egress policy must allow some. */
  readonly connects?: boolean | undefined
  /** What it does can never be declared as less than this. */
  readonly leastEffect?: EffectClass | undefined
  /** `ledger`: what it does, it does through `context.sql`, and so it happens exactly when its record says so. */
  readonly commits?: 'ledger' | undefined
  /** Which build of the code runs; an approval is given for one. Undefined: whatever the contract's version stands for. */
  readonly version?: string | undefined
  run(args: JsonObject, context: ExecutionContext): Awaitable<unknown>
  /** Ends what it keeps open between calls. */
  close?(): Awaitable<void>
}

/** A look at the world before anything is judged: is everything there that this call needs? */
export type Preflight = (args: JsonObject, context: ToolContext) => Awaitable<PreflightProblem | undefined>

export interface PreflightProblem {
  readonly reason: 'invalid_arguments' | 'setup_required' | 'sandbox_violation'
  readonly message: string
  readonly field?: string
}

export interface StateReader {
  /** The authoritative state of the target; null when there is no such target. */
  read(args: JsonObject, context: ToolContext): Awaitable<JsonObject | null>
  /** What `read` returns, as a JSON Schema; rules in CEL that read `state` are typed by it. */
  readonly schema?: JsonObject | undefined
  /** Arguments that must equal what the state says now, such as a version the model has seen. */
  readonly match: readonly { readonly argument: string; readonly state: string }[]
  /** Pure. Undefined when the state allows the call, else one sentence: STALE_STATE. */
  allows?(state: JsonObject, args: JsonObject): string | undefined
  /** Pure. What the state should be afterwards, for the people who approve and for verification. */
  after?(state: JsonObject, args: JsonObject): JsonObject
}

/** `absent`: the world shows no trace of the effect. Only that lets an operation start over whose attempt nobody has heard of again. */
export type Verification =
  | { readonly status: 'verified' }
  | { readonly status: 'partial' | 'failed' | 'absent'; readonly message: string }

export interface VerifierContext extends ToolContext {
  readonly idempotencyKey: string | undefined
}

/** Reads the effect back from the world. The result is null where the attempt that had it is gone. */
export type Verifier = (args: JsonObject, result: JsonValue, context: VerifierContext) => Awaitable<Verification>

/** The checks of a schema library that its JSON Schema cannot carry: refinements, transforms, coercions. */
export type LibraryCheck = (value: unknown) => Awaitable<
  | { readonly ok: true; readonly value: unknown }
  | {
      readonly ok: false
      readonly issues: readonly { readonly path: readonly (string | number)[]; readonly message: string }[]
    }
>

export interface AmountBinding {
  /** Into the arguments: a number, or a plain decimal as text. */
  readonly pointer: string
  /** Pointer of the argument that names the currency, or the currency itself. */
  readonly currency: string | { readonly const: string }
  /** How many digits of the number are behind the point: 2 where the argument counts cents; 0 by default. */
  readonly decimals?: number | undefined
}

export interface Binding {
  /** How the schemas are read where they do not say so themselves with `$schema`. */
  readonly dialect: Dialect | undefined
  /** The input schema must admit no undeclared key. */
  readonly strict: boolean
  readonly aliases: readonly string[]
  readonly searchHint: string | undefined
  /** Not shown to the model until discovered. */
  readonly deferred: boolean
  /** Roles that may see the tool; undefined: everybody. */
  readonly roles: readonly string[] | undefined
  /** Pointers of arguments whose values never leave the call; `*` stands for any key or index. */
  readonly sensitive: readonly string[]
  /** What identifies one logical operation: pointers into the arguments, or every call on its own. */
  readonly operation: 'call' | readonly string[] | undefined
  /** Pointer of the argument that names what is changed. */
  readonly resource: string | undefined
  /** How much money a call moves: where its input says so, and in which currency. */
  readonly amount: AmountBinding | undefined
  /** Pointers whose values are locked for the duration of the call. */
  readonly locks: readonly string[]
  /** May run beside other mutating calls of its run. */
  readonly concurrent: boolean
  readonly approval: {
    readonly pattern: ApprovalPattern
    readonly quorum: number
    /** One of these is needed; undefined: those of the pattern. */
    readonly roles: readonly string[] | undefined
    readonly ttlMs: number
  }
  /** One sentence for the person who approves: what will happen. A text names arguments in braces: `Charges {amount} {currency}`. */
  readonly consequence: ((args: JsonObject) => string) | string | undefined
  readonly persistence: { readonly maxInlineBytes: number; readonly redact: readonly string[] }
  readonly rules: readonly Rule[]
  /** What it returns comes from a source that nobody outside can write to; otherwise a run that has seen it counts as untrusted. */
  readonly trusted: boolean
  /** Where its data stays, as policies name places. */
  readonly residency: string | undefined
  /** Whom the executor may reach, for policies to read. */
  readonly egressDomains: readonly string[]
  readonly preflight: Preflight | undefined
  readonly state: StateReader | undefined
  readonly verifier: Verifier | undefined
  /** What can be done about an attempt nobody has heard of again. */
  readonly recovery: {
    /** After its time is up, an effect may still arrive for this long; before that, its absence means nothing. */
    readonly horizonMs: number
    /** The provider honours the idempotency key for this long; undefined: it does not. */
    readonly providerWindowMs: number | undefined
    /** What a duplicate of an operation gets that is remembered only as having been. */
    readonly expired: 'reject' | 'rebuild'
  }
  /** What the schema library itself says of arguments and of results. */
  readonly inputCheck: LibraryCheck | undefined
  readonly outputCheck: LibraryCheck | undefined
  readonly executor: Executor
}

export interface CompiledSchema {
  readonly form: Preprocessed
  matches(value: JsonValue): boolean
  explain(value: JsonValue, sensitive: readonly string[]): readonly FieldError[]
}

export interface Tool {
  readonly contract: Contract
  readonly binding: Binding
  /** SHA-256 of the canonical contract: which promise a call was judged by. */
  readonly contractHash: string
  readonly input: CompiledSchema
  readonly output: CompiledSchema
}
