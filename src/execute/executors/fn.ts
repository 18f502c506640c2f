// The executor of a TypeScript function in this process. A generator shows its parts as it yields them; what it returns is the result.
import type { Awaitable, ExecutionContext, Executor } from '../../contract/tool/executor.ts'
import type { JsonObject } from '../../json/value.ts'
import { lastLook } from '../attempt/may-act.ts'

export function fn(
  run: (args: JsonObject, context: ExecutionContext) => Awaitable<unknown>,
  commits?: Executor['commits'],
): Executor {
  return {
    kind: 'fn',
    isolated: false,
    commits,
    async run(args, context) {
      lastLook(context)
      const value = await run(args, context)
      // Any other value is the result itself: a list is a list.
      return isGenerator(value) ? drain(value, context) : value
    },
  }
}

type AnyGenerator = Generator<unknown, unknown, undefined> | AsyncGenerator<unknown, unknown, undefined>

async function drain(generator: AnyGenerator, context: ExecutionContext): Promise<unknown> {
  for (;;) {
    const step = await generator.next()
    if (step.done === true) return step.value
    if (context.signal.aborted) {
      // Its `finally` blocks run; how far it came, only it could say.
      await generator.return(undefined)
      throw context.signal.reason
    }
    context.partial(await step.value)
  }
}

const generatorKinds: ReadonlySet<string> = new Set(['[object Generator]', '[object AsyncGenerator]'])

/** To ask a foreign object what it is may itself throw; then it is no generator. */
function isGenerator(value: unknown): value is AnyGenerator {
  if (typeof value !== 'object' || value === null) return false
  try {
    return (
      generatorKinds.has(Object.prototype.toString.call(value)) &&
      typeof (value as Partial<AnyGenerator>).next === 'function'
    )
  } catch {
    return false
  }
}
