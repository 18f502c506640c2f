// Sums in whole cents. VAT is rounded once per line, half up, as the printed invoice shows it.
import type { LineItem } from './records.ts'

export function lineTotal({ quantity, unit_price_cents, vat_percent }: LineItem): number {
  const net = quantity * unit_price_cents
  return net + Math.floor((net * vat_percent + 50) / 100)
}

export function totalOf(items: readonly LineItem[]): number {
  return items.reduce((sum, item) => sum + lineTotal(item), 0)
}

/** `126_125` in EUR is `1,261.25 EUR`. */
export function formatMoney(cents: number, currency: string): string {
  const whole = Math.floor(cents / 100).toString()
  const grouped = whole.replaceAll(/\B(?=(?:[0-9]{3})+$)/g, ',')
  return `${grouped}.${(cents % 100).toString().padStart(2, '0')} ${currency}`
}
