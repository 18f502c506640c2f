// A tool is a contract with its binding. The binding is what the envelope has no room for: how the tool runs here.

import type { JsonObject, JsonValue } from '../../json/value.ts'
import type { FieldError } from '../../schema/field-error.ts'
import type { Dialect, Preprocessed } from '../../schema/normal.ts'
import type { PersistenceMode } from '../call/result.ts'
import type { ApprovalPattern } from '../effects.ts'
import type { CompensationArguments } from '../saga/saga.ts'
import type { BoundVerification } from '../verification/verifier.ts'
import type { CredentialBindings } from './credential.ts'
import type { Contract } from './envelope.ts'
import type { Awaitable, Connections, Executor, Preflight, ToolContext } from './executor.ts'
import type { Rule } from './rule.ts'

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
  /** Who is given the recorded answer of an operation: its run and the principal it was done for, or all of the tenant. */
  readonly share: 'run' | 'tenant'
  /** Pointer of the argument that names what is changed. */
  readonly resource: string | undefined
  /** How much money a call moves: where its input says so, and in which currency. */
  readonly amount: AmountBinding | undefined
  /** Pointers whose values are locked while the call runs, within this process: reads share a lock, all other tools have it alone. */
  readonly locks: readonly string[]
  /** May run beside other calls of its run. By default reads may, and tools that change something may not. */
  readonly concurrent: boolean
  /** What happens to a running call of a batch that is given up: it is aborted, or goes on to its end. */
  readonly interrupt: 'cancel' | 'block'
  /** Changes what later calls of its run may see, such as which tools there are: no sibling of its batch runs beside it. */
  readonly modifiesContext: boolean
  /** How often in a row a model is sent back to mend its call; undefined: as the host says. */
  readonly maxRepairs: number | undefined
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
  /** The arguments of the compensation tool, where a saga gives none. */
  readonly compensation: { readonly arguments: CompensationArguments } | undefined
  /** What can be done about an attempt whose process was lost. */
  readonly recovery: {
    /** After its time is up, an effect may still arrive for this long; before that, its absence means nothing. */
    readonly horizonMs: number
    /** The provider honours the idempotency key for this long; undefined: it does not. */
    readonly providerWindowMs: number | undefined
    /** What a duplicate gets after its operation has expired and only a trace of it is left. */
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
