// Two versions of a list of tools: what came and went, and every tool that is on both sides compared with itself.
import type { Finding, Question } from '../finding.ts'
import { listRules } from '../rules/list-rules.ts'
import type { SourceSnapshot } from '../snapshot.ts'
import { compareTools, findingOf } from './compare-tools.ts'
import { matchTools } from './match-tools.ts'

/** In the order of the old list; what is new comes last. */
export function compareSources(before: SourceSnapshot, after: SourceSnapshot, question: Question): readonly Finding[] {
  const pair = matchTools(before, after)
  return [
    ...listRules.flatMap((rule) => rule.find(pair).map((spot) => findingOf(rule, spot, spot.tool, question))),
    ...pair.matched.flatMap((tools) => compareTools(tools.before, tools.after, question)),
  ]
}
