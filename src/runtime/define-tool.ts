// The short form a person writes, filled up to a whole contract and binding. Defaults follow the effect class; what is filled in can
// be read back from the result.
import { type EffectClass, effectRow, type Semantics } from '../contract/effects.ts'
import { Fault } from '../contract/fault.ts'
import { type TaxonomyRow, taxonomy } from '../contract/taxonomy.ts'
import type { CredentialBindings } from '../contract/tool/credential.ts'
import type { Contract } from '../contract/tool/envelope.ts'
import type { Awaitable, Executor } from '../contract/tool/executor.ts'
import { type BindingChoices, fillBinding } from '../contract/tool/fill-binding.ts'
import type { InferInput, InferOutput } from '../contract/tool/infer.ts'
import type { CodeRule, Rule } from '../contract/tool/rule.ts'
import type { Binding } from '../contract/tool/tool.ts'
import type { BoundVerification } from '../contract/verification/verifier.ts'
import { fn } from '../execute/executors/fn.ts'
import type { JsonObject } from '../json/value.ts'
import { acceptSchema } from '../surface/accept/accept-schema.ts'
import type { ToolDefinition, ToolSource, ToolVerifier, VerificationOptions } from './tool-definition.ts'
import { checkToolOptions } from './tool-options.ts'

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
