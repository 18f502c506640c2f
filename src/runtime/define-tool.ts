// The short form a person writes, filled up to a whole contract and binding. Defaults follow the effect class; what is filled in can
// be read back from the result.

import type { PartialResult } from '../contract/call/partial-result.ts'
import type { PersistenceMode } from '../contract/call/result.ts'
import { type ApprovalPattern, type EffectClass, effectRow, type Semantics } from '../contract/effects.ts'
import { Fault } from '../contract/fault.ts'
import type { ArgumentTemplate } from '../contract/saga/saga.ts'
import { type TaxonomyClass, type TaxonomyRow, taxonomy } from '../contract/taxonomy.ts'
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
import { type BindingChoices, fillBinding } from '../contract/tool/fill-binding.ts'
import type { InferInput, InferOutput } from '../contract/tool/infer.ts'
import type { CodeRule, Rule, RuleContext, RuleSource } from '../contract/tool/rule.ts'
import type { AmountBinding, Binding, StateReader } from '../contract/tool/tool.ts'
import type { BoundVerification, StateVerifier } from '../contract/verification/verifier.ts'
import { fn } from '../execute/executors/fn.ts'
import type { JsonObject } from '../json/value.ts'
import type { Dialect } from '../schema/normal.ts'
import { acceptSchema } from '../surface/accept/accept-schema.ts'
import { checkToolOptions } from './tool-options.ts'

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
  readonly resource?: string
  /** How much money a call moves: where its arguments say so. It counts against financial budgets; a negative one is refused. */
  readonly amount?: AmountBinding
  readonly locks?: readonly string[]
  readonly concurrent?: boolean
  /** What happens to a running call of a batch that is given up; reads are aborted by default, whatever changes something goes on. */
  readonly interrupt?: 'cancel' | 'block'
  /** It changes what later calls of its run may see, such as which tools there are. */
  readonly modifiesContext?: boolean
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
  /** What it returns comes from a source that nobody outside can write to; otherwise a run that has seen it counts as untrusted. */
  readonly trusted?: boolean
  /** Where its data stays, as policies name places. */
  readonly residency?: string
  /** Whom it may reach: names, and suffixes such as *.example.com. */
  readonly egressDomains?: readonly string[]
  /** Secrets that the executor finds in `context.credentials`, by name; each says where it is kept. */
  readonly credentials?: CredentialBindings
  /** Where secrets are handed over: `gateway_injected` for whatever asks for some, `none` otherwise. */
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
  /** What can be done about an attempt nobody has heard of again. */
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

const defaults = {
  timeoutMs: 30_000,
  rate: { window_sec: 1, max_requests: 1_000 },
  cost: { currency: 'EUR', cost_per_call: 0, cost_unit: 'call' },
} as const

/** Declares a tool. Throws a Fault when its schemas cannot be taken; contradictions are refused at registration. */
export function defineTool<const Input, const Output = true, State extends object = JsonObject>(
  definition: ToolDefinition<Input, Output, State>,
): ToolSource {
  checkToolOptions(definition)
  const input = schemaOf(definition.name, 'input', definition.input)
  const output = schemaOf(definition.name, 'output', definition.output ?? {})
  return {
    contract: contractOf(definition, input.jsonSchema, output.jsonSchema),
    binding: bindingOf(definition, input, output),
  }
}

type Schema = Extract<ReturnType<typeof acceptSchema>, { ok: true }>

function schemaOf(tool: string, direction: 'input' | 'output', schema: unknown): Schema {
  const accepted = acceptSchema(schema, direction)
  if (accepted.ok) return accepted
  throw new Fault('registration_refused', `Tool ${tool}: its ${direction} schema cannot be taken: ${accepted.reason}`)
}

function contractOf<I, O, S extends object>(
  definition: ToolDefinition<I, O, S>,
  input: JsonObject,
  output: JsonObject,
): Contract {
  const row = effectRow(definition.effect)
  const { rate, cost, lifecycle } = definition
  return {
    identity: {
      name: definition.name,
      version: definition.version ?? versionOf(definition.name),
      owner: definition.owner ?? 'unassigned',
      lifecycle: { status: 'active', sunset_date: null, replacement: null, ...lifecycle },
    },
    affordance: {
      model_description: definition.description,
      allowed_use_cases: definition.useWhen ?? [],
      forbidden_use_cases: definition.avoidWhen ?? [],
      input_schema: input,
      output_schema: output,
      examples: definition.examples ?? [],
    },
    runtime: {
      timeout_ms: definition.timeoutMs ?? defaults.timeoutMs,
      rate_limits: rate === undefined ? defaults.rate : { window_sec: rate.windowSec, max_requests: rate.maxRequests },
      cost_profile: { ...defaults.cost, ...cost },
      sandbox_isolated: definition.isolated ?? false,
      max_retries: definition.maxRetries ?? 0,
    },
    security: {
      required_scopes: definition.scopes ?? [],
      tenant_scoped: definition.tenantScoped ?? false,
      secrets_boundary: definition.secretsBoundary ?? (asksForSecrets(definition) ? 'gateway_injected' : 'none'),
      data_classification: definition.classification ?? 'internal',
      egress_policy: definition.egress ?? 'none',
    },
    transactional: {
      side_effect_class: definition.effect,
      confirmation_required: definition.confirm ?? row.confirmation === 'always',
      semantics: definition.semantics ?? semanticsOf(definition.effect, definition.compensation),
      compensation_tool: compensationTool(definition.compensation),
      post_action_verification_required: row.verification === 'required',
    },
    idempotency: {
      supported: row.mutates,
      required: row.idempotency === 'required',
      key_header: definition.keyHeader ?? null,
      ttl_seconds: definition.rememberSeconds ?? null,
      payload_hash_required: row.mutates,
    },
    observability: {
      trace_attributes: definition.traceAttributes ?? [],
      audit_required: row.audit,
      error_taxonomy_mapping: definition.errors ?? {},
    },
    error_contract: {
      repairable_errors: classesWhere((entry) => entry.repairable),
      retryable_errors: classesWhere((entry) => entry.retryable),
      fail_closed_errors: classesWhere((entry) => entry.failClosed),
      escalation_errors: classesWhere((entry) => entry.escalate),
    },
  }
}

