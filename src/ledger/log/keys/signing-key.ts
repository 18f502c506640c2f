// The key that signs a log's checkpoints: Ed25519, known to others by its public half.
import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { type PublicKey, publicKeyOf } from './public-key.ts'

export interface SigningKey {
  readonly privateKey: KeyObject
  readonly publicKey: PublicKey
}

export function generateSigningKey(): SigningKey {
  const { privateKey } = generateKeyPairSync('ed25519')
  return { privateKey, publicKey: publicKeyOf(privateKey) }
}

/** PKCS #8 in PEM, as every other tool reads it. */
export function writeSigningKey(key: SigningKey): string {
  return key.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
}

/** Undefined for what is no unencrypted Ed25519 key. */
export function readSigningKey(pem: string): SigningKey | undefined {
  try {
    const privateKey = createPrivateKey({ key: pem, format: 'pem' })
    if (privateKey.asymmetricKeyType !== 'ed25519') return undefined
    return { privateKey, publicKey: publicKeyOf(privateKey) }
  } catch {
    // The engine's messages differ between versions, and none of them may quote a key.
    return undefined
  }
}
