// Identity by keys: a credential that opens a key that is neither revoked nor over. Everything else is nobody, and all of it looks the
// same from outside; only what is no key at all is told apart by time.
import type { Identified, Identity, KeyStore, StoredKey } from '../contract/approval/identity.ts'
import type { Clock } from '../json/clock.ts'
import { opens, readCredential } from './key.ts'

export function identityOf(store: Pick<KeyStore, 'find'>, clock: Clock): Identity {
  return {
    async verify(credential) {
      const read = readCredential(credential)
      if (read === undefined) return undefined
      const key = await store.find(read.id)
      // The same work for an id that nobody has.
      const isOpen = opens(read.secret, key ?? nobody)
      if (!isOpen || key === undefined || key.revokedAt !== undefined) return undefined
      // Written so that a time which is no number is never early enough.
      if (key.expiresAt !== undefined && !(clock.now() < key.expiresAt)) return undefined
      return principalOf(key)
    },
  }
}

function principalOf({ id, tenant, user, roles, scopes, agent, kind }: StoredKey): Identified {
  return { tenant, user, roles, scopes, agent, keyId: id, kind }
}

const nobody: StoredKey = {
  id: '',
  tenant: '',
  user: '',
  kind: 'service',
  roles: [],
  scopes: [],
  agent: undefined,
  createdAt: 0 as StoredKey['createdAt'],
  expiresAt: undefined,
  revokedAt: undefined,
  hash: '00'.repeat(32),
}
