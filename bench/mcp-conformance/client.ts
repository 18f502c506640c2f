// The client that a scenario of the conformance suite is played with: `client.ts sdk URL` is the bare client of the SDK, `client.ts executor
// URL` the mcp executor in a call of a Proviso. Both do the same: they list the tools and call them.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { servedTools } from '../../src/execute/executors/mcp/list-tools.ts'
import { defineTool, type JsonObject, type JsonValue, openProviso } from '../../src/index.ts'
import { memory } from '../../src/ledger/index.ts'
import { mcp } from '../../src/public/executors.ts'

interface Played {
  list(): Promise<readonly JsonObject[]>
  call(tool: string, args: JsonObject): Promise<unknown>
  close(): Promise<void>
}

const [way = '', url = ''] = process.argv.slice(2)
const scenario = process.env.MCP_CONFORMANCE_SCENARIO ?? ''
const revision = process.env.MCP_CONFORMANCE_PROTOCOL_VERSION === '2026-07-28' ? '2026-07-28' : '2025'
const timeoutMs = 10_000

async function bareClient(): Promise<Played> {
  const client = new Client(
    { name: 'bare', version: '1' },
    {
      capabilities: { elicitation: { form: { applyDefaults: true } } },
      versionNegotiation: { mode: revision === '2025' ? 'legacy' : 'auto' },
    },
  )
  client.setRequestHandler('elicitation/create', async () => ({ action: 'accept', content: {} }))
  await client.connect(new StreamableHTTPClientTransport(new URL(url)))
  return {
    list: async () => (await client.listTools()).tools as unknown as JsonObject[],
    call: (name, args) => client.callTool({ name, arguments: args }),
    close: () => client.close(),
  }
}

function ourExecutor(): Played {
  const { port, hostname } = new URL(url)
  const loopback = { ports: [Number(port)], loopback: true } as const
  const open: Awaited<ReturnType<typeof openProviso>>[] = []
  // The suite serves on the name of this machine, which may stand for two addresses.
  const server = { url: url.replace(hostname, '127.0.0.1'), revision: revision === '2025' ? '2025' : 'auto' } as const
  let calls = 0
  return {
    list: async () =>
      (await servedTools({
        server,
        credentials: new Map(),
        egress: { policy: 'private_network_only', domains: [], connections: { ...loopback, plain: false } },
        capabilities: {},
        timeoutMs,
        maxBytes: 10_000_000,
      })) as JsonObject[],
    async call(name, args) {
      const tool = defineTool({
        name: `tool_${++calls}_v1`,
        description: 'A tool of the suite.',
        effect: 'READ_ONLY',
        input: { type: 'object' },
        output: {},
        egress: 'private_network_only',
        connections: loopback,
        timeoutMs,
        trusted: true,
        executor: mcp({ server, tool: name, onElicit: () => ({ action: 'accept', content: {} }) }),
      })
      const proviso = await openProviso({ ledger: memory(), tools: [tool] })
      open.push(proviso)
      const answer = await proviso.call({ tool: tool.contract.identity.name, arguments: args })
      if (answer.observation.status.is_error) throw new Error(JSON.stringify(answer.observation.result_payload.errors))
      return answer.value
    },
    close: async () => void (await Promise.all(open.map((proviso) => proviso.close()))),
  }
}

/** What the scenario wants each tool to be called with; a value of the right kind where it says nothing. */
function callsOf(tools: readonly JsonObject[]): readonly { readonly name: string; readonly arguments: JsonObject }[] {
  const { toolCalls } = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}') as { toolCalls?: [] }
  if (toolCalls !== undefined) return toolCalls
  const schemaOf = (name: string) => tools.find((tool) => tool.name === name)?.inputSchema
  const seen = schemaOf('json_schema_2020_12_tool')
  // A call shows how it presents itself, also to a server without tools.
  if (tools.length === 0) return [{ name: 'no_such_tool', arguments: {} }]
  return tools.map(({ name, inputSchema }) => ({
    name: String(name),
    arguments: name === 'json_schema_echo' ? { schema: seen ?? {} } : sampleOf(inputSchema as JsonObject | undefined),
  }))
}

const samples: Readonly<Record<string, JsonValue>> = {
  string: 'text',
  number: 1,
  integer: 1,
  boolean: true,
  object: {},
  array: [],
  null: null,
}

const sampleOf = (schema: JsonObject | undefined): JsonObject =>
  Object.fromEntries(
    Object.entries((schema?.properties ?? {}) as Record<string, JsonObject>).map(([name, { type }]) => [
      name,
      samples[String(type)] ?? 'text',
    ]),
  )

const played = way === 'sdk' ? await bareClient() : ourExecutor()
const tools = await played.list()
// What a tool answers is the suite's to judge, and what is refused is meant to be.
for (const { name, arguments: args } of callsOf(tools))
  await played.call(name, args).catch((error) => console.error(`${scenario}: ${name}: ${String(error)}`))
await played.close()
