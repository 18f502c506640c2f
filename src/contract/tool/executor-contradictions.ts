// What registration refuses about the names in an executor's templates: an argument that no call can have, a secret that the
// binding does not ask for.

import type { ContradictionRow, Occurrence } from '../find-contradictions.ts'
import type { BoundVerification } from '../verification/verifier.ts'
import type { Registration } from './contract-contradictions.ts'
import type { CredentialBindings } from './credential.ts'
import { undeclaredArguments } from './declared-arguments.ts'
import type { Executor } from './executor.ts'

export const executorContradictions: readonly ContradictionRow<Registration>[] = [
  {
    id: 'executor-names-no-argument',
    pointer: '/binding/executor',
    remedy: 'Name an argument that input_schema declares, by its name or its JSON Pointer.',
    find: ({ tool: { binding, input } }) =>
      undeclaredArguments('The executor', [...new Set(binding.executor.names?.arguments)], input.form).map(
        (detail) => ({ detail }),
      ),
  },
  {
    id: 'executor-names-no-credential',
    pointer: '/binding/executor',
    remedy: 'Ask for it in credentials of the binding, under this name and with the reference it is kept by.',
    find: ({
      tool: {
        binding: { executor, credentials, verifier },
      },
    }) => [
      ...unasked('The executor', executor, credentials),
      ...readersOf(verifier).flatMap((reader) => unasked('The verifier', reader, verifier?.credentials ?? credentials)),
    ],
  },
]

const unasked = (who: string, { names }: Executor, asked: CredentialBindings): readonly Occurrence[] =>
  [...new Set(names?.credentials)]
    .filter((name) => !Object.hasOwn(asked, name))
    .map((name) => ({ detail: `${who} uses the credential ${name}, which the binding does not ask for.` }))

const readersOf = (verifier: BoundVerification | undefined): readonly Executor[] =>
  (verifier?.sources ?? []).flatMap((source) =>
    typeof source === 'object' && typeof source.read === 'object' ? [source.read] : [],
  )
