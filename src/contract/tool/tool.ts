// A tool is a contract with its binding. The binding is what the envelope has no room for: how the tool runs here.

import type { JsonObject, JsonValue } from '../../json/value.ts'
import type { FieldError } from '../../schema/field-error.ts'
import type { Dialect, Preprocessed } from '../../schema/normal.ts'
import type { PersistenceMode } from '../call/result.ts'
import type { ApprovalPattern, EffectClass } from '../effects.ts'
import type { CompensationArguments } from '../saga/saga.ts'
import type { BoundVerification, Verifier } from '../verification/verifier.ts'
import type { CredentialBindings } from './credential.ts'
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
  /**
   * Aborted at the contract's timeout, and when the caller goes away. Reading `aborted` compares the time itself: it is true at once where
   * this process stood still and no timer has fired yet.
   */
  readonly signal: AbortSignal
  /**
   * Whether this attempt may still make its effect: its time is not over, it was not aborted, and this process still owns it. Ask right
   * before what cannot be taken back; built-in executors do.
   */
  mayAct(): boolean
  /** How long this start may take; the signal is aborted then. */
  readonly timeoutMs: number
  /** Same for every attempt of one operation; hand it to the provider. Undefined for reads. */
  readonly idempotencyKey: string | undefined
  readonly attempt: number
  /** Statements that commit together with the record of this call; only where the executor says `commits: 'ledger'`. */
  readonly sql: LedgerSql | undefined
  /** Secrets by the names under which the binding asks for them; given to the executor alone. */
  readonly credentials: ReadonlyMap<string, string>
  /** Header in which the provider takes the key, by the contract. */
  readonly keyHeader: string | undefined
  /** Whom this call may connect to. */
  readonly egress: Egress
  /** The web's fetch, held to `egress`: every address is checked before it is connected to, also after redirects. */
  fetch(url: string | URL, init?: RequestInit): Promise<Response>
  /** For a tool that has an `upstream`: what its publisher serves now. Throws where a person approved something else. */
  readonly vet?: ((served: unknown) => Promise<void>) | undefined
  /** For a tool whose executor does not see what its publisher serves: throws where the last look found another tool than was approved. */
  readonly vetUnseen?: (() => Promise<void>) | undefined
  /** Tells those who watch the call how far it is; never part of the answer. */
  progress(text: string): void
  /** Shows those who watch the call a part of the result that is there already; the answer is what `run` returns. */
  partial(value: unknown): void
}

export interface Egress {
  readonly policy: Contract['security']['egress_policy']
  /** Where there are any: these, and no others. Names, and suffixes such as *.example.com. */
  readonly domains: readonly string[]
  readonly connections: Connections
}

/** What an operator allows beyond public and private addresses on the ports of http and https. */
export interface Connections {
  /** Besides 443, and 80 where http is allowed. */
  readonly ports: readonly number[]
  /** This machine itself, for development and tests. */
  readonly loopback: boolean
  /** Unencrypted connections to public addresses. */
  readonly plain: boolean
}

/** One statement with bound parameters, in the transaction that settles the call. */
export interface LedgerSql {
  (text: string, values?: readonly unknown[]): Promise<{ readonly rows: readonly Record<string, unknown>[] }>
  /** The same with rows as JSON that loses nothing, and no more rows than asked for. The database itself refuses writes where `readOnly` is set. */
  exactly(statement: ExactStatement): Promise<ExactRows>
}

export interface ExactStatement {
  readonly text: string
  /** As Postgres reads them from text. */
  readonly values: readonly (string | null)[]
  readonly maxRows: number
  /** Every write is refused, also one by a function that it calls. */
  readonly readOnly: boolean
}

export interface ExactRows {
  readonly columns: readonly string[]
  readonly rows: readonly (readonly JsonValue[])[]
  /** Rows that were changed or found; undefined where there are more than were asked for. */
  readonly count: number | undefined
}

/** A tool that another party publishes. */
export interface Upstream {
  /** The name under which what it serves is pinned. */
  readonly source: string
  /** Its name there. */
  readonly tool: string
}

export const executorKinds = ['fn', 'http', 'mcp', 'process', 'sql', 'file', 'email'] as const

export type ExecutorKind = (typeof executorKinds)[number]

