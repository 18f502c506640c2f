// A saga as it stands in a file: the published JSON Schema, and what the file says as a definition. The file form holds no code.
import type { JsonObject } from '../../json/value.ts'
import { closed, count, text } from '../closed-schema.ts'
import type { RetryPolicy, SagaDefinition, SagaStep } from './saga.ts'

export interface FileSaga {
  readonly name: string
  readonly version?: string
  readonly pivot: string
  readonly steps: readonly {
    readonly id: string
    readonly tool: string
    readonly arguments: JsonObject
    readonly compensate?: { readonly tool: string; readonly arguments: JsonObject }
    readonly retry?: {
      readonly attempts?: number
      readonly first_pause_seconds?: number
      readonly longest_pause_seconds?: number
    }
  }[]
}

export const sagaOfFile = ({ name, version, pivot, steps }: FileSaga): SagaDefinition => ({
  name,
  version,
  pivot,
  steps: steps.map(
    ({ id, tool, arguments: args, compensate, retry }): SagaStep => ({
      id,
      tool,
      arguments: args,
      compensate,
      retry: retry === undefined ? undefined : retryOf(retry),
    }),
  ),
})

const retryOf = ({
  attempts,
  first_pause_seconds: first,
  longest_pause_seconds: longest,
}: NonNullable<FileSaga['steps'][number]['retry']>): RetryPolicy => ({
  attempts,
  firstPauseMs: first === undefined ? undefined : first * 1_000,
  longestPauseMs: longest === undefined ? undefined : longest * 1_000,
})

const stepId: JsonObject = { type: 'string', pattern: '^[A-Za-z][A-Za-z0-9_-]{0,63}$' }

const template = (of: string): JsonObject => ({
  type: 'object',
  description: `Arguments, in which { "$from": pointer } stands for what is found below ${of}; { "$literal": value } is taken as it is.`,
})

const seconds = (description: string): JsonObject => ({
  type: 'number',
  exclusiveMinimum: 0,
  maximum: 86_400,
  description,
})

/** Published as schemas/saga-file.schema.json. */
export const sagaFileSchema: JsonObject = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'urn:proviso:schema:saga-file',
  title: 'SagaFile',
  ...closed(
    'Ordered calls with compensations and a point of no return.',
    {
      name: { ...text('Names the saga.'), pattern: '^[A-Za-z][A-Za-z0-9_.-]{0,127}$' },
      version: text('Another version is another saga: neither goes on with what the other began.'),
      pivot: {
        ...stepId,
        description:
          'The step behind which there is no way back. Steps before it are undone when something fails; steps behind it are tried until they succeed.',
      },
      steps: {
        type: 'array',
        minItems: 1,
        description: 'The calls, in order.',
        items: closed(
          'One call.',
          {
            id: { ...stepId, description: 'Names the step.' },
            tool: text('The tool it calls.'),
            arguments: template('/input and /results/<id of an earlier step>'),
            compensate: closed(
              'What undoes it; by default the compensation_tool of its contract, with the mapping of its binding.',
              {
                tool: text('The tool that undoes it.'),
                arguments: template('/input, /results, /arguments and /result, the latter of the step itself'),
              },
            ),
            retry: closed(
              'How often it is tried where it failed without effect.',
              {
                attempts: { ...count('After so many attempts people are asked.', 1), maximum: 1_000 },
                first_pause_seconds: seconds('The pause after the first failure; it doubles with each.'),
                longest_pause_seconds: seconds('No pause is longer.'),
              },
              [],
            ),
          },
          ['id', 'tool', 'arguments'],
        ),
      },
    },
    ['name', 'pivot', 'steps'],
  ),
}
