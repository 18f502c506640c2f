// Which hosts a tool may connect to, as one object for its whole life: connections that are kept open for it are found by this object.
// `context.fetch` of an attempt goes by it.

import type { Egress, ExecutionContext } from '../../contract/tool/executor.ts'
import type { Tool } from '../../contract/tool/tool.ts'

const known = new WeakMap<Tool, Egress>()

export function egressOf(tool: Tool): Egress {
  let egress = known.get(tool)
  if (egress === undefined) {
    const { egressDomains: domains, connections } = tool.binding
    // Frozen, because tools get it.
    egress = Object.freeze({
      policy: tool.contract.security.egress_policy,
      domains: Object.freeze([...domains]),
      connections: Object.freeze({ ...connections, ports: Object.freeze([...connections.ports]) }),
    })
    known.set(tool, egress)
  }
  return egress
}

/** `context.fetch` of one attempt: made when it is first used, and ended with the attempt. */
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
