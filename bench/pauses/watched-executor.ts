// An executor as it is, seen from outside: when it began and ended, and when it asked whether it may still act.
import type { ExecutionContext, Executor } from '../../src/contract/tool.ts'

export interface ExecutorWatch {
  began(op: string): void
  /** It asked `context.mayAct()` and was given this answer. */
  looked(may: boolean): void
  ended(): void
  /** It is told that it may act whenever it asks, and that counts as no look. */
  readonly planted?: boolean
}

export function watched(executor: Executor, watch: ExecutorWatch): Executor {
  return {
    ...executor,
    async run(args, context) {
      watch.began(String(args.id))
      try {
        return await executor.run(args, seen(context, watch))
      } finally {
        watch.ended()
      }
    },
  }
}

function seen(context: ExecutionContext, watch: ExecutorWatch): ExecutionContext {
  return new Proxy(context, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name)
      if (name !== 'mayAct' || typeof value !== 'function') return value
      if (watch.planted === true) return () => true
      return (...given: unknown[]) => {
        const may: unknown = Reflect.apply(value, target, given)
        watch.looked(may === true)
        return may
      }
    },
  })
}
