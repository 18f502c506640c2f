// For whom the agent works at the billing desk, and what it may do for them. In a real host this comes from their credential.
import type { CallContext } from '../../src/index.ts'

export const tenant = 'kestrel'

export const clerk: CallContext = {
  tenant,
  user: 'mira',
  agent: 'billing-agent',
  roles: ['clerk'],
  scopes: ['billing:read', 'billing:write', 'billing:send', 'tickets:read', 'tickets:write', 'research'],
}

/** Of the billing team: may move money too. */
export const cashier: CallContext = {
  ...clerk,
  user: 'jon',
  roles: ['billing'],
  scopes: [...(clerk.scopes ?? []), 'payments:charge', 'payments:refund'],
}
