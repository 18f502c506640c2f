// What the scripted agent proposes, step by step, and what each step must come to. The demo plays this table and holds itself to it.
import { approve } from './people.ts'
import { propose, type Stage, type Step } from './step.ts'
import type { EffectCounts } from './world/desk.ts'

const tablets = (quantity: unknown, unit_price_cents: number) => [
  { description: 'Workshop software, November', quantity: 1, unit_price_cents: 24_900, vat_percent: 25 },
  { description: 'Bench tablet', quantity, unit_price_cents, vat_percent: 25 },
]

const draft = (line_items: unknown, total_cents: number) => ({
  draft_reference: 'HALDEN-2026-11',
  customer_id: 'cus_halden',
  currency: 'EUR',
  issue_date: '2026-11-01',
  due_date: '2026-12-01',
  line_items,
  total_cents,
})

const mail = (email: string) => ({
  invoice_id: 'inv_1007',
  to: { customer_id: 'cus_halden', email },
  subject: 'Your October invoice',
  body: 'As you asked, here is your invoice for October.',
  attach_invoice: true,
})

const resolve = (expected_version: number) => ({
  ticket_id: 'tck_301',
  expected_version,
  change: { status: 'resolved', comment: 'Invoice inv_1007 sent to the customer.' },
})

const rightMail = mail('accounts@halden.example.com')
const rightDraft = draft(tablets(3, 38_000), 173_625)

