// One process of the race: opens the ledger, makes its payments at once, and answers with what became of them. One that is to be killed
// brings its attempts to a standstill, half of them after their effect, and says when all of them have come to it.
import { openProviso, type Proviso } from '../../src/index.ts'
import { postgres } from '../../src/ledger/index.ts'
import { contextOf, paymentDesk, proposalOf } from './payments.ts'

export type Order =
  | {
      readonly kind: 'open'
      readonly url: string
      readonly world: string
      readonly budgetCents: number
      readonly doomed: boolean
    }
  | { readonly kind: 'pay'; readonly numbers: readonly number[] }

export type Report =
  | { readonly kind: 'ready' | 'opened' }
  | { readonly kind: 'paid'; readonly outcomes: readonly Outcome[] }
  /** All payments are refused or stand still. */
  | { readonly kind: 'standing'; readonly attempts: number }
  | { readonly kind: 'failed'; readonly message: string }

export interface Outcome {
  readonly number: number
  readonly class: string
}

let proviso: Proviso | undefined
let doomed = false
let open = 0
let standing = 0

const tell = (report: Report) => void process.send?.(report)

const standStill = (number: number, where: 'before' | 'after'): Promise<void> => {
  if (!doomed || (number % 2 === 0) !== (where === 'before')) return Promise.resolve()
  standing++
  tellStanding()
  return new Promise(() => undefined)
}

function tellStanding(): void {
  if (doomed && standing === open) tell({ kind: 'standing', attempts: standing })
}

async function obey(order: Order): Promise<void> {
  if (order.kind === 'open') {
    doomed = order.doomed
    const { tools, budgets } = paymentDesk(order.world, order.budgetCents, standStill)
    const ledger = await postgres(order.url, { connections: 3, leaseMs: 2_000, log: { sequence: false } })
    // Calls that are left behind are looked after when the race is over.
    proviso = await openProviso({ ledger, tools, budgets, sweepMs: 2_000_000_000 })
    return tell({ kind: 'opened' })
  }
  open = order.numbers.length
  const outcomes = await Promise.all(
    order.numbers.map(async (number): Promise<Outcome> => {
      const answer = await proviso?.call(proposalOf(number), contextOf(number))
      open--
      tellStanding()
      return { number, class: answer?.observation.status.taxonomy_class ?? '' }
    }),
  )
  tell({ kind: 'paid', outcomes })
}

process.on('message', (order: Order) => {
  obey(order).catch((error) => tell({ kind: 'failed', message: String(error) }))
})
// The process that started this one is gone: nothing is left to do.
process.on('disconnect', () => process.exit(0))
tell({ kind: 'ready' })
