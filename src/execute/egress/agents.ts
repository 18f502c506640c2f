// Node's http and https, and the connections that are kept open for further reads, by the rules they were checked under: a socket is
// never used under other rules.
import type { Agent } from 'node:http'
import type { Agent as SecureAgent } from 'node:https'
import type { Egress } from '../../contract/tool/executor.ts'

// Node's own modules as they are. An import of node:http as a module asks for each of its exports, the web's sockets among them, which
// leaves globals behind in every process that imports this package; taken so, it leaves nothing.
const { Agent: HttpAgent, request: requestPlain } = process.getBuiltinModule('node:http')
const { Agent: HttpsAgent, request: requestSecure } = process.getBuiltinModule('node:https')

export { requestPlain, requestSecure }

export interface Agents {
  readonly http: Agent
  readonly https: SecureAgent
}

const keep = { keepAlive: true, maxFreeSockets: 16, scheduling: 'lifo', timeout: 15_000 } as const

const kept = new WeakMap<Egress, Agents>()

export function agentsFor(egress: Egress): Agents {
  const known = kept.get(egress)
  if (known !== undefined) return known
  const agents = { http: new HttpAgent(keep), https: new HttpsAgent(keep) }
  kept.set(egress, agents)
  return agents
}
