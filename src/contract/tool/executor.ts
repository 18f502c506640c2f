// The code that runs a tool or reads its effect back, and what it is given. A binding names it; the host or a tool file brings it.
import type { JsonObject, JsonValue } from '../../json/value.ts'
import type { EffectClass } from '../effects.ts'
import type { Discrepancy } from '../verification/verification.ts'
import type { Contract } from './envelope.ts'

export type Awaitable<T> = T | Promise<T>

/** What a tool's own code learns about the call it serves. No secret is in it. */
export interface ToolContext {
  readonly callId: string
  readonly tenant: string
  readonly user: string | undefined
  readonly run: string | undefined
  readonly traceId: string
  /** The user that programs of this tenant run as where this process is root, if the host has named one; given to executors alone. */
  readonly programUser?: number | undefined
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
  /** Adds a warning to the answer: what happened stands, and something beside it wants to be known. */
  warn(text: string): void
}

export interface Egress {
  readonly policy: Contract['security']['egress_policy']
  /** If there are any, only these hosts: names, and suffixes such as *.example.com. */
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
  /** The same with rows as JSON that loses nothing, and no more rows than asked for. With `readOnly` the database itself refuses writes. */
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
  /** Rows that were changed or found; undefined where a statement that only reads has more than were asked for. */
  readonly count: number | undefined
  /** Whether there are more rows than these. */
  readonly truncated: boolean
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
  /** It runs a program beside us, with all that a user of this system may: as root, each tenant needs a user of its own. */
  readonly unconfined?: boolean | undefined
  /** No contract may declare a weaker effect than this. */
  readonly leastEffect?: EffectClass | undefined
  /** It can only read: a contract that declares a change is wrong about it. */
  readonly readsOnly?: boolean | undefined
  /** `ledger`: it works through `context.sql` alone, so its effect commits together with its record. */
  readonly commits?: 'ledger' | undefined
  /** The names in its templates; registration checks them against the input schema and the credentials of the binding. */
  readonly names?: ExecutorNames | undefined
  /** Given where another party publishes the tool: it is called only as a person has approved it. */
  readonly upstream?: Upstream | undefined
  /** Which build of the code runs; an approval is given for one. Undefined: the version of the contract stands for it. */
  readonly version?: string | undefined
  /** Its own check before anything is judged; the check of the binding comes after it. */
  readonly preflight?: Preflight | undefined
  /** How its effect is read back where the binding names no other way. */
  readonly verifier?: Verifier | undefined
  /** What is wrong with it and takes a moment to find: asked when its tool is registered. */
  examine?(): Promise<readonly string[]>
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
