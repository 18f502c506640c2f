// The email executor as a tool file declares it: a draft into a folder, or a live send by SMTP.
import type { JsonObject } from '../../../json/value.ts'
import { choice, closed, count, text, texts } from '../../closed-schema.ts'

export interface EmailFile {
  readonly kind: 'email'
  readonly from: string
  readonly to: string | readonly string[]
  readonly cc?: string | readonly string[]
  readonly bcc?: string | readonly string[]
  readonly reply_to?: string
  readonly subject: string
  readonly text: string
  readonly html?: string
  readonly recipients?: readonly string[]
  readonly draft?: { readonly folder: string }
  readonly smtp?: {
    readonly host: string
    readonly port?: number
    readonly security?: 'tls' | 'starttls' | 'none'
    readonly user?: string
    readonly password?: string
  }
  readonly version?: string
}

const addresses = (description: string): JsonObject => ({
  description,
  anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' }, minItems: 1 }],
})

export const emailFileSchema: JsonObject = {
  ...closed(
    'An e-mail: a draft that is staged, or a live send. {name} and {/pointer} stand for arguments.',
    {
      kind: choice('An e-mail.', ['email']),
      from: text('The sender, as it is: no argument may stand in it.'),
      to: addresses('Whom it is for: an address, several, or an argument that holds them.'),
      cc: addresses('Who gets a copy.'),
      bcc: addresses('Who gets a copy without the other recipients seeing it.'),
      reply_to: text('Whom answers go to.'),
      subject: text('Its subject, in one line.'),
      text: text('Its text.'),
      html: text('The same as HTML; arguments are escaped.'),
      recipients: texts(
        'Who may get it: addresses, domains and suffixes such as *.example.com. Required for a live send.',
      ),
      draft: closed('Stages the mail and sends nothing.', {
        folder: text('Where .eml files are written, relative to this file.'),
      }),
      smtp: closed(
        'Sends it. Never below HIGH_RISK_EXTERNAL.',
        {
          host: text('Name of the server; the egress policy must allow it.'),
          port: count('465 for tls, otherwise 587 by default; the binding must list it.', 1),
          security: choice('How the connection is encrypted: tls by default.', ['tls', 'starttls', 'none']),
          user: text('Who signs in; {credential:name} stands for a secret.'),
          password: text('With what: {credential:name}.'),
        },
        ['host'],
      ),
      version: text('Which version of this mail it is; an approval is given for one.'),
    },
    ['kind', 'from', 'to', 'subject', 'text'],
  ),
  oneOf: [{ required: ['draft'] }, { required: ['smtp'] }],
}
