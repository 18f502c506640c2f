// Makes the observable copy of the input: what hooks, people, streams and transcripts may see.
import { maskPointers } from '../../json/mask.ts'
import { inputOf, toolOf } from '../call/tool-context.ts'
import { type Gate, stop } from '../phase.ts'

export const observe: Gate = {
  name: 'observe',
  does: 'Copies the input for hooks and people, with sensitive values masked.',
  stopsWith: [{ class: 'UNKNOWN_ERROR', reasons: ['input_mutation_failed'] }],
  decide(call) {
    const permissionInput = inputOf(call)
    const { sensitive } = toolOf(call).binding
    if (sensitive.length === 0) return { kind: 'pass', gives: { observableInput: permissionInput } }
    try {
      return { kind: 'pass', gives: { observableInput: maskPointers(permissionInput, sensitive) } }
    } catch {
      return stop('UNKNOWN_ERROR', 'input_mutation_failed', 'The input could not be copied for display.')
    }
  },
}
