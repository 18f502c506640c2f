// What registration refuses about the sentence that people are shown: a template that cannot be read, or that names what the input does
// not declare.
import type { Contradiction } from '../contract/tool/contradictions.ts'
import { findProblems, type ProblemRow } from '../contract/tool/find-problems.ts'
import type { Tool } from '../contract/tool/tool.ts'
import { checkTemplate, readTemplate } from './consequence.ts'

export const consequenceContradictions: readonly ProblemRow[] = [
  {
    id: 'consequence-unreadable',
    pointer: '/binding/consequence',
    remedy: 'Write one sentence with arguments in braces, such as: Charges {amount} {currency} to {/customer/id}.',
    problems({ binding: { consequence }, input }) {
      if (typeof consequence !== 'string') return []
      const reading = readTemplate(consequence)
      return reading.ok ? checkTemplate(reading.template, input.form) : [reading.problem]
    },
  },
]

export const findConsequenceContradictions = (tool: Tool): readonly Contradiction[] =>
  findProblems(consequenceContradictions, tool)
