// People with real keys, for tests: they look at what is displayed, and decide on exactly that.
import { type ApprovalView, keyring, type Proviso } from '../src/index.ts'

/** The identity that tests open a Proviso with. */
export const people = keyring()

const keys = new Map<string, Promise<string>>()
const everyRole = ['approver', 'operator', 'compliance']

/** The key of a person, made once for each tenant and set of roles. */
export function keyOf(user: string, tenant = 'default', roles: readonly string[] = everyRole): Promise<string> {
  const name = JSON.stringify([user, tenant, roles])
  const key = keys.get(name) ?? people.issue({ user, tenant, roles })
  keys.set(name, key)
  return key
}

/** The key of a person who approves what others publish, for all tenants. */
export function pinKeyOf(user: string): Promise<string> {
  const name = JSON.stringify([user])
  const key = keys.get(name) ?? people.issue({ user, installationRoles: ['operator'] })
  keys.set(name, key)
  return key
}

type Desk = Pick<Proviso, 'approvals'>

export async function approveAs({ approvals }: Desk, id: string, user: string, reason?: string): Promise<ApprovalView> {
  return approvals.approve(id, await decisionOf({ approvals }, id, user, reason))
}

export async function rejectAs({ approvals }: Desk, id: string, user: string, reason?: string): Promise<ApprovalView> {
  return approvals.reject(id, await decisionOf({ approvals }, id, user, reason))
}

async function decisionOf({ approvals }: Desk, id: string, user: string, reason: string | undefined) {
  const shown = await approvals.get(id)
  const credential = await keyOf(user, shown?.subject.tenant)
  return { credential, packetHash: shown?.packetHash ?? 'none', ...(reason === undefined ? {} : { reason }) }
}
