// Secrets in files, one each, which no other user of the machine may read. The folder of the
// tenant holds them; a file that others may use is refused.
import { join } from 'node:path'
import type { CredentialRequest, CredentialResolver } from '../../contract/tool/credential.ts'
import { readWhole } from '../../ledger/files/private-file.ts'
import { type CredentialOptions, filePart, mayHave, notAllowed, secretOwner } from './safe-name.ts'

export interface FileCredentialOptions extends CredentialOptions {
  /** Holds a folder per tenant. */
  readonly dir: string
}

export function fileCredentials(options: FileCredentialOptions): CredentialResolver {
  return {
    id: 'file',
    async resolve(request) {
      if (!mayHave(request, options)) return notAllowed
      const reading = await readWhole(pathOf(request, options), { secret: true })
      switch (reading.kind) {
        case 'absent':
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
function pathOf(request: CredentialRequest, options: FileCredentialOptions): string {
  const owner = secretOwner(request, options)
  const file = filePart(request.ref)
  switch (owner.kind) {
    case 'all_tenants':
      return join(options.dir, '@shared', file)
    case 'tenant':
      return join(options.dir, filePart(owner.tenant), file)
    case 'user':
      return join(options.dir, filePart(owner.tenant), `@${filePart(owner.user)}`, file)
  }
}
