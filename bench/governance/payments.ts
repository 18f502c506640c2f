// What is paid in these races: five hundred payments of different amounts, out of one budget. The world is a folder of files that tools
// write and the judge counts without asking the ledger.
import { defineTool, type ToolSource } from '../../src/index.ts'
import { openWorld, type World } from '../faults/world.ts'

export const tenant = 'acme'
/** In cents. */
export const centsOf = (number: number): number => 1 + ((number * 7_919) % 1_999)
export const operationOf = (number: number): string => `payment-${number}`

/** Where an executor stands still for as long as its process lives: before its effect, or after it. */
export type Standstill = (number: number, where: 'before' | 'after') => Promise<void>

const goesOn: Standstill = () => Promise.resolve()

export interface PaymentDesk {
  readonly tools: readonly ToolSource[]
  readonly budgets: {
    readonly write: number
    readonly limits: readonly {
      readonly id: string
      readonly kind: 'financial'
      readonly per: 'tenant'
      readonly max: number
      readonly currency: string
    }[]
  }
  readonly world: World
}

export const limitId = 'all-payments'

export function paymentDesk(folder: string, budgetCents: number, standStill: Standstill = goesOn): PaymentDesk {
  const world = openWorld(folder)
  return {
    world,
    budgets: {
      write: 1_000_000,
      limits: [{ id: limitId, kind: 'financial', per: 'tenant', max: budgetCents / 100, currency: 'EUR' }],
    },
    tools: [
      defineTool({
        name: 'pay',
        description: 'Pays an amount.',
        effect: 'LOW_RISK_INTERNAL',
        input: {
          type: 'object',
          properties: { number: { type: 'integer' }, amount: { type: 'number' } },
          required: ['number', 'amount'],
          additionalProperties: false,
        },
        operation: ['/number'],
        amount: { pointer: '/amount', currency: { const: 'EUR' } },
        trusted: true,
        rate: { windowSec: 1, maxRequests: 1_000_000 },
        async execute({ number }) {
          await standStill(number, 'before')
          world.apply(operationOf(number))
          await standStill(number, 'after')
          return {}
        },
      }),
    ],
  }
}

export const proposalOf = (number: number) => ({
  tool: 'pay',
  arguments: { number, amount: centsOf(number) / 100 },
  callId: operationOf(number),
})

export const contextOf = (number: number) => ({ tenant, user: 'ann', run: `run-${number}` })
