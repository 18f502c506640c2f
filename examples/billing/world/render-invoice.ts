// An invoice as a person reads it, in text or HTML. Pure: the same invoice always gives the same bytes.
import { formatMoney, lineTotal, totalOf } from './money.ts'
import type { Customer, Invoice } from './records.ts'

export type Language = 'en' | 'de' | 'fr'
export type Format = 'text' | 'html'

const words = {
  en: { invoice: 'Invoice', to: 'To', due: 'Due', total: 'Total incl. VAT', vat: 'VAT' },
  de: { invoice: 'Rechnung', to: 'An', due: 'Fällig am', total: 'Gesamt inkl. MwSt.', vat: 'MwSt.' },
  fr: { invoice: 'Facture', to: 'À', due: 'Échéance', total: 'Total TTC', vat: 'TVA' },
} as const

export interface Layout {
  readonly language: Language
  readonly show_vat: boolean
}

export function renderInvoice(invoice: Invoice, customer: Customer, format: Format, layout: Layout): string {
  const { title, rows } = contentOf(invoice, customer, layout)
  return format === 'html' ? asHtml(title, rows) : asText(title, rows)
}

type Row = readonly [label: string, value: string]

function contentOf(invoice: Invoice, customer: Customer, { language, show_vat }: Layout) {
  const word = words[language]
  const lines = invoice.line_items.map((item): Row => {
    const vat = show_vat ? ` (${item.vat_percent} % ${word.vat})` : ''
    return [`${item.quantity} × ${item.description}${vat}`, formatMoney(lineTotal(item), invoice.currency)]
  })
  const rows: readonly Row[] = [
    [word.to, customer.name],
    [word.due, invoice.due_date],
    ...lines,
    [word.total, formatMoney(totalOf(invoice.line_items), invoice.currency)],
  ]
  return { title: `${word.invoice} ${invoice.invoice_id}`, rows }
}

function asText(title: string, rows: readonly Row[]): string {
  const width = Math.max(...rows.map(([label]) => label.length))
  return [title, '', ...rows.map(([label, value]) => `${label.padEnd(width)}  ${value}`), ''].join('\n')
}

function asHtml(title: string, rows: readonly Row[]): string {
  const body = rows.map(([label, value]) => `<tr><td>${escaped(label)}</td><td>${escaped(value)}</td></tr>`)
  return `<!doctype html>\n<meta charset="utf-8">\n<title>${escaped(title)}</title>\n<table>\n${body.join('\n')}\n</table>\n`
}

/** Line descriptions come from a model: they are text, never markup. */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
