// Orders calls within this process: mutating calls of one run go one at a time unless declared concurrent, and whatever the binding
// locks is held from here to the end of the call. After a wait the state is judged again, so an admitted call starts on what it saw.
import type { Call } from '../../contract/call.ts'
import { effectRow } from '../../contract/effects.ts'
import type { Tool } from '../../contract/tool.ts'
import type { Held } from '../../execute/locks.ts'
import { canonicalize } from '../../json/canonical.ts'
import { readPointer } from '../../json/pointer.ts'
import { toolOf } from '../context.ts'
import { type Act, pass, stop } from '../phase.ts'

export const schedule: Act = {
  name: 'schedule',
  does: 'Takes the locks of the call and holds them to its end.',
  stopsWith: [{ class: 'UNKNOWN_ERROR', reasons: ['canceled'] }],
  act(call, { locks }) {
    if (call.signal?.aborted) return canceled()
    if (call.held !== undefined) return pass
    const keys = lockKeys(call, toolOf(call))
    if (keys.length === 0) return pass
    const held = locks.acquire(keys, call.signal)
    return held instanceof Promise ? held.then((granted) => verdict(granted, call)) : verdict(held, call)
  },
  keep: ({ held }) => (held === undefined ? undefined : { waited: held.waited }),
}

function verdict(held: Held | undefined, call: Call) {
  if (held === undefined) return canceled()
  // Released by whoever opened the call, however it ends.
  if (call.locks !== undefined) call.locks.release = held.release
  if (!held.waited) return { kind: 'pass', gives: { held } } as const
  // Another call may have finished this very operation meanwhile: judge from its record on.
  const from = call.slotRef === undefined ? 'state' : 'permission'
  return { kind: 'again', from, gives: { held, lookedUp: undefined } } as const
}

const canceled = () =>
  stop('UNKNOWN_ERROR', 'canceled', 'The caller went away before the call was started. Nothing was done.')

function lockKeys(call: Call, { contract, binding }: Tool): readonly string[] {
  const keys = binding.locks.flatMap((pointer) => {
    const value = readPointer(call.callJson ?? {}, pointer)
    return value === undefined ? [] : [canonicalize([call.tenant, 'value', value])]
  })
  if (effectRow(contract.transactional.side_effect_class).mutates && !binding.concurrent) {
    keys.push(canonicalize([call.tenant, 'run', call.run ?? '']))
  }
  return keys
}
