// The contract: the specification's closed envelope of eight sections, as a type and as the published JSON Schema.
// Names, enums and required lists are the specification's; the descriptions are ours, so that an editor can explain them.
import type { JsonObject } from '../../json/value.ts'
import { choice, closed, count, flag, text, texts } from '../closed-schema.ts'
import { type EffectClass, effects, type Semantics } from '../effects.ts'

export interface Contract {
  readonly identity: {
    readonly name: string
    readonly version: string
    readonly owner: string
    readonly lifecycle: {
      readonly status: 'active' | 'deprecated' | 'sunsetted'
      readonly sunset_date: string | null
      readonly replacement: string | null
    }
  }
  readonly affordance: {
    readonly model_description: string
    readonly allowed_use_cases: readonly string[]
    readonly forbidden_use_cases: readonly string[]
    readonly input_schema: JsonObject
    readonly output_schema: JsonObject
    readonly examples: readonly { readonly description: string; readonly arguments: JsonObject }[]
  }
  readonly runtime: {
    readonly timeout_ms: number
    readonly rate_limits: { readonly window_sec: number; readonly max_requests: number }
    readonly cost_profile: {
      readonly currency: string
      readonly cost_per_call: number
      readonly cost_unit: 'call' | 'token' | 'second' | 'transaction' | 'custom'
    }
    readonly sandbox_isolated: boolean
    readonly max_retries: number
  }
  readonly security: {
    readonly required_scopes: readonly string[]
    readonly tenant_scoped: boolean
    readonly secrets_boundary: 'gateway_injected' | 'execution_sandbox' | 'none'
    readonly data_classification: 'public' | 'internal' | 'confidential' | 'regulated' | 'secret'
    readonly egress_policy: 'none' | 'allowlisted_domains' | 'private_network_only' | 'unrestricted_with_approval'
  }
  readonly transactional: {
    readonly side_effect_class: EffectClass
    readonly confirmation_required: boolean
    readonly semantics: Semantics
    readonly compensation_tool: string | null
    readonly post_action_verification_required: boolean
  }
  readonly idempotency: {
    readonly supported: boolean
    readonly required: boolean
    readonly key_header: string | null
    readonly ttl_seconds: number | null
    readonly payload_hash_required: boolean
  }
  readonly observability: {
    readonly trace_attributes: readonly string[]
    readonly audit_required: boolean
    readonly error_taxonomy_mapping: { readonly [code: string]: string }
  }
  readonly error_contract: {
    readonly repairable_errors: readonly string[]
    readonly retryable_errors: readonly string[]
    readonly fail_closed_errors: readonly string[]
    readonly escalation_errors: readonly string[]
  }
}

const lifecycle = closed('Where this version stands in its life.', {
  status: choice('Deprecated tools still run, with a warning; sunsetted ones are refused.', [
    'active',
    'deprecated',
    'sunsetted',
  ]),
  sunset_date: {
    type: ['string', 'null'],
    format: 'date',
    description: 'From this day on, 00:00 UTC, the tool is refused; null when no end is planned.',
  },
  replacement: { type: ['string', 'null'], description: 'The tool to use instead, if there is one.' },
})

