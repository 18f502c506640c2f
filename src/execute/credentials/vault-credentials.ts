// Secrets of a vault that speaks HTTP as HashiCorp Vault and OpenBao do. A secret is kept here only as long as its lease, and never longer
// than a stated bound; calls that ask for the same secret at the same time wait for the same answer.

import { Fault } from '../../contract/fault.ts'
import type { CredentialRequest, CredentialResolution, CredentialResolver } from '../../contract/tool/credential.ts'
import { type Clock, systemClock } from '../../json/clock.ts'
import { isObject } from '../../json/value.ts'
import { readWhole } from '../../ledger/files/private-file.ts'
import { type CredentialOptions, mayHave, notAllowed, pathPart, secretOwner } from './safe-name.ts'

export interface VaultCredentialOptions extends CredentialOptions {
  /** Such as https://vault.example.com:8200. Without TLS only on this machine. */
  readonly address: string
  /** Where a secret is, with {tenant}, {user}, {tool} and {ref}; `secret/data/{tenant}/{ref}` by default. */
  readonly path?: string
  /** Where the secret is that every tenant gets, for references in `shared`; `secret/data/shared/{ref}` by default. */
  readonly sharedPath?: string
  /** Which field of the secret; `value` by default. */
  readonly field?: string
  /** The vault's own token: a variable, or a file that no other user may read. It is read for every request. */
  readonly token: { readonly env: string } | { readonly file: string }
  readonly namespace?: string
  /** Certificates to trust besides those of the system, as PEM. */
  readonly ca?: string
  /** How long one request may take; 5 s by default. */
  readonly timeoutMs?: number
  /** The longest time for which a leased secret is kept here; a minute by default. One without a lease is not kept. */
  readonly maxCacheMs?: number
  readonly clock?: Clock
}

interface Kept {
  readonly value: string
  readonly until: number
}

const ownPath = 'secret/data/{tenant}/{ref}'
const sharedPath = 'secret/data/shared/{ref}'

/** So many secrets are kept at most; the oldest go first. */
const maxKept = 1_000

export function vaultCredentials(options: VaultCredentialOptions): CredentialResolver {
  const { timeoutMs = 5_000, maxCacheMs = 60_000, clock = systemClock } = options
  const base = addressOf(options.address)
  refuseTemplate(options.path ?? ownPath, ['{tenant}', '{ref}'])
  refuseTemplate(options.sharedPath ?? sharedPath, ['{ref}'])
  const kept = new Map<string, Kept>()
  const underWay = new Map<string, Promise<CredentialResolution>>()

  const ask = async (path: string): Promise<CredentialResolution> => {
    const askedAt = clock.monotonic()
    const token = await tokenOf(options)
    const { namespace, ca, field = 'value' } = options
    // Loaded with the first request: most hosts have no vault.
    const { readVault } = await import('./vault-request.ts')
    const answer = await readVault({ url: new URL(`/v1/${path}`, base), token, namespace, ca, timeoutMs })
    if (answer.kind !== 'read') return answer
    const value = fieldOf(answer.body, field)
    if (value === undefined) return { kind: 'refused', reason: `its entry has no text in the field ${field}.` }
    // Counted from before the question: the lease cannot end earlier than that.
    const keepMs = Math.min(leaseMs(answer.body), maxCacheMs)
    if (keepMs > 0) {
      kept.set(path, { value, until: askedAt + keepMs })
      for (const oldest of kept.keys()) if (kept.size > maxKept) kept.delete(oldest)
    }
    return { kind: 'found', value }
  }

  return {
    id: 'vault',
    resolve(request) {
      if (!mayHave(request, options)) return notAllowed
      const path = pathOf(request, options)
      const own = kept.get(path)
      if (own !== undefined) {
        if (clock.monotonic() < own.until) return { kind: 'found', value: own.value }
        kept.delete(path)
      }
      let asking = underWay.get(path)
      if (asking === undefined) {
        asking = ask(path).finally(() => underWay.delete(path))
        underWay.set(path, asking)
      }
      return asking
    },
  }
}

function addressOf(address: string): URL {
  const url = URL.parse(address)
  const isOwn = url !== null && ['127.0.0.1', '[::1]', 'localhost'].includes(url.hostname)
  if (url === null || !(url.protocol === 'https:' || (url.protocol === 'http:' && isOwn)))
    throw new Fault('bad_options', 'The address of a vault is an https URL; http only on this machine.')
  if (url.username !== '' || url.password !== '')
    throw new Fault('bad_options', 'The address of a vault holds no password; name a token.')
  return url
}

/** A template that does not say whose secret it is would give every tenant the same one. */
function refuseTemplate(template: string, needed: readonly string[]): void {
  for (const part of needed)
    if (!template.includes(part)) throw new Fault('bad_options', `The path of a vault has to name ${part}.`)
  if (template.split('/').some((part) => part === '' || part === '.' || part === '..'))
    throw new Fault('bad_options', 'The path of a vault has no empty parts and no dots.')
}

function pathOf(request: CredentialRequest, options: VaultCredentialOptions): string {
  const owner = secretOwner(request, options)
  const template = owner.kind === 'all_tenants' ? (options.sharedPath ?? sharedPath) : (options.path ?? ownPath)
  const whole = owner.kind === 'user' && !template.includes('{user}') ? withUser(template) : template
  const parts: Readonly<Record<string, string>> = {
    tenant: pathPart(request.tenant),
    user: pathPart(request.user ?? ''),
    tool: pathPart(request.tool),
    ref: request.ref.split('/').map(pathPart).join('/'),
  }
  return whole.replaceAll(/\{(tenant|user|tool|ref)\}/g, (_, name: string) => parts[name] ?? '')
}

/** Where the template knows no users, theirs are below those of their tenant. */
const withUser = (template: string) => template.replace('{ref}', '@users/{user}/{ref}')

async function tokenOf({ token }: VaultCredentialOptions): Promise<string> {
  if ('env' in token) {
    const value = process.env[token.env]
    if (value === undefined || value === '') throw new Fault('bad_options', `The variable ${token.env} is not set.`)
    return value
  }
  const reading = await readWhole(token.file, { secret: true })
  if (reading.kind === 'read') return reading.text.trim()
  throw new Fault('bad_options', reading.kind === 'absent' ? `${token.file} is not there.` : reading.reason)
}

/** Version 2 of the key-value engine wraps its entries once more than the others do. */
function fieldOf(body: unknown, field: string): string | undefined {
  if (!isRecord(body) || !isRecord(body.data)) return undefined
  const entry = isRecord(body.data.data) && isRecord(body.data.metadata) ? body.data.data : body.data
  const value = Object.hasOwn(entry, field) ? entry[field] : undefined
  return typeof value === 'string' ? value : undefined
}

function leaseMs(body: unknown): number {
  const seconds = isRecord(body) ? body.lease_duration : undefined
  return typeof seconds === 'number' && seconds > 0 ? seconds * 1_000 : 0
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> => isObject(value)
