// The one list of what registration refuses about a tool: the rows of every room, in the order in which they are reported.
import { consequenceContradictions } from '../approval/consequence.ts'
import type { ContradictionRow } from '../contract/find-contradictions.ts'
import { contractContradictions, type Registration } from '../contract/tool/contract-contradictions.ts'
import { executorContradictions } from '../contract/tool/executor-contradictions.ts'
import { ruleContradictions } from '../policy/rules/tool-rules.ts'
import { schemaContradictions } from './schema-contradictions.ts'

export const toolContradictions: readonly ContradictionRow<Registration>[] = [
  ...contractContradictions,
  ...schemaContradictions,
  ...ruleContradictions,
  ...executorContradictions,
  ...consequenceContradictions,
]
