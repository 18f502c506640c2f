// The calls of a saga: each through all gates, made for the principal that began it. What only the engine may say — the step, the direction —
// travels beside the context, where no caller reaches it.
import type { Answer } from '../../contract/call/answer.ts'
import { type SagaContext, type SagaMark, sagaOperation, stepCallIds } from '../../contract/saga/saga.ts'
import type { SagaPorts, StepCall } from '../../execute/saga/saga-ports.ts'
import { approvalStatus } from '../../ledger/rules/permit.ts'
import type { CallContext } from '../call/call-context.ts'
import { sagaSlotKey } from '../call/operation.ts'
import type { Deps } from '../deps.ts'
import type { HandleInput } from '../handle.ts'
import type { Principals } from './resume-calls.ts'

export interface SagaCallsInput {
  readonly deps: Deps
  readonly principals: Principals | undefined
  /** Runs a proposal with the tools of this process. */
  readonly call: (input: Pick<HandleInput, 'proposal' | 'context' | 'saga'>) => Promise<Answer>
}

export function createSagaPorts({ deps, principals, call }: SagaCallsInput): SagaPorts {
  const { ledger, clock, entropy, report } = deps
  return {
    store: ledger.sagas,
    clock,
    entropy,
    report,
    async call(order) {
      const { saga, mark, tool, arguments: args } = order
      const context = await contextFor(order, principals)
      return call({
        proposal: { tool, arguments: args, callId: callIdOf(mark) },
        context: saga.context.tenant === undefined ? context : { ...context, tenant: saga.tenant },
        saga: mark,
      })
    },
    slotKey: sagaSlotKey,
    slot: async (tenant, key) => (await ledger.operations.slot(tenant, key, undefined)).record,
    // As whom it was fetched for: what a step returned belongs to the one who began the saga, also once they may no longer call.
    async result({ tenant, context: { user, run, roles = [], scopes = [] } }, ref) {
      const stored = await deps.stored.get(ref, { tenant, user, run, roles, scopes })
      return stored.ok ? stored.value : undefined
    },
    verification: async (id, tenant) => (await ledger.calls.get(id, tenant))?.verification,
    async isPending(id, tenant) {
      const approval = await ledger.approvals.get(id, tenant)
      return approval !== undefined && approvalStatus(approval, clock.now()) === 'pending'
    },
    later(ms, look) {
      // On a durable ledger a sweep comes by, in this process or another.
      if (ledger.durability === 'ephemeral') setTimeout(look, ms).unref()
    },
  }
}

/** By which the same step is found again, and its approval with it. */
const callIdOf = (mark: SagaMark) => `${stepCallIds}${sagaOperation(mark)}`

/** Roles and scopes as they are now, where the one who began the saga is not there to bring them; of a user that is gone, none. */
async function contextFor({ saga, mark, resumed }: StepCall, principals: Principals | undefined): Promise<CallContext> {
  const { user, agent } = saga.context
  const context = mark.direction === 'forward' ? plain(saga.context) : unclaimed(saga.context)
  if (!resumed || principals === undefined || user === undefined) return context
  const now = await principals({ tenant: saga.tenant, user, agent })
  return { ...context, roles: now?.roles ?? [], scopes: now?.scopes ?? [] }
}

const plain = ({ tenant: _tenant, ...context }: SagaContext): CallContext => context

/** A release that was rolled back stops the agents that were built from it, and not the undoing of what they did. */
const unclaimed = ({ release: _release, model: _model, promptHash: _hash, ...context }: SagaContext): CallContext =>
  plain(context)
