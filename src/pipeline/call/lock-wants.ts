// Which locks a call wants: by what its tool declares, and by nothing that a model says about it.
import type { LockWant } from '../../contract/call/call-locks.ts'
import type { Call, OpenedCall } from '../../contract/call/stages.ts'
import { effectRow } from '../../contract/effects.ts'
import type { Tool } from '../../contract/tool/tool.ts'
import { canonicalize } from '../../json/canonical.ts'
import { readTokens, tokensOf } from '../../json/pointer.ts'
import type { JsonValue } from '../../json/value.ts'

const none: readonly LockWant[] = Object.freeze([])

const mutates = ({ contract }: Tool) => effectRow(contract.transactional.side_effect_class).mutates

/** Whether calls of this tool can want any; a batch asks before their arguments are read. */
export function takesLocks(tool: Tool): boolean {
  return tool.binding.locks.length > 0 || !tool.binding.concurrent
}

const places = new WeakMap<Tool, readonly (readonly string[])[]>()

function lockedPlaces(tool: Tool): readonly (readonly string[])[] {
  const known = places.get(tool) ?? tool.binding.locks.map(tokensOf)
  places.set(tool, known)
  return known
}

export function lockWants(call: Call, tool: Tool): readonly LockWant[] {
  const { binding } = tool
  if (!takesLocks(tool)) return none
  const mode = mutates(tool) ? 'exclusive' : 'shared'
  const wants: LockWant[] = []
  for (const tokens of lockedPlaces(tool)) {
    const value = readTokens(call.callJson ?? call.modelInput ?? {}, tokens)
    if (value !== undefined) wants.push({ key: keyOf('value', value, call), mode, resource: true })
  }
  // A tool that is not declared concurrent has its run for itself; outside of any run, itself.
  if (!binding.concurrent)
    wants.push({
      key: call.run === undefined ? keyOf('tool', tool.contract.identity.name, call) : keyOf('run', call.run, call),
      mode: 'exclusive',
      resource: false,
    })
  return wants
}

/** A JSON text ends where it ends: with any name of a tenant behind it, no two keys are the same by chance. */
function keyOf(kind: 'value' | 'run' | 'tool', value: JsonValue, { tenant }: OpenedCall): string {
  return `${kind} ${typeof value === 'string' ? JSON.stringify(value) : canonicalize(value)} ${tenant}`
}
