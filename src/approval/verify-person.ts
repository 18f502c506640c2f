// From a credential to the person behind it. Without an identity no one can decide, and only people do.

import type { Identified, Identity } from '../contract/approval/identity.ts'
import { Fault } from '../contract/fault.ts'

export type VerifyPerson = (credential: string) => Promise<Identified>

const noIdentity =
  'There is no identity here that could tell who decides. Make a key with `proviso keys create --user NAME --role approver`, or open Proviso with an identity of your own.'

/** Throws the Fault that says why: there is no identity, the credential opens nothing, or no person holds it. */
export function personVerifier(identity: () => Promise<Identity | undefined>): VerifyPerson {
  return async (credential) => {
    const found = await whoIs(await identity(), credential)
    if (found.kind !== 'person')
      throw new Fault(
        'not_permitted',
        `Only people decide; this key was made for ${found.kind === 'agent' ? 'an agent' : 'a service'}.`,
      )
    return found
  }
}

/** Any principal: a person, an agent or a service. */
export async function whoIs(identity: Identity | undefined, credential: string): Promise<Identified> {
  if (identity === undefined) throw new Fault('unknown_credential', noIdentity)
  const found = typeof credential === 'string' ? await identity.verify(credential) : undefined
  if (found === undefined)
    throw new Fault(
      'unknown_credential',
      'This credential opens nothing: it is unknown, revoked or over. `proviso keys create` makes one that does.',
    )
  return found
}
