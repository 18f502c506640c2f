// What every tool that moves money declares alike: whose data it touches, which one address it may reach, where the amount stands in its
// arguments, and for how long the provider remembers a key.
import { keyWindowMs } from '../world/card-provider.ts'

export const cardTerms = {
  tenantScoped: true,
  classification: 'regulated',
  // An id and a sum, which the agent needs to go on: nothing of the card is in it.
  resultMode: 'inline',
  egress: 'allowlisted_domains',
  egressDomains: ['cards.kestrel.example'],
  residency: 'eu',
  trusted: true,
  rate: { windowSec: 60, maxRequests: 10 },
  amount: { pointer: '/amount/cents', decimals: 2, currency: '/amount/currency' },
  recovery: { providerWindowMs: keyWindowMs },
} as const
