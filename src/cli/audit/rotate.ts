// `proviso audit rotate-key`: a new key signs from now on; the old one names it, so that whoever trusts the old one can follow.
import { chainFileOf, rotateKey } from '../../ledger/log/key-file.ts'
import { done, type Given, misuse, type Outcome } from '../command.ts'
import type { Terminal } from '../terminal.ts'
import { printAnswer } from './print-answer.ts'
import { keyFileOf } from './with-log.ts'

export async function rotate(given: Given, terminal: Terminal): Promise<Outcome> {
  const file = keyFileOf(given, terminal)
  if (file === undefined) return misuse('--key-file names the key to rotate.')
  const rotation = await rotateKey(file)
  if (!rotation.ok) return misuse(rotation.reason)
  const { key, chain } = rotation
  const wire = { key_file: file, public_key: key.publicKey.text, keys: chain.length, list: chainFileOf(file) }
  printAnswer(given, terminal, wire, [
    `From now on checkpoints are signed with ${key.publicKey.text}`,
    `${chainFileOf(file)} lists ${chain.length} keys, each signed by the one before it: hand it to whoever verifies.`,
  ])
  return done(true)
}
