// An executor as it is, seen from outside: when it began and ended, and when it asked whether it may still act.
import { setTimeout as sleep } from 'node:timers/promises'
import { Withheld } from '../../src/contract/fault.ts'
import type { ExecutionContext, Executor } from '../../src/contract/tool/executor.ts'

export interface ExecutorWatch {
  began(op: string): void
  /** It asked `context.mayAct()` and was given this answer. */
  looked(may: boolean): void
  ended(): void
  readonly planted?: Plant | undefined
}

/** `deaf`: it is told that it may act whenever it asks, and that counts as no look. `early`: it looks long before its effect, and then no more. */
export type Plant = 'deaf' | 'early'

/** Beyond what passes between a last look and a write. */
const earlyMs = 150

export function watched(executor: Executor, watch: ExecutorWatch): Executor {
  return {
    ...executor,
    async run(args, context) {
      watch.began(String(args.id))
      try {
        if (watch.planted === 'early') {
          if (!seen(context, { ...watch, planted: undefined }).mayAct()) throw new Withheld()
          await sleep(earlyMs)
        }
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
      if (watch.planted !== undefined) return () => true
      return (...given: unknown[]) => {
        const may: unknown = Reflect.apply(value, target, given)
        watch.looked(may === true)
        return may
      }
    },
  })
}
