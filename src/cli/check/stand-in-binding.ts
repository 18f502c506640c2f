// The binding of a tool file without its code: enough to judge contradictions, and nothing of the host is loaded.
import { dirname } from 'node:path'
import { type FileBinding, fileChoices, inlineRules } from '../../contract/tool/binding-schema.ts'
import type { Contract } from '../../contract/tool/envelope.ts'
import type { Executor } from '../../contract/tool/executor.ts'
import type { FileExecutor } from '../../contract/tool/executor-files/executor-file.ts'
import { fillBinding } from '../../contract/tool/fill-binding.ts'
import type { RuleSource } from '../../contract/tool/rule.ts'
import type { Binding } from '../../contract/tool/tool.ts'
import { bindVerifier } from '../../contract/verification/verifier-file.ts'
import { declaredExecutor } from '../../runtime/file-executor.ts'

export async function standInBinding(file: FileBinding, contract: Contract, path: string): Promise<Binding> {
  const executor = await standInExecutor(file.executor, path)
  const choices = fileChoices(file)
  const { schema } = file.state ?? {}
  const state = file.state === undefined ? undefined : { read: neverRun, match: [], schema, after: neverRun }
  // Without its code nobody knows the state of a reader that declares none in the file: what reads it is checked with --load.
  const isKnown = ({ when }: RuleSource) => state === undefined || schema !== undefined || !/\bstate\b/.test(when)
  const rules = inlineRules(file).filter(isKnown)
  const verifier = await bindVerifier(file, {
    code: async () => neverRun,
    reader: (declared) => standInExecutor(declared, path),
  })
  return fillBinding(contract.transactional.side_effect_class, { ...choices, rules, state, verifier }, executor)
}

/** What the file declares itself is judged as it is; of a function only that it is one. */
async function standInExecutor(file: FileExecutor, path: string): Promise<Executor> {
  if (file.kind === 'fn') return { kind: 'fn', isolated: false, commits: file.commits, run: neverRun }
  const made = await declaredExecutor(file, dirname(path))
  return 'problem' in made ? { kind: file.kind, isolated: false, run: neverRun } : made
}

function neverRun(): never {
  throw new TypeError('A tool that is only being checked was run')
}
