// Billing a customer in one go: a draft, its charge, the receipt and the entry in the books. Until the receipt is out everything can be
// undone; once it is, the entry is tried until it is there.
import type { SagaDefinition } from '../../src/index.ts'

export interface BillingOrder {
  readonly draft: {
    readonly draft_reference: string
    readonly customer_id: string
    readonly currency: string
    readonly issue_date: string
    readonly due_date: string
    readonly line_items: readonly {
      readonly description: string
      readonly quantity: number
      readonly unit_price_cents: number
      readonly vat_percent: number
    }[]
    readonly total_cents: number
  }
}

// #region saga
export const billCustomer: SagaDefinition<BillingOrder> = {
  name: 'bill_customer',
  pivot: 'receipt',
  steps: [
    {
      id: 'draft',
      tool: 'create_invoice_draft_v2',
      arguments: { $from: '/input/draft' },
      compensate: {
        tool: 'withdraw_invoice_v1',
        arguments: { invoice_id: { $from: '/result/invoice_id' }, why: 'Billing did not come to its end.' },
      },
    },
    {
      id: 'charge', // undone by refund_charge_v1, as its contract and binding say
      tool: 'charge_customer_card_v2',
      arguments: {
        invoice_id: { $from: '/results/draft/invoice_id' },
        customer_id: { $from: '/input/draft/customer_id' },
        amount: { cents: { $from: '/results/draft/total_cents' }, currency: { $from: '/input/draft/currency' } },
      },
    },
    {
      id: 'receipt',
      tool: 'send_receipt_email_v1',
      arguments: {
        invoice_id: { $from: '/results/draft/invoice_id' },
        customer_id: { $from: '/input/draft/customer_id' },
        charge_id: { $from: '/results/charge/charge_id' },
      },
    },
    {
      id: 'entry',
      tool: 'book_entry_v1',
      arguments: {
        invoice_id: { $from: '/results/draft/invoice_id' },
        charge_id: { $from: '/results/charge/charge_id' },
        amount_cents: { $from: '/results/charge/amount_cents' },
      },
      retry: { attempts: 5, firstPauseMs: 200 },
    },
  ],
}
// #endregion saga
