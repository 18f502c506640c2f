// Runs calls again that people have approved, without their agent: at the decision, or later in a process that has the tool. A call that
// an approval does not bring to its end is tried ever more seldom; where two processes take one up, its slot lets one run.
import type { Answer } from '../../contract/call/answer.ts'
import type { Proposal } from '../../contract/call/call.ts'
import type { Awaitable } from '../../contract/tool/executor.ts'
import type { Clock } from '../../json/clock.ts'
import type { CallRecord } from '../../ledger/ports/calls.ts'
import type { Ledger } from '../../ledger/ports/ledger.ts'
import type { CallContext } from '../call/call-context.ts'
import type { RecordedInput } from '../call/inputs.ts'
import { resumedContext } from '../record/find-call.ts'

/** Roles and scopes as they are after the wait; undefined where there is no such user any more. */
export type Principals = (who: {
  readonly tenant: string
  readonly user: string
  readonly agent: string | undefined
}) => Awaitable<{ readonly roles: readonly string[]; readonly scopes: readonly string[] } | undefined>

export interface ResumeInput {
  readonly ledger: Ledger
  readonly clock: Clock
  readonly principals: Principals | undefined
  /** Whether this process can run calls of this contract. */
  readonly hasTool: (contractHash: string) => boolean
  readonly call: (proposal: Proposal, context: CallContext, recorded: RecordedInput) => Promise<Answer>
  readonly report: (fault: unknown) => void
}

export interface Resumer {
  resume(callId: string): Promise<void>
  /** Takes up what was approved elsewhere, a page at a time. */
  resumeApproved(): Promise<void>
}

const firstPauseMs = 1_000
const longestPauseMs = 600_000
/** So many pauses are remembered; above that, all begin anew. */
const maxRemembered = 10_000

export function createResumer({ ledger, clock, principals, hasTool, call, report }: ResumeInput): Resumer {
  const pauses = new Map<string, { readonly ms: number; readonly until: number }>()
  let after: string | undefined
  let sweeping: Promise<void> | undefined

  const principalNow = async ({ key, principal }: CallRecord): Promise<CallContext | undefined> => {
    const { user, agent } = principal
    if (principals === undefined || user === undefined) return {}
    const now = await principals({ tenant: key.tenant, user, agent })
    return now === undefined ? undefined : { roles: now.roles, scopes: now.scopes }
  }

  const resume = async (callId: string): Promise<void> => {
    const record = await ledger.calls.get(callId)
    if (record === undefined || !hasTool(record.contractHash)) return
    const { proposal, context } = resumedContext(record)
    const principal = await principalNow(record)
    if (principal === undefined) return
    // On the surface as it is now: what was blocked, hidden or sunset during the wait is not run by a decision either.
    await call(proposal, { ...context, ...principal }, { mutations: record.mutations, inputHash: record.key.inputHash })
  }

  const sweep = async (): Promise<void> => {
    const page = await ledger.approvals.resumable(after)
    // Then from the start again: calls that this process cannot run do not stand in the way of the others.
    after = page.at(-1)
    for (const callId of page) {
      const earlier = pauses.get(callId)
      if (earlier !== undefined && clock.monotonic() < earlier.until) continue
      if (pauses.size >= maxRemembered) pauses.clear()
      const ms = earlier === undefined ? firstPauseMs : Math.min(earlier.ms * 4, longestPauseMs)
      pauses.set(callId, { ms, until: clock.monotonic() + ms })
      // One that fails keeps no other waiting.
      await resume(callId).catch(report)
    }
  }

  return {
    resume,
    resumeApproved() {
      sweeping ??= sweep().finally(() => {
        sweeping = undefined
      })
      return sweeping
    },
  }
}
