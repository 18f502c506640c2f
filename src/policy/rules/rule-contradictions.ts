// What registration refuses about a tool's rules, each fault on its own.
import type { ContradictionRow, Occurrence } from '../../contract/contradiction.ts'
import type { Registration } from '../../contract/tool/contradictions.ts'
import type { RuleFault } from './rule.ts'
import { compileToolRules } from './tool-rules.ts'

export const ruleContradictions: readonly ContradictionRow<Registration>[] = [
  {
    id: 'rule-refused',
    pointer: '/binding/rules',
    remedy:
      'A rule compiles, reads only what is declared and ends within a bounded amount of work; or it is code with an id, a phase and a message.',
    find({ tool }) {
      const compilation = compileToolRules(tool)
      return compilation.ok ? [] : compilation.faults.map(occurrence)
    },
  },
  {
    id: 'state-schema-refused',
    pointer: '/binding/state/schema',
    remedy: 'The schema of the state is a JSON Schema like those of input and output; rules are typed by it.',
    find({ tool }) {
      const compilation = compileToolRules(tool)
      return compilation.ok ? [] : compilation.stateFaults.map(occurrence)
    },
  },
]

const occurrence = ({ rule, pointer, reason }: RuleFault): Occurrence => ({
  at: pointer,
  detail: rule === '' ? reason : `Rule ${rule}: ${reason}`,
})
