// The rules of `proviso check`: one table, printed by --rules and walked by the linter. A test plants a fault for every row.
import { argumentRules } from './argument-rules.ts'
import { contractRules } from './contract-rules.ts'
import { fileRules } from './file-rules.ts'
import type { Finding, RuleRow } from './finding.ts'
import { schemaRules } from './schema-rules.ts'
import type { Subject } from './subject.ts'

export const rules: readonly RuleRow[] = [...fileRules, ...schemaRules, ...argumentRules, ...contractRules]

/** Everything the rules have to say about one file, in the order of the table. */
export function lint(subject: Subject): readonly Finding[] {
  return rules.flatMap((rule) => rule.find(subject).map((spot) => ({ rule: rule.id, level: rule.level, ...spot })))
}