function bindingOf<I, O, S extends object>(
  definition: ToolDefinition<I, O, S>,
  input: Schema,
  output: Schema,
): Binding {
  const { consequence, state, rules, maxInlineBytes, redact } = definition
  // The typed functions of a definition and the untyped ones of a binding are the same functions: arguments reach them only after
  // the schema that the types were inferred from has accepted them.
  const typed = (args: unknown) => args as InferOutput<I>
  // A copy of what `read` returned, as plain JSON.
  const stateOf = (found: JsonObject) => found as unknown as S
  const choices: BindingChoices = {
    ...definition,
    consequence: typeof consequence === 'function' ? (args) => consequence.call(definition, typed(args)) : consequence,
    persistence: {
      mode: definition.resultMode,
      maxInlineBytes,
      maxBytes: definition.maxResultBytes,
      previewBytes: definition.previewBytes,
      redact,
    },
    ...(definition.recovery === undefined ? {} : { recovery: definition.recovery }),
    rules: rules?.map((rule): Rule => {
      if (!('check' in rule)) return rule
      const { id, message, fields = [], phase = 'semantics' } = rule
      const check: CodeRule['check'] = (args, context, found) =>
        rule.check(args as InferInput<I>, context, found === undefined ? undefined : stateOf(found as JsonObject))
      return { id, phase, message, fields, check }
    }),
    state:
      state === undefined
        ? undefined
        : {
            match: state.match ?? [],
            schema: state.schema,
            read: (args, context) => state.read(typed(args), context) as Awaitable<JsonObject | null>,
            ...(state.allows === undefined
              ? {}
              : { allows: (found, args) => state.allows?.(stateOf(found), typed(args)) }),
            ...(state.after === undefined
              ? {}
              : { after: (found, args) => (state.after?.(stateOf(found), typed(args)) ?? {}) as JsonObject }),
          },
    verifier: verifierOf(definition),
    compensation: compensationOf(definition),
    inputCheck: input.validate,
    outputCheck: output.validate,
  }
  return fillBinding(definition.effect, choices, executorOf(definition, typed))
}

function executorOf<I, O, S extends object>(
  definition: ToolDefinition<I, O, S>,
  typed: (args: unknown) => InferOutput<I>,
): Executor {
  const { name, executorVersion: version } = definition
  const { execute, executor } = definition
  // Callers without types may give both, or neither.
  if ((execute === undefined) === (executor === undefined))
    throw new Fault('registration_refused', `Tool ${name} needs either execute or executor, and not both.`)
  const made =
    executor ?? fn((args, context) => definition.execute?.call(definition, typed(args), context), definition.commits)
  return version === undefined ? made : { ...made, version, run: (args, context) => made.run(args, context) }
}

interface Asking {
  readonly credentials?: CredentialBindings
  readonly verification?: VerificationOptions
}

const asksForSecrets = ({ credentials, verification }: Asking): boolean =>
  Object.keys({ ...credentials, ...verification?.credentials }).length > 0

const againMs = 60_000

function verifierOf<I, O, S extends object>(definition: ToolDefinition<I, O, S>): BoundVerification | undefined {
  const { verify, verification } = definition
  if (verify === undefined) return undefined
  const given: readonly ToolVerifier<I, O>[] = isList(verify) ? verify : [verify]
  return {
    sources: given.map((source) =>
      typeof source === 'function'
        ? (args, result, context) =>
            source.call(definition, args as InferOutput<I>, result as InferInput<O> | null, context)
        : source,
    ),
    delayMs: verification?.delayMs ?? 0,
    again: { times: verification?.times ?? 0, everyMs: verification?.everyMs ?? againMs },
    credentials: verification?.credentials,
  }
}

const isList = <T>(given: T | readonly T[]): given is readonly T[] => Array.isArray(given)

const compensationTool = (compensation: string | { readonly tool: string } | undefined): string | null =>
  typeof compensation === 'object' ? compensation.tool : (compensation ?? null)

function compensationOf<I, O, S extends object>({ compensation }: ToolDefinition<I, O, S>): Binding['compensation'] {
  if (typeof compensation !== 'object') return undefined
  const { arguments: made } = compensation
  if (typeof made !== 'function') return { arguments: made }
  return {
    arguments: (done) => made(done.arguments as InferOutput<I>, done.result as InferInput<O>) as JsonObject,
  }
}

/** `charge_card_v2` is the second version of its contract unless told otherwise. */
function versionOf(name: string): string {
  const major = /_v([0-9]{1,4})$/.exec(name)?.[1]
  return `${major ?? 1}.0.0`
}

function semanticsOf(effect: EffectClass, compensation: unknown): Semantics {
  const row = effectRow(effect)
  if (!row.mutates) return 'read_only'
  if (compensation !== undefined) return 'compensable_write'
  return row.confirmation === 'always' ? 'irreversible_pivot' : 'idempotent_write'
}

function classesWhere(matches: (row: TaxonomyRow) => boolean): readonly string[] {
  return Object.entries(taxonomy).flatMap(([name, row]) => (matches(row) ? [name] : []))
}
