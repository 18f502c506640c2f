// A payment provider as they are: it declines cards, and it answers a repeated idempotency key from its memory instead of charging twice.
// A repeated request still leaves a line of its own, so a test sees that it was made.
import { charges as earlierCharges } from './data-set.ts'
import { openJournal } from './journal.ts'
import type { Charge, Currency, Customer, Origin, Refund } from './records.ts'

type Repeat = Origin & { readonly kind: 'repeat' }
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

  const madeUnder = async <Kind extends 'charge' | 'refund'>(kind: Kind, origin: Origin) => {
    const made = (await journal.read()).find(
      (entry): entry is Extract<CardEntry, { kind: Kind }> => entry.kind === kind && entry.key === origin.key,
    )
    if (made !== undefined) await journal.append({ kind: 'repeat', ...origin })
    return made
  }

  return {
    entries: () => journal.read(),
    async findCharge(chargeId) {
      const charges = [...earlierCharges, ...(await journal.read()).filter((entry) => entry.kind === 'charge')]
      return charges.find((charge) => charge.charge_id === chargeId)
    },
    async charge({ customer, invoiceId, amountCents, currency, origin }) {
      const made = await madeUnder('charge', origin)
      if (made !== undefined) return { kind: 'charged', charge: made }
      if (customer.card === null) return { kind: 'no_card' }
      if (customer.card.declines) return { kind: 'declined' }
      const charge: Charge = {
        kind: 'charge',
        charge_id: `ch_${origin.key.slice(0, 12)}`,
        invoice_id: invoiceId,
        amount_cents: amountCents,
        currency,
        ...origin,
      }
      await journal.append(charge)
      return { kind: 'charged', charge }
    },
    async refund({ charge_id, invoice_id }, amountCents, origin) {
      const made = await madeUnder('refund', origin)
      if (made !== undefined) return made
      const refund: Refund = {
        kind: 'refund',
        refund_id: `re_${origin.key.slice(0, 12)}`,
        charge_id,
        invoice_id,
        amount_cents: amountCents,
        ...origin,
      }
      await journal.append(refund)
      return refund
    },
  }
}
