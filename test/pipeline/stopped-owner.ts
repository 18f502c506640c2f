// A process that is stopped by its test while its request connects. It makes one call and says how that was answered.
import { defineTool, openProviso } from '../../src/index.ts'
import { postgres } from '../../src/ledger/postgres/postgres.ts'
import { http } from '../../src/public/executors.ts'
import { testCertificate } from '../execute/test-certificate.ts'

const [url = '', port = '', leaseMs = '', timeoutMs = ''] = process.argv.slice(2)
const network = { resolve: async () => [{ address: '127.0.0.1', family: 4 }], ca: testCertificate }

const charge = defineTool({
  name: 'charge_v1',
  description: 'Charges once.',
  effect: 'MEDIUM_RISK_WRITE',
  trusted: true,
  timeoutMs: Number(timeoutMs),
  input: {
    type: 'object',
    properties: { amount: { type: 'number' } },
    required: ['amount'],
    additionalProperties: false,
  },
  egress: 'private_network_only',
  connections: { loopback: true, ports: [Number(port)] },
  executor: http({ method: 'POST', url: `https://api.proviso.test:${port}/charges`, json: true, network }),
})

const ledger = await postgres(url, { connections: 2, leaseMs: Number(leaseMs) })
const proviso = await openProviso({ ledger, tools: [charge], sweepMs: 3_600_000 })
const answer = await proviso.call({ tool: 'charge_v1', arguments: { amount: 5 } }, { tenant: 'acme', run: 'run-1' })
process.stdout.write(JSON.stringify([answer.effect, answer.observation.status.taxonomy_class]))
await proviso.close()
