// The billing clerk: for whom the agent works, and what it may do for her. In a real host this comes from her credential.
import type { CallContext } from '../../src/index.ts'

export const tenant = 'kestrel'

export const clerk: CallContext = {
  tenant,
  user: 'mira',
  agent: 'billing-agent',
  scopes: ['billing:read', 'billing:write', 'billing:send', 'tickets:write'],
}

/** As the clerk, and allowed to move money too. */
export const cashier: CallContext = {
  ...clerk,
  user: 'ines',
  scopes: [...(clerk.scopes ?? []), 'payments:charge', 'payments:refund'],
}
