// Which locks a call wants: by what its tool declares, and by nothing that a model says about it.
import type { Call } from '../contract/call.ts'
import type { LockWant } from '../contract/call-locks.ts'
import { effectRow } from '../contract/effects.ts'
import type { Tool } from '../contract/tool.ts'
import { canonicalize } from '../json/canonical.ts'
import { readPointer } from '../json/pointer.ts'

const none: readonly LockWant[] = Object.freeze([])

const mutates = ({ contract }: Tool) => effectRow(contract.transactional.side_effect_class).mutates

/** Whether calls of this tool can want any; a batch asks before their arguments are read. */
export function takesLocks(tool: Tool): boolean {
  return tool.binding.locks.length > 0 || !tool.binding.concurrent
}

export function lockWants(call: Call, tool: Tool): readonly LockWant[] {
  const { binding } = tool
  if (!takesLocks(tool)) return none
  const mode = mutates(tool) ? 'exclusive' : 'shared'
  const wants: LockWant[] = []
  for (const pointer of binding.locks) {
    const value = readPointer(call.callJson ?? call.modelInput ?? {}, pointer)
    if (value !== undefined) wants.push({ key: canonicalize([call.tenant, 'value', value]), mode, resource: true })
  }
  // Whatever is not declared concurrent has its run for itself; outside of any run, its tool.
  if (!binding.concurrent)
    wants.push({
      key:
        call.run === undefined
          ? canonicalize([call.tenant, 'tool', tool.contract.identity.name])
          : canonicalize([call.tenant, 'run', call.run]),
      mode: 'exclusive',
      resource: false,
    })
  return wants
}
