// `context.fetch` of one attempt: made when it is first used, and ended with the attempt.
import type { Egress, ExecutionContext } from '../../contract/tool/tool.ts'

export function toolFetch(
  egress: Egress,
  { signal, mayAct }: Pick<ExecutionContext, 'signal' | 'mayAct'>,
): ExecutionContext['fetch'] {
  return async (url, init) => {
    const { guardedFetch } = await import('./guarded-fetch.ts')
    const own = init?.signal ?? undefined
    const either = own === undefined ? signal : AbortSignal.any([signal, own])
    return guardedFetch(egress, { mayAct })(url, { ...init, signal: either })
  }
}
