// Calls a tool of the server at the URL it is given, and closes nothing.
import { mcp } from '../../../src/public/executors.ts'
import { executionContext } from '../execution-context.ts'

const [url = ''] = process.argv.slice(2)
const connections = { ports: [Number(new URL(url).port)], loopback: true, plain: false }
const egress = { policy: 'private_network_only', domains: [], connections } as const
const executor = mcp({ server: { url, revision: '2025' }, tool: 'act' })
process.stdout.write(String(await executor.run({}, executionContext({ egress }))))
