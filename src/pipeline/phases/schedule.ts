// Orders calls within this process: a tool that is not declared concurrent has its run for itself, and what the binding locks is held from
// here to the end of the call. After a wait the state is judged again, so an admitted call starts on what it saw. What other processes
// do is ordered by the ledger alone: slots, budgets and rates.
import type { LockGrant } from '../../contract/call/call-locks.ts'
import type { JudgedCall } from '../../contract/call/stages.ts'
import { callerGone, cancellationOf } from '../call/cancellation.ts'
import { lockWants } from '../call/lock-wants.ts'
import type { Deps } from '../deps.ts'
import { type Act, type Gives, stop, type Verdict } from '../phase.ts'

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
    if (!held.waited || isUnchanged) return { ...starting(call), gives: { held } }
    // Another call may have finished this very operation meanwhile: judge from its record on.
    const from = call.slotRef === undefined ? 'state' : 'permission'
    return { kind: 'again', from, gives: { held, lookedUp: undefined } }
  }
  return asked instanceof Promise ? asked.then(verdict) : verdict(asked)
}

function starting({ seat }: JudgedCall) {
  seat?.starts()
  return { kind: 'pass' } as const
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
