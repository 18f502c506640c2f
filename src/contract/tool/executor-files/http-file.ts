// The http executor as a tool file declares it.
import type { JsonObject, JsonValue } from '../../../json/value.ts'
import { choice, closed, count, flag, text } from '../../closed-schema.ts'

export const httpMethods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

/** Statuses that do not say by themselves that it was done, although a provider may mean it so. */
export const acceptingStatuses = [202, 207, 301, 302, 303] as const

export interface HttpFile {
  readonly kind: 'http'
  readonly method: (typeof httpMethods)[number]
  readonly url: string
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly json?: boolean | JsonValue
  readonly form?: boolean | Readonly<Record<string, string>>
  readonly reads_only?: boolean
  readonly result?: 'body' | 'response'
  readonly max_response_bytes?: number
  readonly redirects?: number
  readonly without_effect?: readonly number[]
  readonly with_effect?: readonly (typeof acceptingStatuses)[number][]
  readonly pin?: { readonly source: string; readonly operation: string }
  readonly version?: string
}

const templates = (description: string): JsonObject => ({
  type: 'object',
  description,
  additionalProperties: { type: 'string' },
})

export const httpFileSchema: JsonObject = closed(
  'A request to an HTTP interface. {name} and {/pointer} stand for arguments, {credential:name} for a secret.',
  {
    kind: choice('An HTTP request.', ['http']),
    method: choice('GET and HEAD only read; the others change something.', httpMethods),
    url: text('Where to: https://api.example.com/orders/{order_id}. Values are encoded; they never add a segment.'),
    query: templates('Parameters of the query. One whose only value is an argument that is absent is left out.'),
    headers: templates('Header lines. An argument may stand in any but those that authorize or frame the request.'),
    json: {
      description:
        'The body as JSON: true for the arguments that stand nowhere else, or a value in which {name} is replaced.',
      type: ['boolean', 'object', 'array', 'string'],
    },
    form: {
      description: 'A form submission, never below HIGH_RISK_EXTERNAL: true for the arguments, or its fields.',
      anyOf: [{ type: 'boolean' }, { type: 'object', additionalProperties: { type: 'string' } }],
    },
    reads_only: flag('A POST that only asks, such as a search: it may serve a tool that is READ_ONLY.'),
    result: choice('What the tool returns: the body, or { status, headers, body }.', ['body', 'response']),
    max_response_bytes: count('A longer response is refused; 10 MiB by default.', 1),
    redirects: count('How many redirects are followed; 5 by default.', 0),
    without_effect: {
      type: 'array',
      description: 'Statuses with which this provider says that nothing was done, such as 503.',
      items: { type: 'integer', minimum: 400, maximum: 599 },
    },
    with_effect: {
      type: 'array',
      description: 'Statuses with which this provider says that it was done, though by themselves they do not say so.',
      items: { enum: acceptingStatuses },
    },
    pin: closed(
      'Which operation of which pinned OpenAPI document it is: it is sent only while that is what a person approved.',
      {
        source: { ...text('The name under which the document is pinned.'), minLength: 1 },
        operation: {
          ...text('The operation, by the name that proviso drift show lists it under.'),
          pattern: '^[A-Za-z0-9_-]{1,64}$',
        },
      },
      ['source', 'operation'],
    ),
    version: text('Which version of this request it is; an approval is given for one.'),
  },
  ['kind', 'method', 'url'],
)
