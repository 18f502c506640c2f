// The rules that are tables, each once: Postgres gets those that it decides by, and tests walk them all.
import { dueRule } from './due.ts'
import { approvalRule, approvalStatusRule, grantRule } from './permit.ts'
import { resolutionRule } from './resolution.ts'
import { settleRule } from './settle.ts'
import { amendingRule, closingRule, expiryRule, overtakingRule, slotRule, undoingRule } from './slot.ts'
import { standingRule } from './standing.ts'
import type { Case, RuleTable } from './table.ts'

type AnyRule = RuleTable<Case, string>

/** Written as SQL. */
export const databaseRules = [
  slotRule,
  closingRule,
  expiryRule,
  undoingRule,
  amendingRule,
  overtakingRule,
  settleRule,
  standingRule,
  approvalRule,
  approvalStatusRule,
  grantRule,
  dueRule,
] as unknown as readonly AnyRule[]

/** A person's word is judged in TypeScript alone. */
export const everyRule: readonly AnyRule[] = [...databaseRules, resolutionRule as unknown as AnyRule]
