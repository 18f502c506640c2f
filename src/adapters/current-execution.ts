// Lets a tool's own code, whose signature belongs to an SDK, reach the execution it serves: above all the idempotency key that a
// provider wants to see.
import { AsyncLocalStorage } from 'node:async_hooks'
import type { ExecutionContext } from '../index.ts'

const executions = new AsyncLocalStorage<ExecutionContext>()

/** The execution that the calling code is part of; undefined outside a protected tool. */
export function currentExecution(): ExecutionContext | undefined {
  return executions.getStore()
}

export function withExecution<T>(context: ExecutionContext, work: () => T): T {
  return executions.run(context, work)
}
