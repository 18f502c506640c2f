// A shelf of things that are read and changed: the same calls with locks and without, on a ledger in memory that keeps every fact.
import { defineTool, openProviso, type Proposal, type Proviso } from '../../src/index.ts'
import { memory } from '../../src/ledger/index.ts'

export const context = { tenant: 'acme', user: 'ann', run: 'step' } as const

const input = {
  type: 'object',
  properties: { id: { type: 'string' }, n: { type: 'integer' } },
  required: ['id', 'n'],
  additionalProperties: false,
} as const

/** What every contender runs: it leaves the stack once, as all I/O does. */
export async function touch(): Promise<Record<string, never>> {
  await new Promise((resolve) => setImmediate(resolve))
  return {}
}

/** With `locks`, calls that name the same thing are in each other's way; without, no call is in another's. */
export async function openDesk(locks: boolean): Promise<Proviso> {
  const shared = {
    input,
    trusted: true,
    rate: { windowSec: 1, maxRequests: 1_000_000_000 },
    execute: touch,
    ...(locks ? { locks: ['/id'] } : {}),
  } as const
  return openProviso({
    ledger: memory({ maxCalls: Number.MAX_SAFE_INTEGER }),
    budgets: { read: 1_000_000_000, write: 1_000_000_000 },
    tools: [
      defineTool({ ...shared, name: 'look_at', description: 'Looks at a thing.', effect: 'READ_ONLY' }),
      defineTool({
        ...shared,
        name: 'change',
        description: 'Changes a thing.',
        effect: 'LOW_RISK_INTERNAL',
        concurrent: true,
      }),
    ],
  })
}

/** The same calls for every contender: three in ten change something, things are hit unevenly. */
export function proposals(count: number, things: number, round: number): readonly Proposal[] {
  let state = 12_345 + round
  const next = (below: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
    return (state >>> 8) % below
  }
  return Array.from({ length: count }, (_, n) => ({
    tool: next(10) < 3 ? 'change' : 'look_at',
    arguments: { id: `thing-${Math.min(next(things), next(things))}`, n },
    callId: `${round}-${n}`,
  }))
}
