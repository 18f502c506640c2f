// Everything that people do through a Proviso: decide, grant, revoke, resolve, raise. One door, and a credential opens it.
import type { Approval } from '../contract/approval.ts'
import type { Identity } from '../contract/identity.ts'
import type { Tool } from '../contract/tool.ts'
import type { Clock } from '../json/clock.ts'
import type { Entropy } from '../json/id.ts'
import type { Ledger, Resolved } from '../ledger/ledger.ts'
import type { Budgets } from '../policy/budgets/limit.ts'
import { type Approvals, type ApprovalView, createApprovals } from './approvals.ts'
import type { BudgetAsker, BudgetRequest } from './budget-request.ts'
import type { Grants } from './grants.ts'
import { type ResolutionInput, resolveHeld } from './resolve-held.ts'
import { personVerifier } from './verify-person.ts'

export interface People {
  readonly approvals: Approvals & Grants
  resolve(id: string, resolution: ResolutionInput): Promise<Resolved & { readonly by: string }>
  requestBudget(request: BudgetRequest, asker: BudgetAsker): Promise<ApprovalView>
}

export interface PeopleInput {
  readonly ledger: Ledger
  readonly clock: Clock
  readonly entropy: Entropy
  readonly budgets: Budgets
  readonly identity: () => Promise<Identity | undefined>
  readonly toolNamed: (name: string) => Tool | undefined
  /** Runs a call again that asked to be run by the decision. */
  readonly resume: (callId: string) => Promise<void>
}

export function createPeople(input: PeopleInput): People {
  const { ledger, clock, identity, resume } = input
  const verify = personVerifier(identity)
  const onApproved = async (approval: Approval) => {
    if (approval.kind === 'call' && approval.resume) await resume(approval.callId)
  }
  // The prover is half of the code: it is loaded by whoever asks for a grant.
  const grants = async (): Promise<Grants> => (await import('./grants.ts')).createGrants({ ...input, verify })
  return {
    approvals: {
      ...createApprovals({ ledger, clock, verify, onApproved }),
      grant: async (wanted, asker) => (await grants()).grant(wanted, asker),
      grants: async (query) => (await grants()).grants(query),
      revoke: async (id, revocation) => (await grants()).revoke(id, revocation),
    },
    resolve: (id, resolution) => resolveHeld(ledger, verify, id, resolution),
    async requestBudget(request, asker) {
      const { requestBudget } = await import('./budget-request.ts')
      return requestBudget(input, request, asker)
    },
  }
}
