// A relay whose schema has moved: the session stops before a model is billed, with a call that shows why.
import { defineTool, openProviso } from '../../src/index.ts'
import { capabilitiesGate, capabilitiesHandler, SchemaDriftError } from '../../src/public/drift.ts'

const refundWith = (maximum: number) =>
  defineTool({
    name: 'refund_v1',
    description: 'Refunds a charge.',
    effect: 'LOW_RISK_INTERNAL',
    input: {
      type: 'object',
      properties: { charge_id: { type: 'string' }, amount: { type: 'integer', minimum: 1, maximum } },
      required: ['charge_id', 'amount'],
      additionalProperties: false,
    },
    execute: () => ({}),
  })

const backend = await openProviso({ tools: [refundWith(5_000)] })
const proviso = await openProviso({ tools: [refundWith(1_000)] })

// #region serve
const handler = capabilitiesHandler(backend, (request) =>
  request.headers.get('authorization') === 'Bearer key-of-the-app'
    ? { ok: true, context: { tenant: 'acme', user: 'app' } }
    : { ok: false, status: 401 },
)
// #endregion serve

const overTheWire: typeof fetch = (url, init) => handler(new Request(String(url), init))

// #region gate
const gate = capabilitiesGate({
  url: 'https://relay.example.com',
  credential: 'key-of-the-app',
  local: () => proviso.surface({ tenant: 'acme', user: 'app' }),
  fetch: overTheWire, // the web's own unless given
})
try {
  await gate.check() // before the first request that is billed
} catch (error) {
  if (!(error instanceof SchemaDriftError)) throw error
  console.log(error.tool, error.pointer, JSON.stringify(error.witness))
}
// #endregion gate

const narrower = capabilitiesGate({
  url: 'https://relay.example.com',
  credential: 'key-of-the-app',
  local: () => backend.surface({ tenant: 'acme', user: 'app' }),
  fetch: overTheWire,
})
console.log(JSON.stringify(await narrower.check()))

await backend.close()
await proviso.close()
