// An HTTP interface with a document of its own: two operations, one of which refers to what stands elsewhere in the document.
import { defineTool, type ToolSource } from '../../src/index.ts'
import type { JsonObject } from '../../src/json/value.ts'
import { http } from '../../src/public/executors.ts'

const note: JsonObject = { name: 'note', in: 'query', schema: { type: 'string' } }

/** `shared`: what the document says of the parameter that refunding refers to. */
export const document = (change: { readonly shared?: JsonObject; readonly list?: JsonObject } = {}): JsonObject => ({
  openapi: '3.1.0',
  info: { title: 'Billing', version: '1.0.0' },
  servers: [{ url: '/v1' }],
  paths: {
    '/refunds': {
      post: {
        operationId: 'refunds.create',
        parameters: [{ $ref: '#/components/parameters/Note' }],
        responses: { 200: { description: 'ok' } },
      },
    },
    '/charges': {
      get: { operationId: 'charges.list', responses: { 200: { description: 'ok' } }, ...change.list },
    },
  },
  components: { parameters: { Note: { ...note, ...change.shared } } },
})

const pinned = { refund: 'refunds_create', charges: 'charges_list' } as const

const requestOf = (name: keyof typeof pinned, origin: string) => {
  const pin = { source: 'billing', operation: pinned[name] }
  return name === 'refund'
    ? http({ method: 'POST', url: `${origin}/v1/refunds`, query: { note: '{note}' }, pin })
    : http({ method: 'GET', url: `${origin}/v1/charges`, pin })
}

export function billingTool(name: keyof typeof pinned, port: number): ToolSource {
  return defineTool({
    name,
    description: 'A tool of the billing service.',
    effect: name === 'refund' ? 'MEDIUM_RISK_WRITE' : 'READ_ONLY',
    input: { type: 'object', properties: { note: { type: 'string' } }, additionalProperties: false },
    trusted: true,
    egress: 'allowlisted_domains',
    egressDomains: ['127.0.0.1'],
    connections: { loopback: true, ports: [port] },
    executor: requestOf(name, `http://127.0.0.1:${port}`),
  })
}
