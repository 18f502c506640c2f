// Each tool of the billing desk: what it does when all is well, and what it refuses. Effects are counted on disk.
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { billingTools } from '../../examples/billing/tools.ts'
import { charges, customers, invoices, tickets } from '../../examples/billing/world/data-set.ts'
import { countEffects, openDesk } from '../../examples/billing/world/desk.ts'
import { totalOf } from '../../examples/billing/world/money.ts'
import { effects } from '../../src/public/tables.ts'
import { approveAs, rejectAs } from '../people.ts'
import { callApproved, done, lines, newFolder, openWorld, outcome, refused } from './billing-world.ts'

const draft = {
  draft_reference: 'BRANDT-1',
  customer_id: 'cus_brandt',
  currency: 'EUR',
  issue_date: '2026-11-01',
  due_date: '2026-12-01',
  line_items: [{ description: 'Lens cleaning', quantity: 3, unit_price_cents: 1_999, vat_percent: 19 }],
  total_cents: 7_136,
}

const mail = {
  invoice_id: 'inv_1009',
  to: { customer_id: 'cus_brandt', email: 'rechnung@brandt.example.com' },
  subject: 'Your invoice',
  body: 'Here it is.',
  attach_invoice: true,
}

const charge = { invoice_id: 'inv_1007', customer_id: 'cus_halden', amount: { cents: 126_125, currency: 'EUR' } }

describe('the tools', () => {
  it('cover all six effect classes under their names [TC-022]', async () => {
    const { everyday, critical } = billingTools(await openDesk(await newFolder()))
    const byName = [...everyday, ...critical].map(({ contract }) => [
      contract.identity.name,
      contract.transactional.side_effect_class,
    ])
    expect(Object.fromEntries(byName)).toEqual({
      fetch_invoice_v1: 'READ_ONLY',
      read_ticket_v1: 'READ_ONLY',
      research_company_v1: 'READ_ONLY',
      render_invoice_preview_v1: 'EPHEMERAL_WRITE',
      create_invoice_draft_v2: 'LOW_RISK_INTERNAL',
      update_ticket_v1: 'MEDIUM_RISK_WRITE',
      send_invoice_email_v1: 'HIGH_RISK_EXTERNAL',
      charge_customer_card_v2: 'CRITICAL_MUTATION',
      refund_charge_v1: 'CRITICAL_MUTATION',
      void_invoice_v1: 'MEDIUM_RISK_WRITE',
    })
    expect(new Set(byName.map(([, effectClass]) => effectClass))).toEqual(new Set(Object.keys(effects)))
  })

  it('stand on a data set that agrees with itself', () => {
    const byId = new Map(customers.map((customer) => [customer.customer_id, customer]))
    for (const invoice of invoices) expect(byId.get(invoice.customer_id)?.currency).toBe(invoice.currency)
    const totals = new Map(invoices.map((invoice) => [invoice.invoice_id, totalOf(invoice.line_items)]))
    for (const { invoice_id, amount_cents } of charges) expect(totals.get(invoice_id)).toBe(amount_cents)
    for (const { invoice_id } of tickets) expect(invoice_id === null || totals.has(invoice_id)).toBe(true)
  })

  it('refuse whoever lacks the scope, the run or the tenant', async () => {
    const { call } = await openWorld()
    const readOnly = { scopes: ['billing:read'] }
    expect(outcome(await call('create_invoice_draft_v2', draft, readOnly))).toEqual(refused('PERMISSION_DENIED', '$'))
    expect(outcome(await call('create_invoice_draft_v2', draft, { run: '' }))).toEqual(
      refused('PERMISSION_DENIED', '$'),
    )
    expect(outcome(await call('fetch_invoice_v1', { invoice_id: 'inv_1001' }, { tenant: '' }))).toEqual(
      refused('PERMISSION_DENIED', '$'),
    )
  })
})

