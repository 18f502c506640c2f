// What a person writes to declare a tool in code: the short form, with everything that may be left out.

import type { PartialResult } from '../contract/call/partial-result.ts'
import type { PersistenceMode } from '../contract/call/result.ts'
import type { ApprovalPattern, EffectClass, Semantics } from '../contract/effects.ts'
import type { ArgumentTemplate } from '../contract/saga/saga.ts'
import type { TaxonomyClass } from '../contract/taxonomy.ts'
import type { CredentialBindings } from '../contract/tool/credential.ts'
import type { Contract } from '../contract/tool/envelope.ts'
import type {
  Awaitable,
  Connections,
  ExecutionContext,
  Executor,
  Preflight,
  ToolContext,
  Verification,
  VerifierContext,
} from '../contract/tool/executor.ts'
import type { InferInput, InferOutput } from '../contract/tool/infer.ts'
import type { CodeRule, RuleContext, RuleSource } from '../contract/tool/rule.ts'
import type { AmountBinding, Binding, StateReader } from '../contract/tool/tool.ts'
import type { StateVerifier } from '../contract/verification/verifier.ts'
import type { JsonObject } from '../json/value.ts'
import type { Dialect } from '../schema/normal.ts'

/** A tool before it is registered. */
export interface ToolSource {
  readonly contract: Contract
  readonly binding: Binding
}

/** The result, or a generator that comes to it. */
type Executed<Result> =
  | Whole<Result>
  | Generator<unknown, Whole<Result>, undefined>
  | AsyncGenerator<unknown, Whole<Result>, undefined>

/** Or what is there of it, with the steps that are done and those that are not. */
type Whole<Result> = Result | PartialResult

/** A tool runs a function of this process, or an executor such as `http(…)`: one of both. */
export type ToolDefinition<Input, Output, State extends object = JsonObject> = ToolTraits<Input, Output, State> &
  (
    | {
        /** A generator shows a part of the result with every `yield`; what it returns is the result. */
        execute(args: InferOutput<Input>, context: ExecutionContext): Awaitable<Executed<InferInput<Output>>>
        readonly executor?: undefined
      }
    | { readonly executor: Executor; readonly execute?: undefined }
  )

/** What undoes a tool, and what it is called with: made from what the tool was called with and what it returned. */
interface CompensationCode<Input, Output> {
  arguments(args: InferOutput<Input>, result: InferInput<Output>): object
}

export interface ToolCompensation<Input, Output> {
  readonly tool: string
  readonly arguments: ArgumentTemplate | CompensationCode<Input, Output>['arguments']
}

export interface ToolTraits<Input, Output, State extends object = JsonObject> {
  readonly name: string
  /** What the model reads: what the tool does, what it does not do. */
  readonly description: string
  readonly effect: EffectClass
  /** Zod, Valibot, ArkType, TypeBox, Effect, or a JSON Schema. */
  readonly input: Input
  readonly output?: Output
  /** Which build of its code runs; an approval is given for one. */
  readonly executorVersion?: string

  readonly version?: string
  readonly owner?: string
  readonly lifecycle?: Partial<Contract['identity']['lifecycle']>
  readonly useWhen?: readonly string[]
  readonly avoidWhen?: readonly string[]
  readonly examples?: Contract['affordance']['examples']
  readonly timeoutMs?: number
  readonly rate?: { readonly windowSec: number; readonly maxRequests: number }
  readonly cost?: Partial<Contract['runtime']['cost_profile']>
  readonly maxRetries?: number
  /** It must run cut off from this process; refused where nothing isolates it. */
  readonly isolated?: boolean
  readonly scopes?: readonly string[]
  readonly tenantScoped?: boolean
  readonly classification?: Contract['security']['data_classification']
  readonly egress?: Contract['security']['egress_policy']
  readonly confirm?: boolean
  readonly semantics?: Semantics
  /** The tool that undoes it; with arguments, sagas know how to call it. */
  readonly compensation?: string | ToolCompensation<Input, Output>
  readonly keyHeader?: string
  readonly rememberSeconds?: number
  readonly traceAttributes?: readonly string[]
  /** The executor's own error codes, each with its taxonomy class. */
  readonly errors?: Readonly<Record<string, TaxonomyClass>>

