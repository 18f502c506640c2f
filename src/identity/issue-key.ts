// Makes a key and keeps it: the text is for its owner, once; the store gets the digest.

import type { KeyStore, KeyTerms, StoredKey } from '../contract/approval/identity.ts'
import { Fault } from '../contract/fault.ts'
import { type Clock, systemClock } from '../json/clock.ts'
import { type Entropy, systemEntropy } from '../json/id.ts'
import { createKey } from './key.ts'

/** What is left out: the tenant `default`, a person, no roles, no scopes, no end. */
export type KeyChoices = Pick<KeyTerms, 'user'> & { readonly [Key in keyof KeyTerms]?: KeyTerms[Key] | undefined }

export interface IssuedKey {
  /** The credential. It is kept nowhere. */
  readonly text: string
  readonly key: StoredKey
}

export async function issueKey(
  store: Pick<KeyStore, 'save'>,
  choices: KeyChoices,
  { clock = systemClock, entropy = systemEntropy }: { readonly clock?: Clock; readonly entropy?: Entropy } = {},
): Promise<IssuedKey> {
  const { tenant = 'default', user, kind = 'person', roles = [], scopes = [], agent, expiresAt } = choices
  const created = createKey({ tenant, user, kind, roles, scopes, agent, expiresAt }, { clock, entropy })
  if (!created.ok) throw new Fault('bad_options', created.problems.join(' '), { details: created.problems })
  await store.save(created.key)
  return created
}
