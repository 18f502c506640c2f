// What every tool that sends mail declares alike: who may send, which one address it may reach, one mail at a time about an invoice, and for
// how long the provider remembers a key.
import { keyWindowMs } from '../world/mail-provider.ts'

export const mailTerms = {
  scopes: ['billing:send'],
  tenantScoped: true,
  classification: 'confidential',
  egress: 'allowlisted_domains',
  egressDomains: ['mail.kestrel.example'],
  residency: 'eu',
  trusted: true,
  resource: '/invoice_id',
  locks: ['/invoice_id'],
  recovery: { providerWindowMs: keyWindowMs },
  output: {
    type: 'object',
    properties: { message_id: { type: 'string' }, to: { type: 'string' } },
    required: ['message_id', 'to'],
    additionalProperties: false,
  },
} as const