/** The envelope's JSON Schema, published as schemas/tool-contract.schema.json. */
export const contractSchema: JsonObject = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'urn:proviso:schema:tool-contract',
  title: 'ToolContract',
  ...closed('What a tool promises and what calling it demands. Closed: exactly these eight sections.', {
    identity: closed('Which tool this is.', {
      name: {
        type: 'string',
        pattern: '^[a-zA-Z0-9_.-]{1,128}$',
        description: 'Stable and specific, such as fetch_invoice_v1.',
      },
      version: text('Version of this contract; semantic versions are expected.'),
      owner: text('The team or person answerable for the tool.'),
      lifecycle,
    }),
    affordance: closed('What the model is told. Advice only: nothing here is enforced but the two schemas.', {
      model_description: text('What the tool does, what it does not do, and when to use it.'),
      allowed_use_cases: texts('Situations the tool is meant for.'),
      forbidden_use_cases: texts('Situations in which the tool must not be chosen.'),
      input_schema: { type: 'object', description: 'JSON Schema of the arguments.' },
      output_schema: { type: 'object', description: 'JSON Schema of the result.' },
      examples: {
        type: 'array',
        description: 'Calls that are right, for the model and for tests.',
        items: closed('One call.', {
          description: text('What this call is for.'),
          arguments: { type: 'object', description: 'Arguments that satisfy input_schema.' },
        }),
      },
    }),
    runtime: closed('Limits of one execution.', {
      timeout_ms: count('The executor is aborted after this time.', 1),
      rate_limits: closed('How often a tenant may call the tool.', {
        window_sec: count('Length of the window in seconds.', 1),
        max_requests: count('Calls admitted within one window.', 1),
      }),
      cost_profile: closed('What a call costs.', {
        currency: text('ISO 4217 code, such as EUR.'),
        cost_per_call: { type: 'number', minimum: 0, description: 'Price of one unit.' },
        cost_unit: choice('What the price is counted by.', ['call', 'token', 'second', 'transaction', 'custom']),
      }),
      sandbox_isolated: flag('The executor must run isolated; refused where nothing isolates it.'),
      max_retries: count('Further attempts with the same bytes and key after a failure without effect.', 0),
    }),
    security: closed('Who may call and what may leave.', {
      required_scopes: texts('Scopes the principal must hold, all of them.'),
      tenant_scoped: flag('The call must name its tenant.'),
      secrets_boundary: choice('Where credentials are handed to the executor.', [
        'gateway_injected',
        'execution_sandbox',
        'none',
      ]),
      data_classification: choice('The most sensitive data the tool touches.', [
        'public',
        'internal',
        'confidential',
        'regulated',
        'secret',
      ]),
      egress_policy: choice('Where the executor may connect to.', [
        'none',
        'allowlisted_domains',
        'private_network_only',
        'unrestricted_with_approval',
      ]),
    }),
    transactional: closed('What changes in the world.', {
      side_effect_class: choice('The effect class; it decides the gates.', Object.keys(effects)),
      confirmation_required: flag('A person must approve the concrete call.'),
      semantics: choice('How the change behaves when repeated or undone.', [
        'read_only',
        'idempotent_write',
        'compensable_write',
        'saga_step',
        'irreversible_pivot',
        'retryable_post_pivot',
      ]),
      compensation_tool: { type: ['string', 'null'], description: 'The tool that undoes the effect, or null.' },
      post_action_verification_required: flag('The effect is read back after execution.'),
    }),
    idempotency: closed('How repeated calls are told apart from new ones.', {
      supported: flag('Repeated calls of one operation have one effect.'),
      required: flag('The call is refused when its operation cannot be identified.'),
      key_header: { type: ['string', 'null'], description: 'Header in which the provider takes the key, or null.' },
      ttl_seconds: {
        type: ['integer', 'null'],
        minimum: 1,
        description: 'How long a finished operation is remembered; null means for ever.',
      },
      payload_hash_required: flag('The same operation with other arguments is refused.'),
    }),
    observability: closed('What is recorded.', {
      trace_attributes: texts('Names of arguments that may appear in traces.'),
      audit_required: flag('The answer is given only once its facts are durable.'),
      error_taxonomy_mapping: {
        type: 'object',
        description: "The executor's own error codes, each with the taxonomy class it stands for.",
        additionalProperties: { type: 'string' },
      },
    }),
    error_contract: closed(
      'Which classes this tool treats how; a row of the taxonomy may be narrowed, never loosened.',
      {
        repairable_errors: texts('Classes the model may repair.'),
        retryable_errors: texts('Classes that may be retried with the same payload.'),
        fail_closed_errors: texts('Classes that end the operation.'),
        escalation_errors: texts('Classes that a person must see.'),
      },
    ),
  }),
}
