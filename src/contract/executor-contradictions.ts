// What registration refuses about the names in an executor's templates: an argument that no call can have, a secret that nobody asks for.
import type { Contradiction } from './contradictions.ts'
import { undeclaredArguments } from './declared-arguments.ts'
import type { Tool } from './tool.ts'

interface Row {
  readonly id: string
  readonly pointer: string
  readonly remedy: string
  problems(tool: Tool): readonly string[]
}

export const executorContradictions: readonly Row[] = [
  {
    id: 'executor-names-no-argument',
    pointer: '/binding/executor',
    remedy: 'Name an argument that input_schema declares, by its name or its JSON Pointer.',
    problems: ({ binding: { executor }, input }) =>
      undeclaredArguments('The executor', [...new Set(executor.names?.arguments)], input.form),
  },
  {
    id: 'executor-names-no-credential',
    pointer: '/binding/executor',
    remedy: 'Ask for it in credentials of the binding, under this name and with the reference it is kept by.',
    problems: ({ binding: { executor, credentials } }) =>
      [...new Set(executor.names?.credentials)]
        .filter((name) => !Object.hasOwn(credentials, name))
        .map((name) => `The executor uses the credential ${name}, which the binding does not ask for.`),
  },
]

export function findExecutorContradictions(tool: Tool): readonly Contradiction[] {
  return executorContradictions.flatMap(({ id, pointer, remedy, problems }) =>
    problems(tool).map((problem) => ({ id, pointer, message: `${problem} ${remedy}` })),
  )
}
