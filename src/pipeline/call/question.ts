// What people are asked about a call at this moment: made of the call alone and of what its tool says of it.
import { type Asked, askedOf } from '../../approval/question.ts'
import type { Call } from '../../contract/call/call.ts'
import { idempotencyKey } from '../../contract/call/slot.ts'
import { saidOf, stateAfter } from './host-sentences.ts'
import { keyFields } from './operation.ts'
import { toolOf } from './tool-context.ts'

export function askAbout(call: Call, payloadHash: string): Asked {
  return askedOf({
    call,
    tool: toolOf(call),
    payloadHash,
    fingerprint: call.slotRef === undefined ? payloadHash : idempotencyKey(keyFields(call), call.generation ?? 1),
    after: stateAfter(call),
    said: saidOf(call),
  })
}
