// The context of one start, for tests that run an executor by itself.
import type { ExecutionContext } from '../../src/contract/tool/executor.ts'

export function executionContext(changes: Partial<ExecutionContext> = {}): ExecutionContext {
  const signal = changes.signal ?? new AbortController().signal
  return {
    callId: '01890000-0000-7000-8000-000000000001',
    tenant: 'acme',
    programUser: 200_001,
    user: 'ada',
    run: 'run-1',
    traceId: 'trace-1',
    signal,
    mayAct: () => !signal.aborted,
    timeoutMs: 5_000,
    idempotencyKey: 'key-1',
    keyHeader: undefined,
    attempt: 1,
    sql: undefined,
    credentials: new Map(),
    egress: {
      policy: 'private_network_only',
      domains: [],
      connections: { ports: [], loopback: true, plain: true },
    },
    fetch: () => Promise.reject(new Error('This test connects to no host.')),
    progress: () => undefined,
    partial: () => undefined,
    warn: () => undefined,
    ...changes,
  }
}
