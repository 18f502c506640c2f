// Everything that people do through a Proviso: decide, grant, revoke, resolve, raise. One door, and a credential opens it.

import type { Approval } from '../contract/approval/approval.ts'
import type { Tool } from '../contract/tool/tool.ts'
import type { Clock } from '../json/clock.ts'
import type { Entropy } from '../json/id.ts'
import type { Ledger } from '../ledger/ports/ledger.ts'
import type { ResolutionOutcome } from '../ledger/ports/operations.ts'
import type { Budgets } from '../policy/budgets/limit.ts'
import { type ApprovalDesk, type ApprovalView, createApprovalDesk } from './approval-desk.ts'
import type { BudgetAsker, BudgetRequest } from './budget-request.ts'
import type { Grants } from './grants.ts'
import { type ResolutionInput, resolveHeld } from './resolve-held.ts'
import { type KnownIdentity, personVerifier, type VerifyPerson } from './verify-person.ts'

export interface People {
  readonly approvals: ApprovalDesk & Grants
  resolve(id: string, resolution: ResolutionInput): Promise<ResolutionOutcome & { readonly by: string }>
  requestBudget(request: BudgetRequest, asker: BudgetAsker): Promise<ApprovalView>
  readonly verify: VerifyPerson
}

export interface PeopleInput {
  readonly ledger: Ledger
  readonly clock: Clock
  readonly entropy: Entropy
  readonly budgets: Budgets
  readonly identity: KnownIdentity['identity']
  readonly tenants?: KnownIdentity['tenants']
  readonly toolNamed: (name: string) => Tool | undefined
  /** Runs a call again that asked to be run by the decision. */
  readonly resume: (callId: string) => Promise<void>
  /** Takes up a saga that a decision has woken, where this process can. */
  readonly resumeSaga?: (saga: WokenSaga) => Promise<void>
}

export function createPeople(input: PeopleInput): People {
  const { ledger, clock, resume } = input
  const verify = personVerifier(input)
  const onApproved = async (approval: Approval) => {
    if (approval.kind === 'call' && approval.resume) await resume(approval.callId)
  }
  const own = createApprovalDesk({ ledger, clock, verify, onApproved })
  const wake = async (callId: string) => {
    const woken = await wakeSagaOf(ledger, callId)
    if (woken !== undefined) await input.resumeSaga?.(woken)
  }
  const decided = async (view: ApprovalView): Promise<ApprovalView> => {
    if (view.kind === 'call' && view.status !== 'pending') await wake(view.callId)
    return view
  }
  // The prover is half of the code: it is loaded when a grant is asked for.
  const grants = async (): Promise<Grants> => (await import('./grants.ts')).createGrants({ ...input, verify })
  return {
    approvals: {
      ...own,
      approve: async (id, decision) => decided(await own.approve(id, decision)),
      reject: async (id, decision) => decided(await own.reject(id, decision)),
      grant: async (wanted, asker) => (await grants()).grant(wanted, asker),
      grants: async (query) => (await grants()).grants(query),
      revoke: async (id, revocation) => (await grants()).revoke(id, revocation),
    },
    async resolve(id, resolution) {
      const resolved = await resolveHeld(ledger, verify, id, resolution)
      if (resolved.kind === 'resolved') await wake(id)
      return resolved
    },
    verify,
    async requestBudget(request, asker) {
      const { requestBudget } = await import('./budget-request.ts')
      return requestBudget(input, request, asker)
    },
  }
}

export interface WokenSaga {
  readonly tenant: string
  readonly id: string
}

/** A saga waits for what people say about one of its calls: then it is woken, and a process that knows its definition takes it up. */
async function wakeSagaOf(ledger: Ledger, callId: string): Promise<WokenSaga | undefined> {
  const call = await ledger.calls.get(callId)
  if (call?.saga === undefined) return undefined
  const woken = { tenant: call.key.tenant, id: call.saga.id }
  await ledger.sagas.wake(woken.tenant, woken.id)
  return woken
}