describe('fetch_invoice_v1', () => {
  it('reads an invoice as it is now, with the tickets about it', async () => {
    const { call } = await openWorld()
    await call('update_ticket_v1', { ticket_id: 'tck_301', expected_version: 3, change: { priority: 'high' } })
    const answer = await call('fetch_invoice_v1', { invoice_id: 'inv_1007' })
    expect(answer.effect).toBe('none')
    expect(answer.value).toMatchObject({
      status: 'open',
      total_cents: 126_125,
      tickets: [{ ticket_id: 'tck_301', version: 4 }],
    })
  })

  it('says that there is no such invoice', async () => {
    const { call } = await openWorld()
    const answer = await call('fetch_invoice_v1', { invoice_id: 'inv_9999' })
    expect(outcome(answer)).toEqual(refused('SEMANTIC_INVALIDITY', '$'))
    expect(answer.feedback?.field_errors[0]?.message).toContain('inv_9999')
  })
})

describe('render_invoice_preview_v1', () => {
  const args = { invoice_id: 'inv_1003', format: 'html', layout: { language: 'fr', show_vat: true } }

  it('writes the file it names, with markup in descriptions escaped', async () => {
    const { call, desk } = await openWorld()
    const answer = await call('render_invoice_preview_v1', args)
    expect(outcome(answer)).toEqual(done)
    const html = await readFile(join(desk.previews, 'inv_1003.fr.html'), 'utf8')
    expect(html).toContain('Fenwick &amp; Rowe Ltd')
    expect(answer.value).toMatchObject({ file: 'previews/inv_1003.fr.html', bytes: Buffer.byteLength(html) })
  })

  it('refuses a name that would lead out of its folder', async () => {
    const { call, desk } = await openWorld()
    const answer = await call('render_invoice_preview_v1', { ...args, invoice_id: '../../inv_1003' })
    expect(outcome(answer)).toEqual(refused('OUT_OF_BOUNDS', 'invoice_id'))
    expect(await readdir(desk.previews)).toEqual([])
  })

  it('names the nested field that is missing and the one that is unknown', async () => {
    const { call } = await openWorld()
    const answer = await call('render_invoice_preview_v1', { ...args, layout: { lang: 'fr', show_vat: true } })
    const { class: name, fields } = outcome(answer)
    expect(name).toBe('STRUCTURAL_VIOLATION')
    expect(fields.every((field) => field.startsWith('layout'))).toBe(true)
  })
})

describe('create_invoice_draft_v2', () => {
  it('writes one draft, which can then be read and voided', async () => {
    const { call, desk } = await openWorld()
    expect(outcome(await call('create_invoice_draft_v2', draft))).toEqual(done)
    expect((await call('fetch_invoice_v1', { invoice_id: 'draft_brandt-1' })).value).toMatchObject({
      status: 'draft',
      total_cents: 7_136,
    })
    const args = { invoice_id: 'draft_brandt-1', expected_version: 1, reason: 'internal_error', note: null }
    expect(outcome(await call('void_invoice_v1', args))).toEqual(done)
    expect(await lines(desk.folder, 'drafts.jsonl')).toBe(1)
  })

  it('answers the same reference from the record in any run, and refuses it with another amount', async () => {
    const { call, desk } = await openWorld()
    await call('create_invoice_draft_v2', draft)
    const again = await call('create_invoice_draft_v2', draft, { run: 'run_2' })
    expect(again.observation.execution_metadata.idempotency_hit).toBe(true)
    const other = { ...draft, line_items: [{ ...draft.line_items[0], quantity: 4 }], total_cents: 9_515 }
    expect(outcome(await call('create_invoice_draft_v2', other))).toMatchObject({
      class: 'SIGNATURE_MISMATCH',
      effect: 'happened',
    })
    expect(await lines(desk.folder, 'drafts.jsonl')).toBe(1)
  })

  it.each([
    ['an unknown customer', { customer_id: 'cus_nobody' }, 'customer_id'],
    ['another currency than agreed', { currency: 'USD' }, 'currency'],
    ['a due date before the issue date', { due_date: '2026-10-01' }, 'due_date'],
    ['a total that is not the sum', { total_cents: 7_135 }, 'total_cents'],
  ])('refuses %s [TC-087]', async (_what, change, field) => {
    const { call, desk } = await openWorld()
    expect(outcome(await call('create_invoice_draft_v2', { ...draft, ...change }))).toEqual(
      refused('SEMANTIC_INVALIDITY', field),
    )
    expect(await lines(desk.folder, 'drafts.jsonl')).toBe(0)
  })

  it('is told to be undone when the draft is not in the books afterwards', async () => {
    const { call, proviso } = await openWorld((desk) => ({ drafts: { ...desk.drafts, append: async () => {} } }))
    expect(outcome(await call('create_invoice_draft_v2', draft))).toMatchObject({
      class: 'COMPENSATION_REQUIRED',
      effect: 'happened',
    })
    expect(await proviso.escalations.list()).toHaveLength(1)
  })
})