  /** How the schemas are read where they have no `$schema`: '2020-12' by default, 'openapi-3.0' for `nullable` and the like. */
  readonly dialect?: Dialect
  readonly strict?: boolean
  readonly aliases?: readonly string[]
  readonly searchHint?: string
  readonly deferred?: boolean
  readonly roles?: readonly string[]
  readonly sensitive?: readonly string[]
  readonly operation?: 'call' | readonly string[]
  /** Who is given the recorded answer of an operation: by default its run and the principal it was done for. Others learn only that it was done. */
  readonly share?: 'run' | 'tenant'
  readonly resource?: string
  /** How much money a call moves: where its arguments say so. It counts against financial budgets; a negative one is refused. */
  readonly amount?: AmountBinding
  readonly locks?: readonly string[]
  readonly concurrent?: boolean
  /** What happens to a running call of a batch that is given up; by default reads are aborted, and tools that change something go on. */
  readonly interrupt?: 'cancel' | 'block'
  /** It changes what later calls of its run may see, such as which tools there are. */
  readonly modifiesContext?: boolean
  /** How often in a row a model is sent back to mend its call of this tool; as the host says by default, which is 3. */
  readonly maxRepairs?: number
  readonly approval?: {
    readonly pattern?: ApprovalPattern
    readonly quorum?: number
    /** One of these is needed; those of the pattern by default. */
    readonly roles?: readonly string[]
    readonly ttlMs?: number
  }
  /** What will happen, for the person who approves: a function, or a text that names arguments in braces. */
  readonly consequence?: string | ((args: InferOutput<Input>) => string)
  /** How much of a result is shown and kept; by default as its classification demands. */
  readonly resultMode?: PersistenceMode
  readonly maxInlineBytes?: number
  /** Larger results are not kept at all. */
  readonly maxResultBytes?: number
  readonly previewBytes?: number
  readonly redact?: readonly string[]
  /** What the input schema cannot say: in CEL as `when`, or in code as `check`, which is given what the input schema accepted. */
  readonly rules?: readonly (RuleSource | TypedCodeRule<InferInput<Input>, State>)[]
  /** What it returns comes from a source that outsiders cannot write to; otherwise a run that has seen it counts as untrusted. */
  readonly trusted?: boolean
  /** Where its data stays, as policies name places. */
  readonly residency?: string
  /** Whom it may reach: names, and suffixes such as *.example.com. */
  readonly egressDomains?: readonly string[]
  /** Secrets that the executor finds in `context.credentials`, by name; each says where it is kept. */
  readonly credentials?: CredentialBindings
  /** Where secrets are handed over: `gateway_injected` for tools that ask for some, `none` otherwise. */
  readonly secretsBoundary?: Contract['security']['secrets_boundary']
  /** What is allowed beyond https to the usual port. */
  readonly connections?: Partial<Connections>
  readonly preflight?: Preflight
  readonly state?: {
    /** The authoritative state, as plain data; null when there is no such target. */
    read(args: InferOutput<Input>, context: ToolContext): Awaitable<State | null>
    /** What `read` returns, as a JSON Schema: rules in CEL that read `state` are typed by it. */
    readonly schema?: JsonObject
    readonly match?: StateReader['match']
    allows?(state: State, args: InferOutput<Input>): string | undefined
    after?(state: State, args: InferOutput<Input>): object
  }
  /**
   * Reads the effect back: a function, a place with what must hold there, or `state`: the state is read again and must be what `after`
   * foretold. Of several, all must agree. The result is null where the attempt that had it is gone.
   */
  readonly verify?: ToolVerifier<Input, Output> | readonly ToolVerifier<Input, Output>[]
  /** When it is read back: at once by default. Later readings are durable jobs where the ledger is durable. */
  readonly verification?: VerificationOptions
  /** What can be done about an attempt whose process is gone. */
  readonly recovery?: Partial<Binding['recovery']>
  /** `ledger`: it works through `context.sql`, and its effect commits together with its record, in the ledger's own database. */
  readonly commits?: 'ledger'
}

export type ToolVerifier<Input, Output> =
  | ((args: InferOutput<Input>, result: InferInput<Output> | null, context: VerifierContext) => Awaitable<Verification>)
  | StateVerifier
  | 'state'

export interface VerificationOptions {
  /** The first reading comes this long after the effect; 0, the default: within the call. */
  readonly delayMs?: number
  /** How often a state that is not there yet is read again; 0 by default. */
  readonly times?: number
  /** How long after the first reading the second comes, a minute by default; each wait is twice as long as the last. */
  readonly everyMs?: number
  /** Secrets for reading, found in `context.credentials` by name, or by executors that read instead of those of the tool. */
  readonly credentials?: CredentialBindings
}

/** A rule in code, typed by the tool's own schemas. Those of phase `state` are given the state. */
export interface TypedCodeRule<Args, State> extends Omit<CodeRule, 'check' | 'phase'> {
  readonly phase?: CodeRule['phase']
  check(args: Args, context: RuleContext, state?: State): Awaitable<boolean>
}
