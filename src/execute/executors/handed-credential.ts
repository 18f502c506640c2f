// The secret that an executor was handed under a name. Registration and the resolver see to it that it is there; where it is not after
// all, nothing was started.
import { ToolError } from '../../contract/fault.ts'
import type { ExecutionContext } from '../../contract/tool/tool.ts'

export function handedCredential({ credentials }: Pick<ExecutionContext, 'credentials'>, name: string): string {
  const secret = credentials.get(name)
  if (secret !== undefined) return secret
  throw new ToolError(
    'credential_missing',
    `The credential ${name} was not handed over; credentials of the binding must ask for it. Nothing was done.`,
    { effect: 'none', class: 'DEPENDENCY_UNAVAILABLE' },
  )
}
