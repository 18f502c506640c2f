// Orders calls within this process: a tool that is not declared concurrent has its run for itself, and what the binding locks is held from
// here to the end of the call. After a wait the state is judged again, so an admitted call starts on what it saw. What other processes
// do is ordered by the ledger alone: slots, budgets and rates.
import type { LockGrant, LockWant } from '../../contract/call/call-locks.ts'
import type { Call, JudgedCall, OpenedCall } from '../../contract/call/stages.ts'
import { effectRow } from '../../contract/effects.ts'
import type { Tool } from '../../contract/tool/tool.ts'
import { canonicalize } from '../../json/canonical.ts'
import { readTokens, tokensOf } from '../../json/pointer.ts'
import type { JsonValue } from '../../json/value.ts'
import type { Deps } from '../deps.ts'
import { type Act, type Gives, pass, passWith, type Stop, stop, type Verdict } from '../phase.ts'

type Given = Gives<JudgedCall, never, 'held' | 'lookedUp'>

export const schedule: Act<JudgedCall, Given> = {
  name: 'schedule',
  does: 'Waits for its turn in the batch, takes the locks of the call within this process and holds them to its end.',
  stopsWith: [
    { class: 'UNKNOWN_ERROR', reasons: ['canceled', 'sibling_canceled'] },
    { class: 'TIMEOUT', reasons: ['timeout'] },
    { class: 'POLICY_VIOLATION', reasons: ['context_change_forbidden'] },
    { class: 'DEPENDENCY_UNAVAILABLE', reasons: ['would_deadlock'] },
  ],
  act(call, deps) {
    const cancellation = cancellationOf(call)
    if (cancellation !== undefined) return cancellation
    if (call.held !== undefined) return starting(call)
    if (call.seat?.changesContext() === true) return contextForbidden
    const turn = call.seat?.turn()
    return turn === undefined ? takeLocks(call, deps) : turn.then(() => takeLocks(call, deps))
  },
  keep: ({ held, seat }) => {
    if (held === undefined && seat === undefined) return undefined
    return {
      ...(seat === undefined ? {} : { batch: seat.batch, index: seat.index }),
      ...(held === undefined
        ? {}
        : {
            waited: held.waited,
            ticket: held.ticket,
            locks: held.locks,
            // Of the clock that durations are measured by: with the durations of the facts it tells when each phase began and ended.
            since_us: Math.round(held.since * 1_000),
          }),
    }
  },
}

/** Its siblings that come later are in turn once it has asked, whether it waits or not. */
function takeLocks(call: JudgedCall, { clock }: Deps): Verdict<Given> | Promise<Verdict<Given>> {
  const cancellation = cancellationOf(call)
  if (cancellation !== undefined) return cancellation
  const { tool, seat, locks, signal } = call
  const wants = lockWants(call, tool)
  if (locks === undefined || wants.length === 0) {
    seat?.asked(wants)
    return starting(call)
  }
  const asked = locks.acquire(wants, signal)
  seat?.asked(wants)
  const verdict = (granted: LockGrant | 'entangled' | undefined): Verdict<Given> => {
    if (granted === 'entangled') return wouldDeadlock
    if (granted === undefined || signal?.aborted === true) return cancellationOf(call) ?? callerGone
    const held = { ...granted, since: clock.monotonic() }
    const isUnchanged = call.slotRef === undefined && tool.binding.state === undefined
    if (!held.waited || isUnchanged) {
      seat?.starts()
      return passWith({ held })
    }
    // Another call may have finished this very operation meanwhile: judge from its record on.
    const from = call.slotRef === undefined ? 'state' : 'permission'
    return { kind: 'again', from, gives: { held, lookedUp: undefined } }
  }
  return asked instanceof Promise ? asked.then(verdict) : verdict(asked)
}

function starting({ seat }: JudgedCall) {
  seat?.starts()
  return pass
}

const contextForbidden = stop(
  'POLICY_VIOLATION',
  'context_change_forbidden',
  'What this call returns changes what its siblings are judged by, which this batch forbids. Make it in a step of its own.',
)

const wouldDeadlock = stop(
  'DEPENDENCY_UNAVAILABLE',
  'would_deadlock',
  'The call was made by another one, and would wait for a lock that is held until that one ends. Nothing was done.',
)

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

/** By what its tool declares, and by nothing that a model says about it. */
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

/** The end of a JSON text is always clear, so the name of a tenant can follow it and no two keys are the same by chance. */
function keyOf(kind: 'value' | 'run' | 'tool', value: JsonValue, { tenant }: OpenedCall): string {
  return `${kind} ${typeof value === 'string' ? JSON.stringify(value) : canonicalize(value)} ${tenant}`
}

export const siblingFailed = new DOMException('Another call of the batch failed.', 'AbortError')
export const batchOutOfTime = new DOMException('The time of the batch is up.', 'TimeoutError')

/** Why a call is not to start any more. The reason of the abort says which; any other reason means a caller that went away. */
function cancellationOf({ signal }: OpenedCall): Stop | undefined {
  if (signal?.aborted !== true) return undefined
  switch (signal.reason) {
    case siblingFailed:
      return stop(
        'UNKNOWN_ERROR',
        'sibling_canceled',
        'Another call of the same step failed, so this one was not started. Nothing was done.',
      )
    case batchOutOfTime:
      return stop('TIMEOUT', 'timeout', 'The time of the whole step was up before the call was started.')
    default:
      return callerGone
  }
}

const callerGone = stop(
  'UNKNOWN_ERROR',
  'canceled',
  'The caller went away before the call was started. Nothing was done.',
)
