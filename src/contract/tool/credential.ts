// Credentials: what a tool asks for by reference, and the port through which the host hands the secret out. The value is seen by the
// executor alone; records hold the reference only.
import type { JsonObject } from '../../json/value.ts'
import { choice, closed, text, texts } from '../closed-schema.ts'
import type { Awaitable } from './executor.ts'

/** What a binding asks for under one name. */
export interface CredentialBinding {
  /** Names the secret where it is kept, such as `billing/api`. It is recorded; the secret never is. */
  readonly ref: string
  /** Whether the tenant has one, or each of its users has one of their own. */
  readonly per?: 'tenant' | 'user' | undefined
  /** What the secret has to be good for, where a resolver can issue narrower ones. */
  readonly scopes?: readonly string[] | undefined
}

const nameSyntax = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/
/** Parts between slashes; no part is empty, a dot or two, or holds what a store would read as something else. */
const refSyntax = /^(?!\.{1,2}(?:\/|$))[\w.:@-]+(?:\/(?!\.{1,2}(?:\/|$))[\w.:@-]+)*$/
const maxRefLength = 256

/** Whether a name and what is asked for under it can be one: bindings also come from JavaScript that no compiler has checked. */
export function isCredential([name, asked]: readonly [string, CredentialBinding]): boolean {
  const { ref, per, scopes = [] } = asked
  return (
    nameSyntax.test(name) &&
    typeof ref === 'string' &&
    ref.length <= maxRefLength &&
    refSyntax.test(ref) &&
    (per === undefined || per === 'tenant' || per === 'user') &&
    Array.isArray(scopes)
  )
}

export type CredentialBindings = Readonly<Record<string, CredentialBinding>>

/** For whom a secret is wanted: one tenant, one user, one tool, one call. */
export interface CredentialRequest {
  readonly name: string
  readonly ref: string
  readonly per: 'tenant' | 'user'
  readonly scopes: readonly string[]
  readonly tenant: string
  readonly user: string | undefined
  readonly tool: string
  readonly callId: string
  /** Aborted when no call waits for the secret any more. */
  readonly signal: AbortSignal
}

export type CredentialResolution =
  | { readonly kind: 'found'; readonly value: string }
  /** Not kept here; the next resolver is asked. */
  | { readonly kind: 'absent' }
  /** Kept here, and not to be handed out: says why, without the secret. No other resolver is asked. */
  | { readonly kind: 'refused'; readonly reason: string }

/** Where secrets come from. It throws where it cannot tell; then no other resolver is asked. */
export interface CredentialResolver {
  readonly id: string
  resolve(request: CredentialRequest): Awaitable<CredentialResolution>
}

/** Credentials as a tool file asks for them. */
export const credentialsSchema = (description: string): JsonObject => ({
  type: 'object',
  description,
  propertyNames: { pattern: '^[A-Za-z][A-Za-z0-9_-]{0,63}$' },
  additionalProperties: closed(
    'One secret.',
    {
      ref: { ...text('Names the secret where it is kept, such as billing/api.'), minLength: 1, maxLength: 256 },
      per: choice('Whether the tenant has one, which is the default, or each of its users.', ['tenant', 'user']),
      scopes: texts('What the secret has to be good for, where narrower ones can be issued.'),
    },
    ['ref'],
  ),
})
