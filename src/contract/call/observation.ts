// The observation: the specification's closed object that an agent may reason from, as a type and as the published JSON Schema.
import type { JsonObject } from '../../json/value.ts'
import { closed, flag, text } from '../closed-schema.ts'
import { type TaxonomyClass, taxonomy } from '../taxonomy.ts'

export interface ObservationError {
  readonly field: string | null
  readonly message: string
  readonly code: string
}

export interface Observation {
  readonly tool_identity: { readonly name: string; readonly version: string; readonly call_id: string }
  readonly execution_metadata: {
    readonly timestamp: string
    readonly latency_ms: number
    readonly idempotency_hit: boolean
    readonly trace_id: string
    readonly attempt_number: number
  }
  readonly status: {
    readonly code: number
    readonly is_error: boolean
    readonly taxonomy_class: TaxonomyClass
    readonly retryable: boolean
    readonly repairable: boolean
    readonly requires_approval: boolean
    readonly fail_closed: boolean
  }
  readonly result_payload: {
    readonly data: JsonObject | null
    readonly errors: readonly ObservationError[]
    readonly warnings: readonly string[]
  }
  readonly verification: {
    readonly post_action_verification_required: boolean
    readonly target_state_reference: string | null
    readonly expected_state: JsonObject | null
    readonly delay_seconds: number
  }
}

/** Published as schemas/observation.schema.json. */
export const observationSchema: JsonObject = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'urn:proviso:schema:observation',
  title: 'ObservationObject',
  ...closed('What happened to one proposed call, in the form an agent may rely on.', {
    tool_identity: closed('Which tool was called.', {
      name: text('Name of the contract.'),
      version: text('Version of the contract.'),
      call_id: text('Our id of the call (UUIDv7).'),
    }),
    execution_metadata: closed('When and how it ran.', {
      timestamp: { type: 'string', format: 'date-time', description: 'When the observation was made.' },
      latency_ms: { type: 'integer', minimum: 0, description: 'From proposal to observation.' },
      idempotency_hit: flag('True when the answer was recorded earlier and nothing ran now.'),
      trace_id: text('The trace this call belongs to.'),
      attempt_number: { type: 'integer', minimum: 1, description: 'Which attempt produced the result.' },
    }),
    status: closed('The outcome.', {
      code: { type: 'integer', description: 'Numeric status derived from the class.' },
      is_error: flag('Whether the call failed, waits or was refused.'),
      taxonomy_class: {
        type: 'string',
        enum: Object.keys(taxonomy),
        description: 'The class; decide by this, not by the number.',
      },
      retryable: flag('The same call may be made again, unchanged.'),
      repairable: flag('A corrected call may be proposed.'),
      requires_approval: flag('A person has to decide first.'),
      fail_closed: flag('The operation ends here.'),
    }),
    result_payload: closed('What came back.', {
      data: { type: ['object', 'null'], description: 'The normalized result; another value stands under `value`.' },
      errors: {
        type: 'array',
        description: 'What is wrong, by field.',
        items: closed('One error.', {
          field: { type: ['string', 'null'], description: 'The argument concerned, or null.' },
          message: text('What is wrong and what to do.'),
          code: text('Machine-readable reason.'),
        }),
      },
      warnings: { type: 'array', description: 'What to know although nothing failed.', items: { type: 'string' } },
    }),
    verification: closed('What must still be checked in the world.', {
      post_action_verification_required: flag('The effect has to be read back.'),
      target_state_reference: { type: ['string', 'null'], description: 'What to read.' },
      expected_state: { type: ['object', 'null'], description: 'What should be found there.' },
      delay_seconds: { type: 'integer', minimum: 0, description: 'How long to wait before reading.' },
    }),
  }),
}