describe('update_ticket_v1', () => {
  const args = { ticket_id: 'tck_304', expected_version: 2, change: { status: 'waiting', assignee: null } }

  it('changes the version that was seen, once', async () => {
    const { call, desk } = await openWorld()
    expect(outcome(await call('update_ticket_v1', args))).toEqual(done)
    const again = await call('update_ticket_v1', args)
    expect(again.observation.result_payload.warnings.join()).toContain('deduplicated')
    expect(await desk.ticket('tck_304')).toMatchObject({ status: 'waiting', assignee: null, version: 3 })
    expect(await lines(desk.folder, 'ticket-changes.jsonl')).toBe(1)
  })

  it('refuses a version that is no longer, and a ticket that is not', async () => {
    const { call, desk } = await openWorld()
    expect(outcome(await call('update_ticket_v1', { ...args, expected_version: 1 }))).toEqual(
      refused('STALE_STATE', 'expected_version'),
    )
    expect(outcome(await call('update_ticket_v1', { ...args, ticket_id: 'tck_999' }))).toEqual(
      refused('STALE_STATE', '$'),
    )
    expect(await lines(desk.folder, 'ticket-changes.jsonl')).toBe(0)
  })

  it('lets one of two agents win that change the same version at once', async () => {
    const { call, desk } = await openWorld()
    const answers = await Promise.all(
      ['run_a', 'run_b'].map((run) => call('update_ticket_v1', { ...args, change: { comment: run } }, { run })),
    )
    expect(answers.map(({ response }) => response.error_code).sort()).toEqual(['STALE_STATE', 'SUCCESS'])
    expect(await lines(desk.folder, 'ticket-changes.jsonl')).toBe(1)
  })

  it('wants to know how a ticket was resolved, and that something is changed at all', async () => {
    const { call } = await openWorld()
    const resolved = await call('update_ticket_v1', { ...args, change: { status: 'resolved' } })
    expect(outcome(resolved)).toEqual(refused('SEMANTIC_INVALIDITY', 'change.comment'))
    expect(outcome(await call('update_ticket_v1', { ...args, change: {} }))).toMatchObject({
      effect: 'none',
      fields: ['change'],
    })
  })
})

