// One process of the race for a quorum: decides as whom it is told to, and says what the approval came to.
import { openProviso, type Proviso } from '../../src/index.ts'
import { postgres } from '../../src/ledger/index.ts'
import { quorumDesk } from './quorum-desk.ts'

export type Order =
  | { readonly kind: 'open'; readonly url: string; readonly world: string }
  | { readonly kind: 'approve'; readonly id: string; readonly packetHash: string; readonly who: string }

export type Report =
  | { readonly kind: 'ready' | 'opened' }
  | { readonly kind: 'decided'; readonly status: string }
  | { readonly kind: 'failed'; readonly message: string }

let proviso: Proviso | undefined

const tell = (report: Report) => void process.send?.(report)

async function obey(order: Order): Promise<void> {
  if (order.kind === 'open') {
    const { tools, identity } = quorumDesk(order.world)
    const ledger = await postgres(order.url, { connections: 2, log: { sequence: false } })
    proviso = await openProviso({ ledger, tools, identity, sweepMs: 2_000_000_000 })
    return tell({ kind: 'opened' })
  }
  const { id, who, packetHash } = order
  const decided = await proviso?.approvals.approve(id, { credential: who, packetHash })
  tell({ kind: 'decided', status: decided?.status ?? '' })
}

process.on('message', (order: Order) => {
  obey(order).catch((error) => tell({ kind: 'failed', message: String(error) }))
})
process.on('disconnect', () => process.exit(0))
tell({ kind: 'ready' })
