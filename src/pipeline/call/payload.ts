// What an approval is bound to: the contract, who asked in which run, what people saw, and what the executor will get.
import type { Call } from '../../contract/call/call.ts'
import { hashFields, hashJson } from '../../json/hash.ts'
import { taggedForm } from '../../json/tagged-form.ts'

/** Undefined where the executor would get something that cannot be pinned down, and so cannot be approved. */
export function payloadHash(call: Call): string | undefined {
  const form = taggedForm(call.callInput)
  if (form === undefined) return undefined
  return hashFields('proviso.payload.v1', [
    call.tool?.contractHash ?? null,
    call.principal.user ?? null,
    call.run ?? null,
    call.inputHash ?? null,
    hashJson(call.permissionInput ?? null),
    hashJson(form),
  ])
}
