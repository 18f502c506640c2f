// EPHEMERAL_WRITE: a preview file that every user may delete. Read back by its hash.
import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { defineTool, ToolError } from '../../../src/index.ts'
import { invoiceId } from '../fields.ts'
import type { Desk } from '../world/desk.ts'
import { renderInvoice } from '../world/render-invoice.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

interface PreviewArguments {
  readonly invoice_id: string
  readonly format: 'text' | 'html'
  readonly layout: { readonly language: 'en' | 'de' | 'fr'; readonly show_vat: boolean }
}

export const renderInvoicePreview = (desk: Desk) => {
  // Every part of the name is checked by the schema: no argument can lead out of the folder.
  const nameOf = ({ invoice_id, format, layout }: PreviewArguments) =>
    `${invoice_id}.${layout.language}.${format === 'html' ? 'html' : 'txt'}`

  const render = async ({ invoice_id, format, layout }: PreviewArguments) => {
    const invoice = await desk.invoice(invoice_id)
    const customer = desk.customers.get(invoice?.customer_id ?? '')
    return invoice === undefined || customer === undefined
      ? undefined
      : renderInvoice(invoice, customer, format, layout)
  }

  return defineTool({
    name: 'render_invoice_preview_v1',
    owner: 'billing',
    description:
      'EXECUTE ONLY to render an invoice to a preview file for the person you work for. ' +
      'Writes a temporary file here. Does not change, send or charge the invoice, and the customer never sees it.',
    useWhen: ['A person wants to see an invoice before it is sent.'],
    avoidWhen: ['Delivering an invoice to a customer: use send_invoice_email_v1.'],
    effect: 'EPHEMERAL_WRITE',
    scopes: ['billing:read'],
    tenantScoped: true,
    classification: 'confidential',
    trusted: true,
    input: {
      type: 'object',
      properties: {
        invoice_id: invoiceId,
        format: { type: 'string', enum: ['text', 'html'] },
        layout: {
          type: 'object',
          properties: {
            language: { type: 'string', enum: ['en', 'de', 'fr'] },
            show_vat: { type: 'boolean', description: 'Print the VAT rate on every line.' },
          },
          required: ['language', 'show_vat'],
          additionalProperties: false,
        },
      },
      required: ['invoice_id', 'format', 'layout'],
      additionalProperties: false,
    },
    output: {
      type: 'object',
      properties: { file: { type: 'string' }, bytes: { type: 'integer' }, sha256: { type: 'string' } },
      required: ['file', 'bytes', 'sha256'],
      additionalProperties: false,
    },
    examples: [
      {
        description: 'An English preview with VAT rates.',
        arguments: { invoice_id: 'inv_1007', format: 'text', layout: { language: 'en', show_vat: true } },
      },
    ],
    errors: { invoice_not_found: 'SEMANTIC_INVALIDITY' },
    async execute(args) {
      const text = await render(args)
      if (text === undefined) {
        throw new ToolError('invoice_not_found', `There is no invoice ${args.invoice_id}.`, { effect: 'none' })
      }
      const name = nameOf(args)
      await writeFile(join(desk.previews, name), text)
      return { file: `previews/${name}`, bytes: Buffer.byteLength(text), sha256: sha256(text) }
    },
    async verify(args) {
      const [wanted, found] = [await render(args), await readFile(join(desk.previews, nameOf(args)), 'utf8')]
      const same = wanted !== undefined && sha256(wanted) === sha256(found)
      return same
        ? { status: 'verified' }
        : { status: 'failed', message: 'The preview on disk is not what was rendered.' }
    },
  })
}
