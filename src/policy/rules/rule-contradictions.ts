// What registration refuses about a tool's rules: one row per contradiction, each found in as many places as there are.
import type { Contradiction } from '../../contract/tool/contradictions.ts'
import type { Tool } from '../../contract/tool/tool.ts'
import type { RuleFault } from './rule.ts'
import { compileToolRules, type ToolRuleCompilation } from './tool-rules.ts'

interface Row {
  readonly id: string
  readonly pointer: string
  readonly remedy: string
  faults(refused: Extract<ToolRuleCompilation, { ok: false }>): readonly RuleFault[]
}

export const ruleContradictions: readonly Row[] = [
  {
    id: 'rule-refused',
    pointer: '/binding/rules',
    remedy:
      'A rule compiles, reads only what is declared and ends within a bounded amount of work; or it is code with an id, a phase and a message.',
    faults: ({ faults }) => faults,
  },
  {
    id: 'state-schema-refused',
    pointer: '/binding/state/schema',
    remedy: 'The schema of the state is a JSON Schema like those of input and output; rules are typed by it.',
    faults: ({ stateFaults }) => stateFaults,
  },
]

export function findRuleContradictions(tool: Tool): readonly Contradiction[] {
  const compilation = compileToolRules(tool)
  if (compilation.ok) return []
  return ruleContradictions.flatMap(({ id, pointer, remedy, faults }) =>
    faults(compilation).map((fault) => ({
      id,
      pointer: pointer + fault.pointer,
      message: `${fault.rule === '' ? '' : `Rule ${fault.rule}: `}${fault.reason} ${remedy}`,
    })),
  )
}
