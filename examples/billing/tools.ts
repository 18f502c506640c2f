// The ten tools of the billing desk, at least one for each effect class, and three that only its saga uses. The critical ones need a ledger
// that survives a crash.
import type { ToolSource } from '../../src/index.ts'
import { bookEntry } from './tools/book-entry.ts'
import { chargeCustomerCard } from './tools/charge-customer-card.ts'
import { createInvoiceDraft } from './tools/create-invoice-draft.ts'
import { fetchInvoice } from './tools/fetch-invoice.ts'
import { readTicket } from './tools/read-ticket.ts'
import { refundCharge } from './tools/refund-charge.ts'
import { renderInvoicePreview } from './tools/render-invoice-preview.ts'
import { researchCompany } from './tools/research-company.ts'
import { sendInvoiceEmail } from './tools/send-invoice-email.ts'
import { sendReceiptEmail } from './tools/send-receipt-email.ts'
import { updateTicket } from './tools/update-ticket.ts'
import { voidInvoice } from './tools/void-invoice.ts'
import { withdrawInvoice } from './tools/withdraw-invoice.ts'
import type { Desk } from './world/desk.ts'

export interface BillingTools {
  /** What any ledger may carry, memory included. */
  readonly everyday: readonly ToolSource[]
  /** What moves money. */
  readonly critical: readonly ToolSource[]
  /** Steps of the saga, and what undoes them. */
  readonly saga: readonly ToolSource[]
}

export function billingTools(desk: Desk): BillingTools {
  return {
    everyday: [
      fetchInvoice(desk),
      readTicket(desk),
      researchCompany(),
      renderInvoicePreview(desk),
      createInvoiceDraft(desk),
      updateTicket(desk),
      sendInvoiceEmail(desk),
      voidInvoice(desk),
    ],
    critical: [chargeCustomerCard(desk), refundCharge(desk)],
    saga: [withdrawInvoice(desk), sendReceiptEmail(desk), bookEntry(desk)],
  }
}
