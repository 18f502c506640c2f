// Two versions of one tool, judged by the rule table for the question that is asked.
// Invariant: a definition that has changed is never without a finding.
import type { Finding, Question } from '../finding.ts'
import { type Allowance, unlimited } from '../rules/differences.ts'
import type { RuleRow, Spot } from '../rules/rule.ts'
import { toolRules } from '../rules/rules.ts'
import { toolPair } from '../rules/tool-pair.ts'
import type { ToolSnapshot } from '../snapshot.ts'

export function compareTools(
  before: ToolSnapshot,
  after: ToolSnapshot,
  question: Question,
  allowance: Allowance = unlimited(),
): readonly Finding[] {
  const pair = toolPair(before, after, allowance)
  const findings = toolRules
    .filter(({ last }) => last !== true)
    .flatMap((rule) => rule.find(pair).map((spot) => findingOf(rule, spot, before.name, question)))
  if (findings.length > 0) return findings
  return toolRules
    .filter(({ last }) => last === true)
    .flatMap((rule) => rule.find(pair).map((spot) => findingOf(rule, spot, before.name, question)))
}

export function findingOf(rule: RuleRow, spot: Spot, tool: string, question: Question): Finding {
  const { id, level, direction, step, why } = rule
  const { pointer, message, witness, before, after } = spot
  return {
    rule: id,
    level: level[question],
    direction,
    tool,
    pointer,
    message,
    why,
    step,
    ...(witness === undefined ? {} : { witness }),
    ...(before === undefined ? {} : { before }),
    ...(after === undefined ? {} : { after }),
  }
}