export const scenario: readonly Step[] = [
  {
    title: 'The agent reads the invoice that a ticket is about',
    proposal: propose('call_01', 'fetch_invoice_v1', { invoice_id: 'inv_1007' }),
    expect: { class: 'SUCCESS', effect: 'none' },
    says: 'A read costs nothing to adopt: validated, permitted, recorded, and no effect.',
  },
  {
    title: 'It renders a preview',
    proposal: propose('call_02', 'render_invoice_preview_v1', {
      invoice_id: 'inv_1007',
      format: 'text',
      layout: { language: 'en', show_vat: true },
    }),
    expect: { class: 'SUCCESS', effect: 'happened', adds: 'previews' },
    says: 'A file was written and read back by its hash.',
  },
  {
    title: 'It calls a tool that does not exist',
    proposal: propose('call_03', 'send_invoice_mail_v1', rightMail),
    expect: { class: 'STRUCTURAL_VIOLATION', effect: 'none', endedBy: 'resolve' },
    says: 'Nothing is guessed; the nearest name is told.',
  },
  {
    title: 'It drafts an invoice with a wrong argument deep inside',
    proposal: propose('call_04', 'create_invoice_draft_v2', draft(tablets('3', 38_000), 173_625)),
    expect: { class: 'TYPE_MISMATCH', effect: 'none', endedBy: 'types' },
    says: 'The path leads to the very value. It is not coerced: "3" might have been meant as something else.',
  },
  {
    title: 'Repaired, but the sum is wrong',
    proposal: propose('call_05', 'create_invoice_draft_v2', draft(tablets(3, 38_000), 137_625)),
    expect: { class: 'SEMANTIC_INVALIDITY', effect: 'none', endedBy: 'semantics' },
    says: 'A rule that no JSON Schema can express.',
  },
  {
    title: 'Repaired again',
    proposal: propose('call_06', 'create_invoice_draft_v2', rightDraft),
    expect: { class: 'SUCCESS', effect: 'happened', adds: 'drafts' },
    says: 'All gates passed, executed once, read back.',
  },
  {
    title: 'The connection dropped, so it sends the same draft once more',
    proposal: propose('call_07', 'create_invoice_draft_v2', rightDraft),
    expect: { class: 'SUCCESS', effect: 'happened', endedBy: 'recall' },
    says: 'The recorded answer comes back. There is still one draft.',
  },
  {
    title: 'It uses the same draft reference with another amount',
    proposal: propose('call_08', 'create_invoice_draft_v2', draft(tablets(3, 41_000), 184_875)),
    expect: { class: 'SIGNATURE_MISMATCH', effect: 'happened', endedBy: 'recall' },
    says: 'One operation, one content. "happened" speaks of the first draft; this one was not written.',
  },
  {
    title: 'It e-mails the invoice to an address it made up',
    proposal: propose('call_09', 'send_invoice_email_v1', mail('finance@halden.example.net')),
    expect: { class: 'SEMANTIC_INVALIDITY', effect: 'none', endedBy: 'semantics' },
    says: 'Refused before any person is bothered with it.',
  },
  {
    title: 'It e-mails the invoice to the customer',
    proposal: propose('call_10', 'send_invoice_email_v1', rightMail),
    expect: { class: 'CONFIRMATION_MISSING', effect: 'pending', endedBy: 'confirm' },
    says: 'An e-mail cannot be unsent, so a person decides. Nothing was sent, and nothing waits on a stack.',
  },
  {
    title: 'The same call again, now approved',
    meanwhile: { says: 'Ines reads the packet and approves it.', act: approvePending },
    proposal: propose('call_10', 'send_invoice_email_v1', rightMail),
    expect: { class: 'SUCCESS', effect: 'happened', adds: 'mails' },
    says: 'All gates were judged again after the wait; then one mail went out, and the outbox was read back.',
  },
  {
    title: 'The model loses its memory and sends the same mail again',
    proposal: propose('call_12', 'send_invoice_email_v1', rightMail),
    expect: { class: 'SUCCESS', effect: 'happened', endedBy: 'recall' },
    says: 'Another call id, the same mail in the same run: the duplicate sent nothing, and no person was asked twice.',
  },
  {
    title: 'It resolves the ticket, as it last saw it',
    meanwhile: { says: 'Ola raises the priority of the ticket: version 3 becomes 4.', act: changeTicket },
    proposal: propose('call_13', 'update_ticket_v1', resolve(3)),
    expect: { class: 'STALE_STATE', effect: 'none', endedBy: 'state' },
    says: "Ola's change would have been overwritten unseen.",
  },
  {
    title: 'It reads again',
    proposal: propose('call_14', 'fetch_invoice_v1', { invoice_id: 'inv_1007' }),
    expect: { class: 'SUCCESS', effect: 'none' },
    says: 'The ticket comes with the invoice, in its new version.',
  },
  {
    title: 'And resolves the ticket it has now seen',
    proposal: propose('call_15', 'update_ticket_v1', resolve(4)),
    expect: { class: 'SUCCESS', effect: 'happened', adds: 'ticket_changes' },
    says: 'The version fits.',
  },
  {
    title: 'It voids the duplicate invoice, giving a reason of its own',
    proposal: propose('call_16', 'void_invoice_v1', {
      invoice_id: 'inv_1008',
      expected_version: 1,
      reason: 'invoiced twice',
      note: null,
    }),
    expect: { class: 'OUT_OF_BOUNDS', effect: 'none', endedBy: 'constraints' },
    says: 'Reasons for voiding are four, not a matter of style.',
  },
  {
    title: 'With a reason from the list',
    proposal: propose('call_17', 'void_invoice_v1', {
      invoice_id: 'inv_1008',
      expected_version: 1,
      reason: 'duplicate',
      note: 'Same as inv_1007.',
    }),
    expect: { class: 'SUCCESS', effect: 'happened', adds: 'voidings' },
    says: 'Voided once; it stays in the books.',
  },
]

/** What must be in the world at the end. Of the two ticket changes one is Ola's. On a durable ledger money moved, two customers were billed by a saga, and a crash happened. */
export const expectedCounts = (durable: boolean): EffectCounts => ({
  previews: 1,
  drafts: durable ? 3 : 1,
  ticket_changes: 2,
  mails: durable ? 3 : 1,
  voidings: durable ? 2 : 1,
  charges: durable ? 4 : 0,
  refunds: durable ? 4 : 0,
  entries: durable ? 1 : 0,
})

async function approvePending({ proviso }: Stage): Promise<readonly string[]> {
  for (const { id } of await proviso.approvals.list({ status: 'pending' })) await approve(proviso, id, 'ines')
  return []
}

async function changeTicket({ desk }: Stage): Promise<readonly string[]> {
  const origin = { call_id: 'by hand', by: 'ola', key: 'by hand', at: new Date().toISOString() }
  await desk.ticketChanges.append({ ...origin, ticket_id: 'tck_301', change: { priority: 'high' } })
  return []
}
