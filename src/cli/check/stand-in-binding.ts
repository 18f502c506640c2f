// The binding of a tool file without its code: enough to judge contradictions, and nothing of the host is loaded.
import { type FileBinding, fileChoices } from '../../contract/binding-schema.ts'
import type { Contract } from '../../contract/envelope.ts'
import { fillBinding } from '../../contract/fill-binding.ts'
import type { Binding } from '../../contract/tool.ts'

export function standInBinding(file: FileBinding, contract: Contract): Binding {
  const executor = { kind: 'fn', isolated: false, commits: file.executor.commits, run: neverRun } as const
  return fillBinding(contract.transactional.side_effect_class, fileChoices(file), executor)
}

function neverRun(): never {
  throw new TypeError('A tool that is only being checked was run')
}
