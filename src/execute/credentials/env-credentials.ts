// Secrets in the environment of the process, one variable each. The tenant is part of the variable's name.
import type { CredentialRequest, CredentialResolver } from '../../contract/credential.ts'
import { notAllowed, ownerOf, type SharedChoices, variablePart } from './safe-name.ts'

export interface EnvChoices extends SharedChoices {
  /** Begins every name; PROVISO_SECRET by default. */
  readonly prefix?: string
  /** Where the variables are; the environment of this process by default. */
  readonly env?: Readonly<Record<string, string | undefined>>
}

export function envCredentials(choices: EnvChoices = {}): CredentialResolver {
  const { env = process.env } = choices
  return {
    id: 'env',
    resolve(request) {
      if (choices.allow?.(request) === false) return notAllowed
      const name = variableOf(request, choices)
      const value = Object.hasOwn(env, name) ? env[name] : undefined
      return value === undefined || value === '' ? { kind: 'absent' } : { kind: 'found', value }
    },
  }
}

/** `PROVISO_SECRET__ACME__BILLING_2FAPI` is billing/api of the tenant acme; a user's has one part more, what all share one less. */
function variableOf(request: CredentialRequest, choices: EnvChoices): string {
  const owner = ownerOf(request, choices)
  const parts = [
    ...(owner.kind === 'everybody' ? [] : [variablePart(owner.tenant)]),
    ...(owner.kind === 'user' ? [variablePart(owner.user)] : []),
    variablePart(request.ref),
  ]
  return [choices.prefix ?? 'PROVISO_SECRET', ...parts].join('__')
}
