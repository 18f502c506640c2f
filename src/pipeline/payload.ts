// What an approval is bound to: the contract, who asked in which run, what people saw, and what the executor will get.
import type { Call } from '../contract/call.ts'
import { copyParsed } from '../json/copy.ts'
import { hashFields, hashJson } from '../json/hash.ts'

export function payloadHash(call: Call): string {
  const copy = copyParsed(call.callInput ?? null, { toJson: true })
  return hashFields('proviso.payload.v1', [
    call.tool?.contractHash ?? null,
    call.principal.user ?? null,
    call.run ?? null,
    call.inputHash ?? null,
    hashJson(call.permissionInput ?? null),
    // A library's output that is no JSON is stood for by its input, from which it is made again on every pass.
    copy.ok ? hashJson(copy.value) : null,
  ])
}
