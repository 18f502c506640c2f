// The third act: billing in one go, as a saga. One customer gets a receipt; of the other the mailbox is gone, so the money goes back and the
// draft is taken back, in reverse and without asking a person again.
import type { SagaState, SagaView } from '../../../src/index.ts'
import { cashier, tenant } from '../clerk.ts'
import { approve, type Person } from '../people.ts'
import { type BillingOrder, billCustomer } from '../saga.ts'
import type { Stage } from '../step.ts'
import { countEffects, type EffectCounts } from '../world/desk.ts'
import { difference } from './report.ts'

export interface SagaReport {
  readonly title: string
  readonly saga_id: string
  readonly state: SagaState
  readonly steps: readonly { readonly id: string; readonly tool: string; readonly state: string }[]
  /** Who was asked, for which step. */
  readonly approvals: readonly { readonly step: string; readonly by: readonly Person[] }[]
  readonly turned: string | null
  /** The journal, one line each. */
  readonly journal: readonly string[]
  readonly added: Partial<EffectCounts>
  readonly says: string
  readonly surprises: readonly string[]
}

interface Played {
  readonly title: string
  readonly order: BillingOrder
  readonly state: SagaState
  readonly steps: readonly string[]
  readonly adds: Partial<EffectCounts>
  readonly says: string
}

const order = (reference: string, customer_id: string): BillingOrder => ({
  draft: {
    draft_reference: reference,
    customer_id,
    currency: 'EUR',
    issue_date: '2026-11-15',
    due_date: '2026-12-15',
    line_items: [{ description: 'Proofing, November', quantity: 2, unit_price_cents: 10_000, vat_percent: 21 }],
    total_cents: 24_200,
  },
})

const plays: readonly Played[] = [
  {
    title: 'Billing in one go: draft, charge, receipt, entry in the books',
    order: order('BRANDT-SAGA-1', 'cus_brandt'),
    state: 'COMPLETED',
    steps: ['done', 'done', 'done', 'done'],
    adds: { drafts: 1, charges: 1, mails: 1, entries: 1 },
    says: 'Every call was written down before it was made; people were asked where the contracts say so, and nothing waited on a stack.',
  },
  {
    title: 'The same for a customer whose mailbox is gone',
    order: order('MIRADOR-SAGA-1', 'cus_mirador'),
    state: 'COMPENSATED',
    steps: ['undone', 'undone', 'failed', 'open'],
    adds: { drafts: 1, charges: 1, refunds: 1, voidings: 1 },
    says: 'The receipt is the pivot and failed without effect: the charge was refunded, then the draft taken back. Who approved the charge approved that it may be undone.',
  },
]

const approvers: Readonly<Record<string, readonly Person[]>> = { charge: ['ines', 'tomas'], receipt: ['ines'] }

export async function playSagas(stage: Stage): Promise<readonly SagaReport[]> {
  const reports: SagaReport[] = []
  for (const play of plays) reports.push(await playSaga(stage, play))
  return reports
}

async function playSaga({ desk, proviso }: Stage, play: Played): Promise<SagaReport> {
  const before = await countEffects(desk)
  const run = `run_${play.order.draft.draft_reference.toLowerCase()}`
  // #region start
  let view = await proviso.saga(billCustomer).start(play.order, { ...cashier, run })
  const approvals: { step: string; by: readonly Person[] }[] = []
  while (view.waiting?.for === 'approval') {
    const { step, approval = '' } = view.waiting
    const by = approvers[step] ?? []
    approvals.push({ step, by })
    await approve(proviso, approval, ...by)
    const now = await proviso.sagas.get(view.id, tenant)
    if (now === undefined || now.waiting?.step === step) break
    view = now
  }
  // #endregion start
  const added = difference(before, await countEffects(desk))
  const journal = (await proviso.sagas.journal(view.id, tenant)).map((line) => {
    const step = 'step' in line ? ` ${line.step}` : ''
    const way = 'direction' in line && line.direction === 'backward' ? ' back' : ''
    const end = line.kind === 'ended' ? `: ${line.class}, effect ${line.effect}` : ''
    return `${line.seq} ${line.kind}${way}${step}${end}`
  })
  return {
    title: play.title,
    saga_id: view.id,
    state: view.state,
    steps: view.steps.map(({ id, tool, state }) => ({ id, tool, state })),
    approvals,
    turned: view.turned === undefined ? null : `${view.turned.step}: ${view.turned.message}`,
    journal,
    added,
    says: play.says,
    surprises: surprisesOf(play, view, added),
  }
}

function surprisesOf(play: Played, view: SagaView, added: Partial<EffectCounts>): readonly string[] {
  const sorted = (counts: Partial<EffectCounts>) => JSON.stringify(Object.entries(counts).sort())
  const rows = [
    ['state', play.state, view.state],
    ['steps', play.steps.join(), view.steps.map(({ state }) => state).join()],
    ['added', sorted(play.adds), sorted(added)],
  ] as const
  return rows
    .filter(([, wanted, got]) => wanted !== got)
    .map(([what, wanted, got]) => `${what}: expected ${wanted}, got ${got}`)
}
