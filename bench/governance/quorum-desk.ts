// What people decide about in the race for a quorum: a tool that needs three different people, run by the last decision itself.
import { defineTool, type ToolSource } from '../../src/index.ts'
import { openWorld, type World } from '../faults/world.ts'
import { tenant } from './payments.ts'

export const quorum = 3

export interface QuorumDesk {
  readonly tools: readonly ToolSource[]
  readonly world: World
  readonly identity: { verify(name: string): Promise<ReturnType<typeof person>> }
}

/** Here a credential is a name; how keys prove who holds them is another matter. */
export const person = (name: string) => ({
  tenant,
  user: name,
  roles: ['approver', 'operator'],
  scopes: [],
  agent: undefined,
  keyId: `key-${name}`,
  kind: 'person' as const,
})

export function quorumDesk(folder: string): QuorumDesk {
  const world = openWorld(folder)
  return {
    world,
    identity: { verify: async (name) => person(name) },
    tools: [
      defineTool({
        name: 'open_gate',
        description: 'Opens a gate.',
        effect: 'MEDIUM_RISK_WRITE',
        confirm: true,
        approval: { pattern: 'dual_control', quorum },
        input: {
          type: 'object',
          properties: { gate: { type: 'string' } },
          required: ['gate'],
          additionalProperties: false,
        },
        trusted: true,
        execute({ gate }) {
          world.apply(gate)
          return {}
        },
      }),
    ],
  }
}
