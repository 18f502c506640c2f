// A payment provider as they are: it declines cards, and it answers a repeated idempotency key from its memory instead of charging twice.
// A repeated request still leaves a line of its own, so a test sees that it was made.
import { createHash } from 'node:crypto'
import { charges as earlierCharges } from './data-set.ts'
import { openJournal } from './journal.ts'
import type { Charge, Currency, Customer, Origin, Refund, Repeat } from './records.ts'

/** How long a key is remembered; an hour less than a day, so that no caller relies on its last minutes. */
export const keyWindowMs = 23 * 3_600_000

const hashOf = (request: unknown) => createHash('sha256').update(JSON.stringify(request)).digest('hex')

export type CardEntry = Charge | Refund | Repeat

export interface ChargeRequest {
  readonly customer: Customer
  readonly invoiceId: string
  readonly amountCents: number
  readonly currency: Currency
  readonly origin: Origin
}

export type ChargeOutcome =
  | { readonly kind: 'charged'; readonly charge: Charge }
  | { readonly kind: 'declined' | 'no_card' }

export interface CardProvider {
  charge(request: ChargeRequest): Promise<ChargeOutcome>
  refund(charge: Charge, amountCents: number, origin: Origin): Promise<Refund>
  findCharge(chargeId: string): Promise<Charge | undefined>
  /** What the provider was asked since the morning, oldest first. */
  entries(): Promise<readonly CardEntry[]>
}

export function openCardProvider(file: string): CardProvider {
  const journal = openJournal<CardEntry>(file)

  const madeUnder = async <Kind extends 'charge' | 'refund'>(kind: Kind, origin: Origin, request_hash: string) => {
    const made = (await journal.read()).find(
      (entry): entry is Extract<CardEntry, { kind: Kind }> => entry.kind === kind && entry.key === origin.key,
    )
    if (made !== undefined) await journal.append({ kind: 'repeat', ...origin, request_hash })
    return made
  }

  return {
    entries: () => journal.read(),
    async findCharge(chargeId) {
      const charges = [...earlierCharges, ...(await journal.read()).filter((entry) => entry.kind === 'charge')]
      return charges.find((charge) => charge.charge_id === chargeId)
    },
    async charge({ customer, invoiceId, amountCents, currency, origin }) {
      const request_hash = hashOf({ customer: customer.customer_id, invoiceId, amountCents, currency })
      const made = await madeUnder('charge', origin, request_hash)
      if (made !== undefined) return { kind: 'charged', charge: made }
      if (customer.card === null) return { kind: 'no_card' }
      if (customer.card.declines) return { kind: 'declined' }
      const charge: Charge = {
        kind: 'charge',
        charge_id: `ch_${origin.key.slice(0, 12)}`,
        invoice_id: invoiceId,
        amount_cents: amountCents,
        currency,
        request_hash,
        ...origin,
      }
      await journal.append(charge)
      return { kind: 'charged', charge }
    },
    async refund({ charge_id, invoice_id }, amountCents, origin) {
      const request_hash = hashOf({ charge_id, amountCents })
      const made = await madeUnder('refund', origin, request_hash)
      if (made !== undefined) return made
      const refund: Refund = {
        kind: 'refund',
        refund_id: `re_${origin.key.slice(0, 12)}`,
        charge_id,
        invoice_id,
        amount_cents: amountCents,
        request_hash,
        ...origin,
      }
      await journal.append(refund)
      return refund
    },
  }
}