export interface Executor {
  readonly kind: ExecutorKind
  /** Whether the tool runs cut off from this process. */
  readonly isolated: boolean
  /** Whether it opens connections of its own: then the contract's egress policy must allow some. */
  readonly connects?: boolean | undefined
  /** It runs a program of its own: its connections cannot be watched from here. */
  readonly unwatched?: boolean | undefined
  /** What it does can never be declared as less than this. */
  readonly leastEffect?: EffectClass | undefined
  /** It can only read: a contract that declares a change is wrong about it. */
  readonly readsOnly?: boolean | undefined
  /** `ledger`: what it does, it does through `context.sql`, and so it happens exactly when its record says so. */
  readonly commits?: 'ledger' | undefined
  /** What its templates name: registration holds that against the input schema and the credentials of the binding. */
  readonly names?: ExecutorNames | undefined
  /** Whose tool it is, where only what a person has approved of it may be called. */
  readonly upstream?: Upstream | undefined
  /** Which build of the code runs; an approval is given for one. Undefined: the version of the contract stands for it. */
  readonly version?: string | undefined
  /** Its own check before anything is judged; the check of the binding comes after it. */
  readonly preflight?: Preflight | undefined
  /** How its effect is read back where the binding names no other way. */
  readonly verifier?: Verifier | undefined
  run(args: JsonObject, context: ExecutionContext): Awaitable<unknown>
  /** Ends what it keeps open between calls. */
  close?(): Awaitable<void>
}

export interface ExecutorNames {
  /** Pointers into the arguments. */
  readonly arguments: readonly string[]
  readonly credentials: readonly string[]
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
  /** Roles that may see the tool; undefined: every principal may. */
  readonly roles: readonly string[] | undefined
  /** Pointers of arguments whose values never leave the call; `*` stands for any key or index. */
  readonly sensitive: readonly string[]
  /** What identifies one logical operation: pointers into the arguments, or every call on its own. */
  readonly operation: 'call' | readonly string[] | undefined
  /** Pointer of the argument that names what is changed. */
  readonly resource: string | undefined
  /** How much money a call moves: where its input says so, and in which currency. */
  readonly amount: AmountBinding | undefined
  /** Pointers whose values are locked while the call runs, within this process: reads share a lock, a tool that changes something has it alone. */
  readonly locks: readonly string[]
  /** May run beside other calls of its run. By default reads may, and tools that change something may not. */
  readonly concurrent: boolean
  /** What happens to a running call of a batch that is given up: it is aborted, or goes on to its end. */
  readonly interrupt: 'cancel' | 'block'
  /** Changes what later calls of its run may see, such as which tools there are: no sibling of its batch runs beside it. */
  readonly modifiesContext: boolean
  readonly approval: {
    readonly pattern: ApprovalPattern
    readonly quorum: number
    /** One of these is needed; undefined: those of the pattern. */
    readonly roles: readonly string[] | undefined
    readonly ttlMs: number
  }
  /** One sentence for the person who approves: what will happen. A text names arguments in braces: `Charges {amount} {currency}`. */
  readonly consequence: ((args: JsonObject) => string) | string | undefined
  readonly persistence: {
    /** How much of a result is shown and kept; undefined: as its classification demands. */
    readonly mode: PersistenceMode | undefined
    /** Larger results are not shown whole. */
    readonly maxInlineBytes: number
    /** Larger results are not kept at all. */
    readonly maxBytes: number
    /** How much of a stored result is shown. */
    readonly previewBytes: number
    /** Pointers of fields that are masked; `*` stands for any key or index. */
    readonly redact: readonly string[]
  }
  readonly rules: readonly Rule[]
  /** What it returns comes from a source that no outsider can write to; otherwise a run that has seen it counts as untrusted. */
  readonly trusted: boolean
  /** Where its data stays, as policies name places. */
  readonly residency: string | undefined
  /** Whom the executor may reach; policies read it, and connections are held to it. */
  readonly egressDomains: readonly string[]
  readonly connections: Connections
  /** Secrets that the executor is given, by the names under which it finds them. */
  readonly credentials: CredentialBindings
  readonly preflight: Preflight | undefined
  readonly state: StateReader | undefined
  /** How the effect is read back, at once or later. */
  readonly verifier: BoundVerification | undefined
  /** What the tool that undoes it is called with, where a saga does not say. */
  readonly compensation: { readonly arguments: CompensationArguments } | undefined
  /** What can be done about an attempt whose process was lost. */
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
  /** What arguments must obey: the contract's input schema, and beside it what narrows it for a tenant. */
  readonly input: CompiledSchema
  readonly output: CompiledSchema
  /** The schema that stands for the contract's own where one tenant is offered less. */
  readonly narrowed?: { readonly schema: JsonObject; readonly hash: string; readonly own: Tool }
}
