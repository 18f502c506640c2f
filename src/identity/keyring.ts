// Keys that live as long as this process: for trials, tests and demonstrations. They are verified like any others; only where they are kept
// differs.

import type { Identity, KeyStore, StoredKey } from '../contract/approval/identity.ts'
import { Fault } from '../contract/fault.ts'
import { type Clock, systemClock } from '../json/clock.ts'
import { identityOf } from './check-key.ts'
import { issueKey, type KeyChoices } from './key.ts'

export interface Keyring extends Identity {
  /** The credential of a new key. */
  issue(choices: KeyChoices): Promise<string>
  readonly store: KeyStore
}

export function keyring({ clock = systemClock }: { readonly clock?: Clock } = {}): Keyring {
  const store = memoryKeyStore()
  const identity = identityOf(store, clock)
  return {
    store,
    verify: (credential) => identity.verify(credential),
    issue: async (choices) => (await issueKey(store, choices, { clock })).text,
  }
}

function memoryKeyStore(): KeyStore {
  const keys = new Map<string, StoredKey>()
  return {
    async save(key) {
      if (keys.has(key.id)) throw new Fault('internal', `The key ${key.id} exists already.`)
      keys.set(key.id, key)
    },
    list: async (tenant) => [...keys.values()].filter((key) => tenant === undefined || key.tenant === tenant),
    find: async (id) => keys.get(id),
    async revoke(id, at) {
      const key = keys.get(id)
      if (key === undefined || key.revokedAt !== undefined) return key
      const revoked = { ...key, revokedAt: at }
      keys.set(id, revoked)
      return revoked
    },
  }
}
