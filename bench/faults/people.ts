// The people who decide while processes die: they have real keys, and look at what they decide on.
import { keyring, type Proviso } from '../../src/index.ts'

export const people = keyring()

const keys = new Map<string, Promise<string>>()

function keyOf(user: string, tenant: string): Promise<string> {
  const name = JSON.stringify([user, tenant])
  const key = keys.get(name) ?? people.issue({ user, tenant, roles: ['approver', 'operator'] })
  keys.set(name, key)
  return key
}

/** As many as are asked for; an approval that is gone or decided by then is left as it is. */
export async function approve({ approvals }: Proviso, id: string): Promise<void> {
  for (const user of ['bea', 'carl']) {
    const shown = await approvals.get(id)
    if (shown?.status !== 'pending') return
    const { packetHash, subject } = shown
    await approvals.approve(id, { credential: await keyOf(user, subject.tenant), packetHash })
  }
}

/** Lets a saga go on that stands still. */
export async function resumeSaga({ sagas }: Proviso, id: string, tenant: string): Promise<void> {
  await sagas.resume(id, { credential: await keyOf('dora', tenant), why: 'Mended.' })
}

/** Until enough of them have said so. */
export async function resolve(
  { calls }: Proviso,
  id: string,
  effect: 'happened' | 'none',
  tenant: string,
): Promise<void> {
  for (const user of ['dora', 'emil']) {
    const credential = await keyOf(user, tenant)
    const { kind } = await calls.resolve(id, { effect, credential, why: 'Looked at the world.' })
    if (kind !== 'stated') return
  }
}
