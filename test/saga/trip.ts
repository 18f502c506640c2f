// A trip for the tests of sagas: two bookings that can be undone, a payment behind which there is no way back, and two steps that must
// follow it. Each tool does what its journal shows, and fails when it is told to.
import {
  type CallContext,
  type Clock,
  defineTool,
  keyring,
  type Ledger,
  openProviso,
  type Proviso,
  type ProvisoOptions,
  type SagaDefinition,
  ToolError,
} from '../../src/index.ts'
import { memory } from '../../src/ledger/index.ts'

export interface Trouble {
  /** How often it fails before it does what it should. */
  times: number
  readonly effect?: 'none' | 'happened' | 'unknown'
  readonly code?: 'busy' | 'broken'
}

export interface World {
  readonly done: string[]
  readonly troubles: Map<string, Trouble>
  /** Tools whose effect is not found when it is read back. */
  readonly unseen: Set<string>
  /** Tools whose effect is found in part. */
  readonly halfSeen?: ReadonlySet<string>
}

const input = {
  type: 'object',
  properties: { trip: { type: 'string' }, booking: { type: 'string' }, cents: { type: 'integer' } },
  required: ['trip'],
  additionalProperties: false,
} as const

const names = ['hotel', 'flight', 'payment', 'ticket', 'points', 'cancel_hotel', 'cancel_flight'] as const

export type Name = (typeof names)[number]

const undoes: Partial<Record<Name, Name>> = { hotel: 'cancel_hotel', flight: 'cancel_flight' }

export function tripTools(world: World, more: Partial<Record<Name, object>> = {}) {
  return names.map((name) => {
    const back = undoes[name]
    return defineTool({
      name,
      description: 'One step of a trip.',
      effect: 'MEDIUM_RISK_WRITE',
      input,
      trusted: true,
      errors: { busy: 'DEPENDENCY_UNAVAILABLE', broken: 'SEMANTIC_INVALIDITY' },
      recovery: { horizonMs: 0 },
      ...(back === undefined
        ? {}
        : {
            compensation: {
              tool: back,
              arguments: {
                trip: { $from: '/arguments/trip' },
                booking: { $from: '/result/booking' },
              },
            },
          }),
      ...more[name],
      verify: () => {
        if (world.halfSeen?.has(name)) return { status: 'partial' as const, message: 'Half of it is there.' }
        return world.unseen.has(name)
          ? { status: 'failed' as const, message: 'It is not there.' }
          : { status: 'verified' as const }
      },
      execute: async ({ trip, booking }) => {
        const trouble = world.troubles.get(name)
        if (trouble !== undefined && trouble.times > 0) {
          trouble.times--
          const { effect = 'none', code = 'broken' } = trouble
          if (effect === 'happened') world.done.push(name)
          throw new ToolError(code, `The ${name} failed.`, { effect })
        }
        world.done.push(booking === undefined ? name : `${name} ${booking}`)
        return { booking: `${name}-of-${trip}` }
      },
    })
  })
}

export const trip = {
  name: 'trip',
  pivot: 'pay',
  steps: [
    { id: 'hotel', tool: 'hotel', arguments: { trip: { $from: '/input/id' } } },
    { id: 'flight', tool: 'flight', arguments: { trip: { $from: '/input/id' } } },
    {
      id: 'pay',
      tool: 'payment',
      arguments: { trip: { $from: '/input/id' }, booking: { $from: '/results/flight/booking' } },
    },
    {
      id: 'ticket',
      tool: 'ticket',
      arguments: { trip: { $from: '/input/id' } },
      retry: { attempts: 2, firstPauseMs: 10, longestPauseMs: 40 },
    },
    { id: 'points', tool: 'points', arguments: { trip: { $from: '/input/id' } } },
  ],
} as const satisfies SagaDefinition

export const people = keyring()
export const ann: CallContext = { tenant: 'acme', user: 'ann', run: 'run-1' }

export interface Trip {
  readonly world: World
  readonly proviso: Proviso
  readonly ledger: Ledger
}

export async function openTrip(
  options: Omit<ProvisoOptions, 'ledger'> & {
    readonly ledger?: Ledger
    readonly world?: World
    readonly more?: Partial<Record<Name, object>>
    readonly clock?: Clock
  } = {},
): Promise<Trip> {
  const { more, world = { done: [], troubles: new Map(), unseen: new Set() }, ...rest } = options
  const ledger = options.ledger ?? memory(options.clock === undefined ? {} : { clock: options.clock })
  const proviso = await openProviso({ tools: tripTools(world, more), identity: people, ...rest, ledger })
  return { world, proviso, ledger }
}
