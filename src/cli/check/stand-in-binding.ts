// The binding of a tool file without its code: enough to judge contradictions, and nothing of the host is loaded.
import { type FileBinding, fileChoices, inlineRules } from '../../contract/binding-schema.ts'
import type { Contract } from '../../contract/envelope.ts'
import { fillBinding } from '../../contract/fill-binding.ts'
import type { RuleSource } from '../../contract/rule.ts'
import type { Binding } from '../../contract/tool.ts'

export function standInBinding(file: FileBinding, contract: Contract): Binding {
  const executor = { kind: 'fn', isolated: false, commits: file.executor.commits, run: neverRun } as const
  const choices = fileChoices(file)
  const { schema } = file.state ?? {}
  const state = file.state === undefined ? undefined : { read: neverRun, match: [], schema }
  // Without its code nobody knows the state of a reader that declares none in the file: what reads it is checked with --load.
  const isKnown = ({ when }: RuleSource) => state === undefined || schema !== undefined || !/\bstate\b/.test(when)
  const rules = inlineRules(file).filter(isKnown)
  return fillBinding(contract.transactional.side_effect_class, { ...choices, rules, state }, executor)
}

function neverRun(): never {
  throw new TypeError('A tool that is only being checked was run')
}
