// The executor of a TypeScript function in this process.
import type { Awaitable, ExecutionContext, Executor } from '../../contract/tool.ts'
import type { JsonObject } from '../../json/value.ts'

export function fn(
  run: (args: JsonObject, context: ExecutionContext) => Awaitable<unknown>,
  commits?: Executor['commits'],
): Executor {
  return { kind: 'fn', isolated: false, commits, run }
}
