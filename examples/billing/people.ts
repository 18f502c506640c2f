// Who decides at the billing desk, with keys of this process that are never shown. A real desk makes them with `proviso keys create`.
import { Fault, keyring, type Proviso } from '../../src/index.ts'
import { tenant } from './clerk.ts'

export const people = keyring()

const roles = {
  ines: ['operator', 'approver'],
  tomas: ['approver'],
  petra: ['compliance'],
  /** The cashier himself: he holds the role, and still does not approve what he asked for. */
  jon: ['approver'],
  /** Runs the desk, and asks for standing approvals. */
  vera: ['supervisor'],
} as const

export type Person = keyof typeof roles

const keys = new Map<Person, Promise<string>>()

export function keyOf(person: Person): Promise<string> {
  const key = keys.get(person) ?? people.issue({ tenant, user: person, roles: roles[person] })
  keys.set(person, key)
  return key
}

/** They look at the packet, and approve exactly that. */
export async function approve({ approvals }: Proviso, id: string, ...by: readonly Person[]): Promise<void> {
  for (const person of by) {
    const shown = await approvals.get(id, tenant)
    await approvals.approve(id, { credential: await keyOf(person), packetHash: shown?.packetHash ?? '' })
  }
}

export async function reject({ approvals }: Proviso, id: string, by: Person, reason: string): Promise<void> {
  const shown = await approvals.get(id, tenant)
  await approvals.reject(id, { credential: await keyOf(by), packetHash: shown?.packetHash ?? '', reason })
}

/** What a person who may not approve is told. Throws where the approval was counted. */
export async function refusedApproval(proviso: Proviso, id: string, by: Person): Promise<string> {
  try {
    await approve(proviso, id, by)
  } catch (error) {
    if (error instanceof Fault && error.code === 'not_permitted') return error.message
    throw error
  }
  throw new Error(`The approval of ${by} was counted.`)
}
