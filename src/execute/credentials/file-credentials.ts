// Secrets in files, one each, which nobody else may read. The folder of the tenant holds them; a file that others may use is refused.
import { join } from 'node:path'
import type { CredentialRequest, CredentialResolver } from '../../contract/credential.ts'
import { readWhole } from '../../ledger/log/private-file.ts'
import { filePart, notAllowed, ownerOf, type SharedChoices } from './safe-name.ts'

export interface FileChoices extends SharedChoices {
  /** Holds a folder per tenant. */
  readonly dir: string
}

export function fileCredentials(choices: FileChoices): CredentialResolver {
  return {
    id: 'file',
    async resolve(request) {
      if (choices.allow?.(request) === false) return notAllowed
      const reading = await readWhole(pathOf(request, choices), { secret: true })
      switch (reading.kind) {
        case 'absent':
          return reading
        case 'refused':
          return reading
        case 'read':
          // Editors end a file with a line break, secrets do not.
          return { kind: 'found', value: reading.text.replace(/\r?\n$/, '') }
      }
    },
  }
}

/** `acme/billing~2Fapi`; what all tenants share is in `@shared`, what is a user's in `acme/@ann`: no other name begins so. */
function pathOf(request: CredentialRequest, choices: FileChoices): string {
  const owner = ownerOf(request, choices)
  const file = filePart(request.ref)
  switch (owner.kind) {
    case 'everybody':
      return join(choices.dir, '@shared', file)
    case 'tenant':
      return join(choices.dir, filePart(owner.tenant), file)
    case 'user':
      return join(choices.dir, filePart(owner.tenant), `@${filePart(owner.user)}`, file)
  }
}
