// What budgets say before a person is asked: money that no limit of the tool counts is not spent. How much is left is for the admission.
import type { Judged } from '../../contract/call/stages.ts'
import type { Tool } from '../../contract/tool/tool.ts'
import type { Voice } from '../voices.ts'
import { amountOf } from './call-amount.ts'
import { claimsOf } from './claims.ts'
import type { Budgets } from './limit.ts'

const silent: readonly Voice[] = Object.freeze([])

export function budgetVoices(call: Judged, tool: Tool, budgets: Budgets): readonly Voice[] {
  if (budgets.of(tool).money.length === 0 || call.saga?.direction === 'backward') return silent
  const reading = amountOf(call, tool)
  // No amount at all was refused where arguments are judged.
  if (!reading.ok) return silent
  const claims = claimsOf(call, tool, reading.amount, budgets)
  return claims.ok ? silent : [{ source: 'budget/currency', says: 'deny', message: claims.objection }]
}
