// Where keys are kept: with the ledger, where one is named; else in .proviso/keys.json below the working folder.
import { dirname, resolve } from 'node:path'
import type { KeyStore } from '../../contract/approval/identity.ts'
import { defaultKeyFile, fileKeyStore } from '../../identity/file-key-store.ts'
import { type Given, misuse, type Outcome, text } from '../command.ts'
import { hideFromGit } from '../ledger/hide-from-git.ts'
import type { Terminal } from '../terminal.ts'

export async function withKeyStore(
  given: Given,
  terminal: Terminal,
  use: (store: KeyStore, place: string) => Promise<Outcome>,
): Promise<Outcome> {
  const isNamed = [text(given, 'ledger'), terminal.ledger].some((place) => place !== undefined && place !== '')
  if (!isNamed) return use(hiddenKeyStore(resolve(terminal.folder, defaultKeyFile)), defaultKeyFile)
  const { openLedger } = await import('../ledger/open-ledger.ts')
  const opened = await openLedger(given, terminal, { make: true, log: { sequence: false } })
  if (!opened.ok) return opened.outcome
  try {
    const { keys } = opened.ledger
    return keys === undefined ? misuse('This ledger keeps no keys.') : await use(keys, 'the ledger')
  } finally {
    await opened.ledger.close()
  }
}

function hiddenKeyStore(file: string): KeyStore {
  const store = fileKeyStore(file)
  return {
    ...store,
    async save(key) {
      await hideFromGit(dirname(file))
      await store.save(key)
    },
  }
}
