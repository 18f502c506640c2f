// Who may do what at the billing desk, and how much of it: permission rules, the organisation's policies in Cedar, and budgets. Every
// process that opens a Proviso for this desk opens it with these.
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import type { BudgetOptions, CedarSet, Permissions } from '../../src/index.ts'

const permissions: Permissions = {
  organisation: [
    {
      id: 'auditors-read',
      says: 'deny',
      message: 'Auditors read and change nothing.',
      roles: ['auditor'],
      effects: ['EPHEMERAL_WRITE', 'LOW_RISK_INTERNAL', 'MEDIUM_RISK_WRITE', 'HIGH_RISK_EXTERNAL', 'CRITICAL_MUTATION'],
    },
  ],
  project: [
    {
      id: 'fraud-is-looked-at',
      says: 'ask',
      message: 'Where fraud is suspected, a person looks before the invoice is void.',
      tools: ['void_invoice_v1'],
      when: 'args.reason == "fraud_review"',
    },
  ],
}

const day = 86_400

const budgets: BudgetOptions = {
  external: 5, // mails in one run
  critical: 10, // charges and refunds in one run; none unless a desk says how many
  limits: [
    ...(['EUR', 'GBP', 'USD'] as const).flatMap((currency) => [
      {
        id: `charges-of-a-run-${currency}`,
        kind: 'financial' as const,
        per: 'run' as const,
        max: 5_000,
        currency,
        tools: ['charge_customer_card_v2'],
      },
      {
        id: `charges-a-day-${currency}`,
        kind: 'financial' as const,
        per: 'tenant' as const,
        windowSec: day,
        max: 20_000,
        currency,
        tools: ['charge_customer_card_v2'],
      },
    ]),
    {
      id: 'refunds-a-day',
      kind: 'financial',
      per: 'tenant',
      windowSec: day,
      max: 3_000,
      currency: 'EUR',
      tools: ['refund_charge_v1'],
    },
  ],
}

export interface Governance {
  readonly permissions: Permissions
  readonly policies: readonly CedarSet[]
  readonly budgets: BudgetOptions
}

export function governance(): Governance {
  const files = ['money', 'data'].map((name) => fileURLToPath(new URL(`./policies/${name}.cedar`, import.meta.url)))
  return { permissions, policies: hasCedar() ? [{ cedar: { files } }] : [], budgets }
}

/** Cedar is an optional peer: an installation without it plays the demo without these policies, and is told so. */
export function hasCedar(): boolean {
  try {
    createRequire(import.meta.url).resolve('@cedar-policy/cedar-wasm/nodejs')
    return true
  } catch {
    return false
  }
}
