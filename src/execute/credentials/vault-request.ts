// One question to a vault. Nothing that it throws holds the token or the answer.

import { rootCertificates } from 'node:tls'
import type { CredentialResolution } from '../../contract/tool/credential.ts'
import { requestPlain, requestSecure } from '../egress/agents.ts'

export interface VaultQuestion {
  readonly url: URL
  readonly token: string
  readonly namespace: string | undefined
  readonly ca: string | undefined
  readonly timeoutMs: number
}

export type VaultAnswer =
  | { readonly kind: 'read'; readonly body: unknown }
  | Exclude<CredentialResolution, { kind: 'found' }>

const maxBytes = 1_048_576

export async function readVault(question: VaultQuestion): Promise<VaultAnswer> {
  const { status, text } = await exchange(question)
  switch (status) {
    case 200:
      return { kind: 'read', body: parseVaultAnswer(text) }
    case 404:
      return { kind: 'absent' }
    case 403:
      return { kind: 'refused', reason: 'the vault does not let its token read it.' }
    default:
      // Redirects included: to follow one would hand the token on.
      throw new Error(`The vault answered with status ${status}.`)
  }
}

function exchange({ url, token, namespace, ca, timeoutMs }: VaultQuestion) {
  return new Promise<{ readonly status: number; readonly text: string }>((resolve, reject) => {
    const send = url.protocol === 'https:' ? requestSecure : requestPlain
    const headers = {
      accept: 'application/json',
      'x-vault-request': 'true',
      'x-vault-token': token,
      ...(namespace === undefined ? {} : { 'x-vault-namespace': namespace }),
    }
    const options = {
      headers,
      // Of the whole exchange, not of a silence in it.
      signal: AbortSignal.timeout(timeoutMs),
      ...(ca === undefined ? {} : { ca: [...rootCertificates, ca] }),
    }
    const asking = send(url, options, (response) => {
      const chunks: Buffer[] = []
      let bytes = 0
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length
        if (bytes > maxBytes) response.destroy(new Error('The answer of the vault is too large.'))
        else chunks.push(chunk)
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }))
      response.on('error', () => reject(new Error('The answer of the vault broke off.')))
    })
    asking.on('error', (error) => reject(new Error(`The vault cannot be reached (${errorCode(error)}).`)))
    // It may also end without a word, as when a server switches to another protocol.
    asking.on('close', () => reject(new Error('The vault closed the connection.')))
    asking.end()
  })
}

const errorCode = (error: Error) => ('code' in error && typeof error.code === 'string' ? error.code : error.name)

function parseVaultAnswer(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Error('The answer of the vault is no JSON.')
  }
}