describe('send_invoice_email_v1', () => {
  it('waits for a person, is sent once, and duplicates send nothing', async () => {
    const world = await openWorld()
    expect(outcome(await callApproved(world, 'send_invoice_email_v1', mail))).toEqual(done)
    const again = await Promise.all(Array.from({ length: 5 }, () => world.call('send_invoice_email_v1', mail)))
    expect(again.every(({ observation }) => observation.execution_metadata.idempotency_hit)).toBe(true)
    expect(await lines(world.desk.folder, 'outbox.jsonl')).toBe(1)
    expect((await world.proviso.approvals.list()).length).toBe(1)
  })

  it('sends once however many identical calls race after the approval', async () => {
    const world = await openWorld()
    const asked = await world.call('send_invoice_email_v1', mail)
    await approveAs(world.proviso, asked.approval?.id ?? '', 'ann')
    await Promise.all(Array.from({ length: 10 }, () => world.call('send_invoice_email_v1', mail)))
    expect(await lines(world.desk.folder, 'outbox.jsonl')).toBe(1)
  })

  it('shows the person what will happen, and sends nothing once rejected [TC-228]', async () => {
    const { call, proviso, desk } = await openWorld()
    const asked = await call('send_invoice_email_v1', mail)
    const [approval] = await proviso.approvals.list({ status: 'pending' })
    expect(approval?.packet.consequence).toContain('rechnung@brandt.example.com')
    expect(approval?.packet.beforeState).toMatchObject({ status: 'open' })
    await rejectAs(proviso, asked.approval?.id ?? '', 'ann', 'wrong month')
    const answer = await call('send_invoice_email_v1', mail)
    expect(outcome(answer)).toMatchObject({ class: 'CONFIRMATION_MISSING', effect: 'none' })
    expect(await lines(desk.folder, 'outbox.jsonl')).toBe(0)
  })

  it('asks nobody about a wrong address, another customer or an invoice that is not open', async () => {
    const { call, proviso } = await openWorld()
    const elsewhere = { ...mail, to: { ...mail.to, email: 'rechnung@brandt.example.net' } }
    expect(outcome(await call('send_invoice_email_v1', elsewhere))).toEqual(refused('SEMANTIC_INVALIDITY', 'to.email'))
    const stranger = { ...mail, to: { customer_id: 'cus_halden', email: 'accounts@halden.example.com' } }
    expect(outcome(await call('send_invoice_email_v1', stranger))).toEqual(refused('STALE_STATE', 'to.customer_id'))
    const paid = { ...mail, invoice_id: 'inv_1001', to: stranger.to }
    expect(outcome(await call('send_invoice_email_v1', paid))).toEqual(refused('STALE_STATE', '$'))
    expect(await proviso.approvals.list()).toEqual([])
  })

  it('reports a mail that was accepted and is not in the outbox [TC-079, TC-418]', async () => {
    const world = await openWorld(({ mail: provider }) => ({ mail: { ...provider, outbox: async () => [] } }))
    const answer = await callApproved(world, 'send_invoice_email_v1', mail)
    expect(outcome(answer)).toMatchObject({ class: 'COMPENSATION_REQUIRED', effect: 'happened' })
    expect(await world.proviso.escalations.list()).toHaveLength(1)
  })

  it('reports a mail that went out without its attachment', async () => {
    const world = await openWorld(({ mail: provider }) => ({
      mail: { ...provider, send: (content, origin) => provider.send({ ...content, attachments: [] }, origin) },
    }))
    expect(outcome(await callApproved(world, 'send_invoice_email_v1', mail))).toMatchObject({
      class: 'PARTIAL_SUCCESS',
      effect: 'happened',
    })
  })
})

describe('the mail provider', () => {
  it('answers a repeated key from its memory, and refuses it for another mail', async () => {
    const { desk } = await openWorld()
    const origin = { call_id: 'c', by: 'ann', key: 'one-key-for-both', at: '2026-11-01T00:00:00.000Z' }
    const content = { invoice_id: 'inv_1009', to: 'a@example.com', subject: 'Hi', body: 'Here.', attachments: [] }
    expect(await desk.mail.send(content, origin)).toMatchObject({ kind: 'sent' })
    expect(await desk.mail.send(content, origin)).toMatchObject({ kind: 'already_sent' })
    expect(await desk.mail.send({ ...content, body: 'There.' }, origin)).toEqual({ kind: 'key_reused' })
    expect(await desk.mail.outbox()).toHaveLength(1)
    expect((await desk.mail.requests()).map(({ outcome: said }) => said)).toEqual([
      'sent',
      'already_sent',
      'key_reused',
    ])
  })
})

describe('void_invoice_v1', () => {
  const args = { invoice_id: 'inv_1008', expected_version: 1, reason: 'duplicate', note: null }

  it('voids an open invoice once', async () => {
    const { call, desk } = await openWorld()
    expect(outcome(await call('void_invoice_v1', args))).toEqual(done)
    await call('void_invoice_v1', args)
    expect(await desk.invoice('inv_1008')).toMatchObject({ status: 'void', version: 2 })
    expect(await lines(desk.folder, 'voidings.jsonl')).toBe(1)
  })

  it('refuses a paid invoice, and a reason that is none of the four', async () => {
    const { call } = await openWorld()
    const paid = await call('void_invoice_v1', { ...args, invoice_id: 'inv_1001', expected_version: 3 })
    expect(outcome(paid)).toEqual(refused('STALE_STATE', '$'))
    expect(outcome(await call('void_invoice_v1', { ...args, reason: 'oops' }))).toEqual(
      refused('OUT_OF_BOUNDS', 'reason'),
    )
  })
})

