// What can be walked. Each walk sets its scene on a real Postgres, does one thing that is watched, and holds the outcome to what it should be.
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type CallContext,
  defineTool,
  keyring,
  type Ledger,
  openProviso,
  type Proviso,
  type SagaDefinition,
  ToolError,
} from '../../src/index.ts'
import { postgres } from '../../src/ledger/index.ts'

export interface Scene {
  act(): Promise<void>
  end(): Promise<void>
}

export interface Walk {
  readonly name: string
  readonly does: string
  /** The name of what runs before the first boundary. */
  readonly begins: string
  /** Everything that the watched part finds when it begins. `watch` is put around the ledger that it works on. */
  stage(url: string, watch: (ledger: Ledger) => Ledger): Promise<Scene>
}

const input = {
  type: 'object',
  properties: { invoice: { type: 'string' }, booking: { type: 'string' } },
  required: ['invoice'],
  additionalProperties: false,
} as const

const context: CallContext = { tenant: 'acme', user: 'ann', run: 'run-1' }
const proposal = (tool: string, invoice: string) => ({ tool, arguments: JSON.stringify({ invoice }) })

/** Nothing runs beside what is watched: no sweep, no sequencer. */
const hour = 3_600_000
const quiet = { log: { sequence: false }, connections: 2 } as const

/** Ends here, with what was found, where a walk did not come to where it should. */
function expectEqual(found: unknown, expected: unknown): void {
  if (found !== expected) throw new Error(`The walk came to ${String(found)} instead of ${String(expected)}.`)
}

const book = defineTool({
  name: 'book',
  description: 'Books an invoice.',
  effect: 'MEDIUM_RISK_WRITE',
  input,
  trusted: true,
  execute: ({ invoice }) => ({ booked: invoice }),
})

const call: Walk = {
  name: 'call',
  does: 'one durable write, from the proposal to its answer',
  begins: 'proviso.call',
  async stage(url, watch) {
    const proviso = await openProviso({ ledger: watch(await postgres(url, quiet)), tools: [book], sweepMs: hour })
    await proviso.call(proposal('book', 'INV-1'), context)
    return {
      async act() {
        expectEqual((await proviso.call(proposal('book', 'INV-2'), context)).effect, 'happened')
      },
      end: () => proviso.close(),
    }
  },
}

const approval: Walk = {
  name: 'approval',
  does: 'a call that waits for a person, the decision, and the call again',
  begins: 'proviso.call',
  async stage(url, watch) {
    const people = keyring()
    const credential = await people.issue({ user: 'bea', tenant: 'acme', roles: ['operator'] })
    const refund = defineTool({
      name: 'refund',
      description: 'Gives the money of an invoice back.',
      effect: 'HIGH_RISK_EXTERNAL',
      operation: ['/invoice'],
      input,
      consequence: ({ invoice }) => `Refund ${invoice}.`,
      verify: () => ({ status: 'verified' }),
      execute: ({ invoice }) => ({ refunded: invoice }),
    })
    const ledger = watch(await postgres(url, quiet))
    const proviso = await openProviso({ ledger, tools: [refund], identity: people, sweepMs: hour })
    return {
      async act() {
        const waiting = await proviso.call(proposal('refund', 'INV-1'), context)
        const packetHash = waiting.approval?.packetHash ?? ''
        await proviso.approvals.approve(waiting.approval?.id ?? '', { credential, packetHash })
        expectEqual((await proviso.call(proposal('refund', 'INV-1'), context)).effect, 'happened')
      },
      end: () => proviso.close(),
    }
  },
}

const recovery: Walk = {
  name: 'recovery',
  does: 'an attempt whose process is gone, found and read back by another process',
  begins: 'proviso.recover',
  async stage(url, watch) {
    let isStarted = false
    const send = defineTool({
      name: 'send',
      description: 'Sends an invoice.',
      effect: 'MEDIUM_RISK_WRITE',
      timeoutMs: 1_000,
      recovery: { horizonMs: 10 },
      input,
      verify: () => ({ status: 'verified' }),
      execute() {
        isStarted = true
        return new Promise<never>(() => undefined)
      },
    })
    const leaseMs = 100
    const doomed = await postgres(url, { ...quiet, leaseMs })
    const first = await openProviso({ ledger: doomed, tools: [send], sweepMs: hour })
    void first.call(proposal('send', 'INV-1'), context)
    while (!isStarted) await sleep(5)
    // Its lease is renewed no more, and its session ends.
    await doomed.close()
    const ledger = watch(await postgres(url, { ...quiet, leaseMs }))
    const next = await openProviso({ ledger, tools: [send], sweepMs: hour })
    await sleep(2 * leaseMs)
    return {
      async act() {
        const until = performance.now() + 20_000
        let ends = await next.recover()
        while (ends.length === 0 && performance.now() < until) {
          await sleep(50)
          ends = await next.recover()
        }
        expectEqual(ends[0], 'happened')
      },
      end: () => next.close(),
    }
  },
}

const saga: Walk = {
  name: 'saga',
  does: 'a saga of two steps whose second fails, so that the first is undone',
  begins: 'saga.start',
  async stage(url, watch) {
    const step = { description: 'One step of a trip.', effect: 'MEDIUM_RISK_WRITE', input, trusted: true } as const
    const verify = () => ({ status: 'verified' as const })
    const back = { invoice: { $from: '/arguments/invoice' }, booking: { $from: '/result/booking' } } as const
    const tools = [
      defineTool({
        ...step,
        name: 'hotel',
        verify,
        compensation: { tool: 'cancel', arguments: back },
        execute: () => ({ booking: 'b1' }),
      }),
      defineTool({ ...step, name: 'cancel', verify, execute: () => ({ canceled: true }) }),
      defineTool({
        ...step,
        name: 'flight',
        verify,
        execute() {
          throw new ToolError('full', 'The flight is full.', { effect: 'none' })
        },
      }),
    ]
    const arguments_ = { invoice: { $from: '/input/invoice' } } as const
    const definition: SagaDefinition = {
      name: 'trip',
      pivot: 'flight',
      steps: [
        { id: 'hotel', tool: 'hotel', arguments: arguments_ },
        { id: 'flight', tool: 'flight', arguments: arguments_ },
      ],
    }
    const proviso: Proviso = await openProviso({ ledger: watch(await postgres(url, quiet)), tools, sweepMs: hour })
    const trip = proviso.saga(definition)
    return {
      async act() {
        expectEqual((await trip.start({ invoice: 'INV-1' }, context)).state, 'COMPENSATED')
      },
      end: () => proviso.close(),
    }
  },
}

export const walks: readonly Walk[] = [call, recovery, approval, saga]
