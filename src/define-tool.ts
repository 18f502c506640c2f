// The short form a person writes, filled up to a whole contract and binding. Defaults follow the effect class; what is filled in can
// be read back from the result.
import type { ApprovalPattern, EffectClass, Semantics } from './contract/effects.ts'
import { effectRow } from './contract/effects.ts'
import type { Contract } from './contract/envelope.ts'
import { Fault } from './contract/fault.ts'
import { type BindingChoices, fillBinding } from './contract/fill-binding.ts'
import type { InferInput, InferOutput } from './contract/infer.ts'
import type { CodeRule, Rule, RuleContext, RuleSource } from './contract/rule.ts'
import { type TaxonomyClass, type TaxonomyRow, taxonomy } from './contract/taxonomy.ts'
import type {
  AmountBinding,
  Awaitable,
  Binding,
  ExecutionContext,
  Preflight,
  StateReader,
  ToolContext,
  Verification,
  VerifierContext,
} from './contract/tool.ts'
import { fn } from './execute/executors/fn.ts'
import type { JsonObject } from './json/value.ts'
import type { Dialect } from './schema/normal.ts'
import { acceptSchema } from './surface/accept-schema.ts'

/** A tool before it is registered. */
export interface ToolSource {
  readonly contract: Contract
  readonly binding: Binding
}

export interface ToolDefinition<Input, Output, State extends object = JsonObject> {
  readonly name: string
  /** What the model reads: what the tool does, what it does not do. */
  readonly description: string
  readonly effect: EffectClass
  /** Zod, Valibot, ArkType, TypeBox, Effect, or a JSON Schema. */
  readonly input: Input
  readonly output?: Output
  execute(args: InferOutput<Input>, context: ExecutionContext): Awaitable<InferInput<Output>>

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
  readonly scopes?: readonly string[]
  readonly tenantScoped?: boolean
  readonly classification?: Contract['security']['data_classification']
  readonly egress?: Contract['security']['egress_policy']
  readonly confirm?: boolean
  readonly semantics?: Semantics
  readonly compensation?: string
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
  readonly approval?: {
    readonly pattern?: ApprovalPattern
    readonly quorum?: number
    /** One of these is needed; those of the pattern by default. */
    readonly roles?: readonly string[]
    readonly ttlMs?: number
  }
  /** What will happen, for the person who approves: a function, or a text that names arguments in braces. */
  readonly consequence?: string | ((args: InferOutput<Input>) => string)
  readonly maxInlineBytes?: number
  readonly redact?: readonly string[]
  /** What the input schema cannot say: in CEL as `when`, or in code as `check`, which is given what the input schema accepted. */
  readonly rules?: readonly (RuleSource | TypedCodeRule<InferInput<Input>, State>)[]
  /** What it returns comes from a source that nobody outside can write to; otherwise a run that has seen it counts as untrusted. */
  readonly trusted?: boolean
  /** Where its data stays, as policies name places. */
  readonly residency?: string
  /** Whom it may reach, for policies to read. */
  readonly egressDomains?: readonly string[]
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
  /** Reads the effect back. The result is null where the attempt that had it is gone. */
  verify?(
    args: InferOutput<Input>,
    result: InferInput<Output> | null,
    context: VerifierContext,
  ): Awaitable<Verification>
  /** What can be done about an attempt nobody has heard of again. */
  readonly recovery?: Partial<Binding['recovery']>
  /** `ledger`: it works through `context.sql`, and its effect commits together with its record, in the ledger's own database. */
  readonly commits?: 'ledger'
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
      sandbox_isolated: false,
      max_retries: definition.maxRetries ?? 0,
    },
    security: {
      required_scopes: definition.scopes ?? [],
      tenant_scoped: definition.tenantScoped ?? false,
      secrets_boundary: 'none',
      data_classification: definition.classification ?? 'internal',
      egress_policy: definition.egress ?? 'none',
    },
    transactional: {
      side_effect_class: definition.effect,
      confirmation_required: definition.confirm ?? row.confirmation === 'always',
      semantics: definition.semantics ?? semanticsOf(definition.effect, definition.compensation),
      compensation_tool: definition.compensation ?? null,
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
  const { consequence, state, verify, rules, maxInlineBytes, redact } = definition
  // The typed functions of a definition and the untyped ones of a binding are the same functions: arguments reach them only after
  // the schema that the types were inferred from has accepted them.
  const typed = (args: unknown) => args as InferOutput<I>
  // A copy of what `read` returned, as plain JSON.
  const stateOf = (found: JsonObject) => found as unknown as S
  const choices: BindingChoices = {
    ...definition,
    consequence: typeof consequence === 'function' ? (args) => consequence.call(definition, typed(args)) : consequence,
    persistence: { maxInlineBytes, redact },
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
    verifier:
      verify === undefined
        ? undefined
        : (args, result, context) => verify.call(definition, typed(args), result as InferInput<O> | null, context),
    inputCheck: input.validate,
    outputCheck: output.validate,
  }
  return fillBinding(
    definition.effect,
    choices,
    fn((args, context) => definition.execute(typed(args), context), definition.commits),
  )
}

/** `charge_card_v2` is the second version of its contract unless told otherwise. */
function versionOf(name: string): string {
  const major = /_v([0-9]{1,4})$/.exec(name)?.[1]
  return `${major ?? 1}.0.0`
}

function semanticsOf(effect: EffectClass, compensation: string | undefined): Semantics {
  const row = effectRow(effect)
  if (!row.mutates) return 'read_only'
  if (compensation !== undefined) return 'compensable_write'
  return row.confirmation === 'always' ? 'irreversible_pivot' : 'idempotent_write'
}

function classesWhere(matches: (row: TaxonomyRow) => boolean): readonly string[] {
  return Object.entries(taxonomy).flatMap(([name, row]) => (matches(row) ? [name] : []))
}
