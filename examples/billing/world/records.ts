// What the billing desk keeps, in the field names of its own files. Amounts are whole cents, so that no sum is ever rounded twice.

export type Currency = 'EUR' | 'USD' | 'GBP' | 'CHF'
export type VatPercent = 0 | 7 | 19 | 20 | 21 | 25
export type InvoiceStatus = 'draft' | 'open' | 'paid' | 'refunded' | 'void'
export type TicketStatus = 'new' | 'open' | 'waiting' | 'resolved'
export type TicketPriority = 'low' | 'normal' | 'high'

export interface Customer {
  readonly customer_id: string
  readonly name: string
  readonly email: string
  readonly currency: Currency
  /** What the card company will say: the test card of every payment provider. Null: no card on file. */
  readonly card: { readonly brand: string; readonly last4: string; readonly declines: boolean } | null
}

export interface LineItem {
  readonly description: string
  readonly quantity: number
  readonly unit_price_cents: number
  readonly vat_percent: VatPercent
}

export interface Invoice {
  readonly invoice_id: string
  readonly customer_id: string
  readonly status: InvoiceStatus
  readonly currency: Currency
  readonly issue_date: string
  readonly due_date: string
  readonly version: number
  readonly line_items: readonly LineItem[]
}

export interface Ticket {
  readonly ticket_id: string
  readonly invoice_id: string | null
  readonly subject: string
  /** What the customer wrote. */
  readonly message: string
  readonly status: TicketStatus
  readonly priority: TicketPriority
  readonly assignee: string | null
  readonly version: number
}

/** Every line that a tool writes says for which call, for whom, and under which idempotency key. */
export interface Origin {
  readonly call_id: string
  readonly by: string
  readonly key: string
  readonly at: string
}

export interface Draft extends Origin {
  readonly draft_reference: string
  readonly invoice: Invoice
}

export interface Voiding extends Origin {
  readonly invoice_id: string
  readonly reason: string
  readonly note: string | null
}

/** A payment in our own books. */
export interface Entry extends Origin {
  readonly invoice_id: string
  readonly charge_id: string
  readonly amount_cents: number
}

export interface TicketChange extends Origin {
  readonly ticket_id: string
  readonly change: {
    readonly status?: TicketStatus
    readonly priority?: TicketPriority
    readonly assignee?: string | null
    readonly comment?: string
  }
}

/** What is sent to the mail provider; nothing in it differs from one attempt to the next. */
export interface MailContent {
  readonly invoice_id: string
  readonly to: string
  readonly subject: string
  readonly body: string
  readonly attachments: readonly string[]
}

export interface Mail extends Origin, MailContent {
  readonly message_id: string
  /** SHA-256 of the request as it came. */
  readonly request_hash: string
}

export interface MailRequest extends Origin {
  readonly request_hash: string
  readonly outcome: 'sent' | 'already_sent' | 'key_reused' | 'no_mailbox'
}

/** What came in at the card provider; the hash is of the request as it came. */
interface CardRequest extends Origin {
  readonly request_hash: string
}

export interface Charge extends CardRequest {
  readonly kind: 'charge'
  readonly charge_id: string
  readonly invoice_id: string
  readonly amount_cents: number
  readonly currency: Currency
}

export interface Refund extends CardRequest {
  readonly kind: 'refund'
  readonly refund_id: string
  readonly charge_id: string
  readonly invoice_id: string
  readonly amount_cents: number
}

/** A request under a key that the provider has answered before. */
export interface Repeat extends CardRequest {
  readonly kind: 'repeat'
}
