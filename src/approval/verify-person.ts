// From a credential to the person behind it. Without an identity no one can decide, and only people do.

import type { Identified, Identity } from '../contract/approval/identity.ts'
import { Fault } from '../contract/fault.ts'

export type VerifyPerson = (credential: string) => Promise<Identified>

export interface KnownIdentity {
  readonly identity: () => Promise<Identity | undefined>
  /** The tenants that exist; undefined: every one is taken as given. */
  readonly tenants?: ReadonlySet<string> | undefined
}

const noIdentity =
  'There is no identity here that could tell who decides. Make a key with `proviso keys create --user NAME --role approver`, or open Proviso with an identity of your own.'

/** Throws the Fault that says why: there is no identity, the credential opens nothing, or no person holds it. */
export function personVerifier(known: KnownIdentity): VerifyPerson {
  return async (credential) => {
    const found = await whoIs(known, credential)
    if (found.kind !== 'person')
      throw new Fault(
        'not_permitted',
        `Only people decide; this key was made for ${found.kind === 'agent' ? 'an agent' : 'a service'}.`,
      )
    return found
  }
}

/** Any principal: a person, an agent or a service. */
export async function whoIs(known: KnownIdentity, credential: string): Promise<Identified> {
  const identity = await known.identity()
  if (identity === undefined) throw new Fault('unknown_credential', noIdentity)
  const answer = typeof credential === 'string' ? await identity.verify(credential) : undefined
  // Read once: what was checked is what counts.
  const found = typeof answer === 'object' && answer !== null ? { ...answer } : undefined
  if (found === undefined)
    throw new Fault(
      'unknown_credential',
      'This credential opens nothing: it is unknown, revoked or over. `proviso keys create` makes one that does.',
    )
  refuseUnbound(found, known.tenants)
  return found
}

/**
 * An identity may be the host's own code. Where it names no tenant, no row would be too much: a store that is asked without a tenant
 * gives the rows of all.
 */
function refuseUnbound({ tenant, user, roles }: Identified, tenants: ReadonlySet<string> | undefined): void {
  if (!isName(tenant) || tenants?.has(tenant) === false)
    throw new Fault('not_permitted', 'The identity names no tenant that is known here, so nothing is open to it.')
  if (!isName(user) || !Array.isArray(roles))
    throw new Fault('not_permitted', 'The identity does not say which user it is, with which roles.')
}

const isName = (name: unknown): boolean => typeof name === 'string' && name.trim() !== ''
