// Makes the observable copy of the input: what hooks, people, streams and transcripts may see.
import type { JudgedCall, ResolvedCall } from '../../contract/call/stages.ts'
import { maskPointers } from '../../json/mask.ts'
import { type Gate, type Gives, passWith, stop } from '../phase.ts'

export const observe: Gate<ResolvedCall, Gives<JudgedCall, 'observableInput'>> = {
  name: 'observe',
  does: 'Copies the input for hooks and people, with sensitive values masked.',
  stopsWith: [{ class: 'UNKNOWN_ERROR', reasons: ['input_mutation_failed'] }],
  decide({ tool, permissionInput }) {
    const { sensitive } = tool.binding
    if (sensitive.length === 0) return passWith({ observableInput: permissionInput })
    try {
      return passWith({ observableInput: maskPointers(permissionInput, sensitive) })
    } catch {
      return stop('UNKNOWN_ERROR', 'input_mutation_failed', 'The input could not be copied for display.')
    }
  },
}
