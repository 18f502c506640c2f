// Who is given the recorded answer of an operation that was done before. The effect is there once, for all that ask; what it returned belongs
// to the run it was done in and to the principal it was done for, unless the binding shares it with the tenant.
import type { Principal } from '../../contract/call/call.ts'
import type { SlotRecord } from '../../contract/call/slot.ts'
import type { JudgedCall } from '../../contract/call/stages.ts'
import type { Awaitable } from '../../contract/tool/executor.ts'
import type { Ledger } from '../../ledger/ports/ledger.ts'

/** What decides who is given a recorded answer; recorded, so that the decision can be replayed without the answer itself. */
export interface AnswerStanding {
  readonly hasAnswer: boolean
  readonly isFailure: boolean
  /** For whom the operation was done; null where it does not matter: the call is of the same run, or the binding shares answers with all. */
  readonly owner: { readonly user: string | null; readonly agent: string | null } | null
}

type Asking = Pick<JudgedCall, 'run' | 'principal' | 'tool'>

/** Undefined where there is no answer to give. */
export function answerStanding(
  record: SlotRecord | undefined,
  call: Asking,
  { calls }: Pick<Ledger, 'calls'>,
): Awaitable<AnswerStanding | undefined> {
  if (record === undefined || record.status === 'PENDING' || record.status === 'FAILED_RETRYABLE') return undefined
  const { answer } = record
  const standing = { hasAnswer: answer !== undefined, isFailure: answer?.observation.status.is_error === true }
  if (isOfRun(record, call) || call.tool.binding.share === 'tenant') return { ...standing, owner: null }
  const found = calls.get(record.callId, record.tenant)
  return found instanceof Promise
    ? found.then((of) => ({ ...standing, owner: ownerOf(of?.principal) }))
    : { ...standing, owner: ownerOf(found?.principal) }
}

/** A call without a run shares with none by its run. */
const isOfRun = ({ run }: SlotRecord, call: Asking) => run !== '' && run === call.run

const ownerOf = (principal: Principal | undefined) => ({
  user: principal?.user ?? null,
  agent: principal?.agent ?? null,
})

/** A user's own, through any agent; an agent's own where no user stands behind it. Without either it could be anyone. */
export function isSharedWith({ owner }: AnswerStanding, { principal }: Pick<Asking, 'principal'>): boolean {
  if (owner === null) return true
  const { user = null, agent = null } = principal
  if (owner.user !== null) return owner.user === user
  return owner.agent !== null && owner.agent === agent && user === null
}
