// The billing desk: one tenant's world, kept in one folder. The data set is the morning's state, the journals are what happened since;
// what is true now is always read from both, so two processes on one folder see the same world.
import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type CardEntry, type CardProvider, openCardProvider } from './card-provider.ts'
import { customers, invoices, tickets } from './data-set.ts'
import { type Journal, openJournal } from './journal.ts'
import { type MailProvider, openMailProvider } from './mail-provider.ts'
import { totalOf } from './money.ts'
import type { Customer, Draft, Entry, Invoice, Ticket, TicketChange, Voiding } from './records.ts'

export interface Desk {
  readonly folder: string
  /** Fixed for the life of a desk, so that rules may rely on it. */
  readonly customers: ReadonlyMap<string, Customer>
  readonly drafts: Journal<Draft>
  readonly voidings: Journal<Voiding>
  readonly entries: Journal<Entry>
  readonly ticketChanges: Journal<TicketChange>
  readonly mail: MailProvider
  readonly cards: CardProvider
  readonly previews: string
  invoice(id: string): Promise<Invoice | undefined>
  ticket(id: string): Promise<Ticket | undefined>
}

export interface EffectCounts {
  readonly previews: number
  readonly drafts: number
  readonly ticket_changes: number
  readonly mails: number
  readonly voidings: number
  readonly charges: number
  readonly refunds: number
  readonly entries: number
}

const files = {
  drafts: 'drafts.jsonl',
  voidings: 'voidings.jsonl',
  entries: 'entries.jsonl',
  ticketChanges: 'ticket-changes.jsonl',
  outbox: 'outbox.jsonl',
  mailRequests: 'mail-provider.jsonl',
  cards: 'card-provider.jsonl',
  previews: 'previews',
} as const

export async function openDesk(folder: string): Promise<Desk> {
  const previews = join(folder, files.previews)
  await mkdir(previews, { recursive: true })
  const drafts = openJournal<Draft>(join(folder, files.drafts))
  const voidings = openJournal<Voiding>(join(folder, files.voidings))
  const entries = openJournal<Entry>(join(folder, files.entries))
  const ticketChanges = openJournal<TicketChange>(join(folder, files.ticketChanges))
  const mail = openMailProvider(join(folder, files.outbox), join(folder, files.mailRequests))
  const cards = openCardProvider(join(folder, files.cards))
  return {
    folder,
    customers: new Map(customers.map((customer) => [customer.customer_id, customer])),
    drafts,
    voidings,
    entries,
    ticketChanges,
    mail,
    cards,
    previews,
    async invoice(id) {
      const drafted = (await drafts.read()).map((draft) => draft.invoice)
      const base = [...invoices, ...drafted].find((invoice) => invoice.invoice_id === id)
      return base === undefined ? undefined : brought(base, await voidings.read(), await cards.entries())
    },
    async ticket(id) {
      const base = tickets.find((ticket) => ticket.ticket_id === id)
      const changes = (await ticketChanges.read()).filter((entry) => entry.ticket_id === id)
      return base === undefined ? undefined : changes.reduce(changed, base)
    },
  }
}

/** An invoice brought up to date: each change since the morning counts one version up. */
function brought(base: Invoice, voidings: readonly Voiding[], entries: readonly CardEntry[]): Invoice {
  const ours = <Entry extends { readonly invoice_id: string }>(entry: Entry) => entry.invoice_id === base.invoice_id
  const charges = entries.filter((entry) => entry.kind === 'charge').filter(ours)
  const refunds = entries.filter((entry) => entry.kind === 'refund').filter(ours)
  const voided = voidings.filter(ours)
  const refunded = refunds.reduce((sum, refund) => sum + refund.amount_cents, 0)
  const paid = charges.length > 0 ? 'paid' : base.status
  const settled = refunds.length > 0 && refunded >= totalOf(base.line_items) ? 'refunded' : paid
  return {
    ...base,
    status: voided.length > 0 ? 'void' : settled,
    version: base.version + charges.length + refunds.length + voided.length,
  }
}

function changed(ticket: Ticket, { change: { comment: _, ...fields } }: TicketChange): Ticket {
  return { ...ticket, ...fields, version: ticket.version + 1 }
}

/** What really happened since the morning, counted on disk. */
export async function countEffects(desk: Desk): Promise<EffectCounts> {
  const paid = await desk.cards.entries()
  return {
    previews: (await readdir(desk.previews)).length,
    drafts: (await desk.drafts.read()).length,
    ticket_changes: (await desk.ticketChanges.read()).length,
    mails: (await desk.mail.outbox()).length,
    voidings: (await desk.voidings.read()).length,
    charges: paid.filter((entry) => entry.kind === 'charge').length,
    refunds: paid.filter((entry) => entry.kind === 'refund').length,
    entries: (await desk.entries.read()).length,
  }
}

/** Back to the morning: removes what a desk writes, and nothing else that may lie in the folder. */
export async function clearDesk(folder: string): Promise<void> {
  await Promise.all(Object.values(files).map((name) => rm(join(folder, name), { recursive: true, force: true })))
}
