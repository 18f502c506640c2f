// Secrets in the environment of the process, one variable each. The tenant is part of the variable's name.
import type { CredentialRequest, CredentialResolver } from '../../contract/tool/credential.ts'
import { type CredentialOptions, mayHave, notAllowed, secretOwner, variablePart } from './safe-name.ts'

export interface EnvCredentialOptions extends CredentialOptions {
  /** Begins every name; PROVISO_SECRET by default. */
  readonly prefix?: string
  /** Where the variables are; the environment of this process by default. */
  readonly env?: Readonly<Record<string, string | undefined>>
}

export function envCredentials(options: EnvCredentialOptions = {}): CredentialResolver {
  const { env = process.env } = options
  return {
    id: 'env',
    resolve(request) {
      if (!mayHave(request, options)) return notAllowed
      const name = variableOf(request, options)
      const value = Object.hasOwn(env, name) ? env[name] : undefined
      return value === undefined || value === '' ? { kind: 'absent' } : { kind: 'found', value }
    },
  }
}

/** `PROVISO_SECRET__ACME__BILLING_2FAPI` is billing/api of the tenant acme; a user's has one part more, what all share one less. */
function variableOf(request: CredentialRequest, options: EnvCredentialOptions): string {
  const owner = secretOwner(request, options)
  const parts = [
    ...(owner.kind === 'all_tenants' ? [] : [variablePart(owner.tenant)]),
    ...(owner.kind === 'user' ? [variablePart(owner.user)] : []),
    variablePart(request.ref),
  ]
  return [options.prefix ?? 'PROVISO_SECRET', ...parts].join('__')
}
