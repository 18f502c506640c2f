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

/** `context.fetch` of one attempt: made when it is first used, and ended with the attempt, what it still reads included. */
export function toolFetch(
  egress: Egress,
  { signal, over, mayAct }: Pick<ExecutionContext, 'signal' | 'mayAct'> & { readonly over?: AbortSignal },
): ExecutionContext['fetch'] {
  const fetched = async (url: string | URL, init?: RequestInit): Promise<Response> => {
    const { guardedFetch } = await import('./guarded-fetch.ts')
    const ends = [signal, over, init?.signal ?? signalOf(url)].filter((end) => end !== undefined)
    return guardedFetch(egress, { mayAct })(url, { ...init, signal: AbortSignal.any(ends) })
  }
  return (url, init) => {
    const response = fetched(url, init)
    // A function that does not wait for it ends; a rejection that no code hears would end the process.
    response.catch(() => undefined)
    return response
  }
}

/** A request may be given as a whole, with a signal of its own. */
const signalOf = (url: unknown): AbortSignal | undefined => (url instanceof Request ? url.signal : undefined)
