// Two versions of a list of tools: what came and went, and every tool that is on both sides compared with itself.
import type { Finding, Question } from '../finding.ts'
import { type Allowance, unlimited } from '../rules/differences.ts'
import { listRules } from '../rules/list-rules.ts'
import type { SourceSnapshot } from '../snapshot.ts'
import { compareTools, findingOf } from './compare-tools.ts'
import { matchTools } from './match-tools.ts'

/** In the order of the old list; what is new comes last. */
export function compareSources(before: SourceSnapshot, after: SourceSnapshot, question: Question): readonly Finding[] {
  return [...findingsByTool(before, after, question, unlimited())].flat()
}

/** The same, tool by tool, for whoever has something else to do in between. */
export function* findingsByTool(
  before: SourceSnapshot,
  after: SourceSnapshot,
  question: Question,
  allowance: Allowance,
): Generator<readonly Finding[]> {
  const pair = matchTools(before, after)
  for (const rule of listRules) yield rule.find(pair).map((spot) => findingOf(rule, spot, spot.tool, question))
  for (const tools of pair.matched) yield compareTools(tools.before, tools.after, question, allowance)
}
