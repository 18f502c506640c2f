// Names of tenants, users and references as parts of other names. Two different names never become the same one, and none can leave its
// place: the name of one tenant never leads to what another keeps.
import type { CredentialRequest } from '../../contract/tool/credential.ts'

/** As part of a variable's name: lower-case letters as capitals, digits as they are, everything else as `_` and the bytes in hex. */
export function variablePart(name: string): string {
  return spelled(name, /[a-z0-9]/, '_').replaceAll(
    /(_[0-9A-F]{2})|[a-z]/g,
    (found, byte) => byte ?? found.toUpperCase(),
  )
}

/** As the name of a file, also where capitals and small letters are the same there. */
export const filePart = (name: string): string => spelled(name, /[a-z0-9_-]/, '~')

/** As one segment of a path; a dot is spelled out where it begins, so that none is `.` or `..`. */
export const pathPart = (name: string): string => spelled(name, /[A-Za-z0-9_.-]/, '~').replace(/^\./, '~2E')

function spelled(name: string, plain: RegExp, sign: string): string {
  let text = ''
  for (const character of name) {
    if (plain.test(character)) text += character
    else for (const byte of Buffer.from(character)) text += `${sign}${byte.toString(16).toUpperCase().padStart(2, '0')}`
  }
  return text
}

/** Options of every resolver of credentials. */
export interface CredentialOptions {
  /** References that every tenant gets the same secret for. All others are looked up for the tenant alone. */
  readonly shared?: readonly string[]
  /** Whether this tenant, user and tool may have it at all; all may by default. Only `true` is a yes; a promise is not. */
  allow?(request: CredentialRequest): boolean
}

export const mayHave = (request: CredentialRequest, options: CredentialOptions): boolean =>
  options.allow === undefined || options.allow(request) === true

/** Whose secret is looked up. */
export type SecretOwner =
  | { readonly kind: 'all_tenants' }
  | { readonly kind: 'tenant'; readonly tenant: string }
  | { readonly kind: 'user'; readonly tenant: string; readonly user: string }

export function secretOwner(
  { ref, per, tenant, user }: CredentialRequest,
  { shared = [] }: CredentialOptions,
): SecretOwner {
  if (per === 'user') return { kind: 'user', tenant, user: user ?? '' }
  return shared.includes(ref) ? { kind: 'all_tenants' } : { kind: 'tenant', tenant }
}

export const notAllowed = {
  kind: 'refused',
  reason: 'it is not handed out to this tenant, user and tool.',
} as const
