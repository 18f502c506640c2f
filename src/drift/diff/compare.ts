// Two versions of one tool, or of a list of tools, judged by the rule table for one question.
// Invariant: a definition that has changed is never without a finding.
import type { DriftFinding, DriftQuestion } from '../finding.ts'
import { listRules } from '../rules/list-rules.ts'
import type { ChangeSpot, DriftRule, ToolRule } from '../rules/rule.ts'
import { toolRules } from '../rules/rules.ts'
import { type ProofAllowance, unlimitedAllowance } from '../rules/schema-difference.ts'
import { toolPair } from '../rules/tool-pair.ts'
import type { SourceSnapshot, ToolSnapshot } from '../snapshot.ts'
import { matchTools } from './match-tools.ts'

export function compareTools(
  before: ToolSnapshot,
  after: ToolSnapshot,
  question: DriftQuestion,
  allowance: ProofAllowance = unlimitedAllowance(),
): readonly DriftFinding[] {
  const pair = toolPair(before, after, allowance)
  const findingsBy = (rules: readonly ToolRule[]) =>
    rules.flatMap((rule) => rule.find(pair).map((spot) => findingOf(rule, spot, before.name, question)))
  const findings = findingsBy(toolRules.filter(({ last }) => last !== true))
  return findings.length > 0 ? findings : findingsBy(toolRules.filter(({ last }) => last === true))
}

/** In the order of the old list; what is new comes last. */
export function compareSources(
  before: SourceSnapshot,
  after: SourceSnapshot,
  question: DriftQuestion,
): readonly DriftFinding[] {
  return [...findingsByTool(before, after, question, unlimitedAllowance())].flat()
}

/** The same, tool by tool, so that a caller can do other work in between. */
export function* findingsByTool(
  before: SourceSnapshot,
  after: SourceSnapshot,
  question: DriftQuestion,
  allowance: ProofAllowance,
): Generator<readonly DriftFinding[]> {
  const pair = matchTools(before, after)
  for (const rule of listRules) yield rule.find(pair).map((spot) => findingOf(rule, spot, spot.tool, question))
  for (const tools of pair.matched) yield compareTools(tools.before, tools.after, question, allowance)
}

function findingOf(rule: DriftRule, spot: ChangeSpot, tool: string, question: DriftQuestion): DriftFinding {
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