describe('charge_customer_card_v2 and refund_charge_v1', () => {
  it('charge once with two approvals, and refund once [TC-218]', async () => {
    const world = await openWorld()
    const charged = await callApproved(world, 'charge_customer_card_v2', charge)
    expect(outcome(charged)).toEqual(done)
    expect(await world.desk.invoice('inv_1007')).toMatchObject({ status: 'paid' })
    const again = await world.call('charge_customer_card_v2', charge, { run: 'run_2' })
    expect(again.observation.execution_metadata.idempotency_hit).toBe(true)
    const { charge_id } = charged.value as { charge_id: string }
    const refund = { charge_id, amount: charge.amount, reason: 'customer_request' }
    expect(outcome(await callApproved(world, 'refund_charge_v1', refund))).toEqual(done)
    expect(await world.desk.invoice('inv_1007')).toMatchObject({ status: 'refunded' })
    expect(await lines(world.desk.folder, 'card-provider.jsonl')).toBe(2)
  })

  it('do nothing after the first of two approvals [TC-133]', async () => {
    const { call, proviso, desk } = await openWorld()
    const asked = await call('charge_customer_card_v2', charge)
    await approveAs(proviso, asked.approval?.id ?? '', 'ann')
    await approveAs(proviso, asked.approval?.id ?? '', 'ann')
    expect(outcome(await call('charge_customer_card_v2', charge))).toMatchObject({
      class: 'CONFIRMATION_MISSING',
      effect: 'pending',
    })
    expect(await lines(desk.folder, 'card-provider.jsonl')).toBe(0)
  })

  it('say that nothing was charged when the card is declined or missing', async () => {
    const world = await openWorld()
    const declined = { invoice_id: 'inv_1003', customer_id: 'cus_fenwick', amount: { cents: 85_920, currency: 'GBP' } }
    expect(outcome(await callApproved(world, 'charge_customer_card_v2', declined))).toEqual(
      refused('SEMANTIC_INVALIDITY', '$'),
    )
    const cardless = { invoice_id: 'inv_1004', customer_id: 'cus_solano', amount: { cents: 172_800, currency: 'USD' } }
    expect(outcome(await callApproved(world, 'charge_customer_card_v2', cardless))).toEqual(
      refused('SEMANTIC_INVALIDITY', '$'),
    )
    expect(await countEffects(world.desk)).toMatchObject({ charges: 0 })
  })

  it('refuse another amount than the total, and more money back than was taken', async () => {
    const { call } = await openWorld()
    const less = { ...charge, amount: { cents: 126_124, currency: 'EUR' } }
    expect(outcome(await call('charge_customer_card_v2', less))).toEqual(refused('STALE_STATE', 'amount.cents'))
    const refund = { charge_id: 'ch_before1', amount: { cents: 31_126, currency: 'EUR' }, reason: 'customer_request' }
    expect(outcome(await call('refund_charge_v1', refund))).toEqual(refused('STALE_STATE', '$'))
  })

  it('leave an invoice paid when only part of it was refunded', async () => {
    const world = await openWorld()
    const refund = { charge_id: 'ch_before1', amount: { cents: 1_000, currency: 'EUR' }, reason: 'customer_request' }
    expect(outcome(await callApproved(world, 'refund_charge_v1', refund))).toEqual(done)
    expect(await world.desk.invoice('inv_1001')).toMatchObject({ status: 'paid', version: 4 })
  })

  it('ask a provider that answers a repeated key from its memory, and leaves a trace of it', async () => {
    const { desk } = await openWorld()
    const customer = customers.find(({ customer_id }) => customer_id === 'cus_halden')
    if (customer === undefined) throw new Error('The data set has lost a customer.')
    const origin = { call_id: 'c', by: 'ann', key: 'one-key-for-both', at: '2026-11-01T00:00:00.000Z' }
    const request = { customer, invoiceId: 'inv_1007', amountCents: 126_125, currency: 'EUR', origin } as const
    expect(await desk.cards.charge(request)).toEqual(await desk.cards.charge(request))
    expect((await desk.cards.entries()).map(({ kind }) => kind)).toEqual(['charge', 'repeat'])
  })
})
