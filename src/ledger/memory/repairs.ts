// Counts of repairs in memory. Of very many scopes the ones that were refused longest ago are forgotten.
import type { Escalation } from '../../contract/approval/approval.ts'
import type { Repairs } from '../ports/repairs.ts'
import { afterRefusal, afterRepair, type RepairState, repairScopeKey } from '../rules/repair.ts'

/** Of each tenant: one that makes very many does not end the counts of another. */
const maxScopes = 10_000

export interface Questions {
  open(question: Escalation): void
  close(id: string): void
}

export function createMemoryRepairs({ open, close }: Questions): Repairs {
  const tenants = new Map<string, Map<string, RepairState>>()
  return {
    refused(scope, refusal) {
      const key = repairScopeKey(scope)
      const states = tenants.get(scope.tenant) ?? new Map<string, RepairState>()
      tenants.set(scope.tenant, states)
      const { state, halted, asks, repairs } = afterRefusal(states.get(key), scope, refusal)
      states.delete(key)
      states.set(key, state)
      if (states.size > maxScopes) states.delete(states.keys().next().value ?? '')
      if (asks !== undefined) open(asks)
      return { halted, repairs }
    },
    repaired(scope) {
      const key = repairScopeKey(scope)
      const states = tenants.get(scope.tenant)
      const state = states?.get(key)
      if (states === undefined || state === undefined || (state.consecutive === 0 && !state.halted)) return
      if (state.halted && state.escalation !== undefined) close(state.escalation)
      states.set(key, afterRepair(state))
    },
  }
}
