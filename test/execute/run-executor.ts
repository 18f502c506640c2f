// Runs an executor as the pipeline does, with a context of the test's own.
import type { ExecutionContext, Executor } from '../../src/contract/tool/executor.ts'
import { toolFetch } from '../../src/execute/egress/tool-egress.ts'
import { type JsonObject, ToolError } from '../../src/index.ts'

export const trialEgress = (
  ports: readonly number[],
  changes: Partial<ExecutionContext['egress']> = {},
): ExecutionContext['egress'] => ({
  policy: 'private_network_only',
  domains: [],
  connections: { ports, loopback: true, plain: false },
  ...changes,
})

export function trialContext(changes: Partial<ExecutionContext> = {}): ExecutionContext {
  const signal = changes.signal ?? new AbortController().signal
  const mayAct = changes.mayAct ?? (() => !signal.aborted)
  const egress = changes.egress ?? trialEgress([])
  return {
    callId: '019a8f3c-0000-7000-8000-000000000001',
    tenant: 'acme',
    programUser: 200_001,
    user: 'ann',
    run: 'run-1',
    traceId: 'trace-1',
    signal,
    mayAct,
    timeoutMs: 30_000,
    idempotencyKey: 'key-1',
    attempt: 1,
    sql: undefined,
    credentials: new Map(),
    keyHeader: undefined,
    egress,
    fetch: toolFetch(egress, { signal, mayAct }),
    progress: () => undefined,
    partial: () => undefined,
    warn: () => undefined,
    ...changes,
  }
}

export const runExecutor = async (
  executor: Executor,
  args: JsonObject = {},
  changes: Partial<ExecutionContext> = {},
): Promise<unknown> => executor.run(args, trialContext(changes))

/** How it failed, on purpose; anything else is thrown on. */
export async function failureOf(work: Promise<unknown>): Promise<ToolError> {
  try {
    await work
  } catch (error) {
    if (error instanceof ToolError) return error
    throw error
  }
  throw new Error('It did not fail.')
}
