// The rules of drift and of contract versions: one table, walked by every comparison, printed by `proviso diff --rules` and by the reference
// page. A test plants a change for every row, and another holds the table to the ten changes that break a contract.

import { inputRules } from './input-rules.ts'
import { listRules } from './list-rules.ts'
import { outputRules } from './output-rules.ts'
import { proseRules } from './prose-rules.ts'
import type { DriftRule, ToolRule } from './rule.ts'
import { termRules } from './term-rules.ts'

export const toolRules: readonly ToolRule[] = [...inputRules, ...outputRules, ...termRules, ...proseRules]

export const driftRules: readonly DriftRule[] = [...listRules, ...toolRules]
