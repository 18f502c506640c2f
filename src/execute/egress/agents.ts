// Connections that are kept for further reads, by the rules they were checked under: a socket is never used by other rules.
import type { Agent } from 'node:http'
import type { Agent as SecureAgent } from 'node:https'
import type { Egress } from '../../contract/tool/tool.ts'
import { HttpAgent, HttpsAgent } from './builtin-http.ts'

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
