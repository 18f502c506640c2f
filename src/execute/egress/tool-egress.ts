// Whom a tool may connect to, as one object for its whole life: what is kept open for it is found by this object.
import type { Egress, Tool } from '../../contract/tool/tool.ts'

const known = new WeakMap<Tool, Egress>()

export function egressOf(tool: Tool): Egress {
  let egress = known.get(tool)
  if (egress === undefined) {
    const { egressDomains: domains, connections } = tool.binding
    // Tools are given it; none of them changes it.
    egress = Object.freeze({
      policy: tool.contract.security.egress_policy,
      domains: Object.freeze([...domains]),
      connections: Object.freeze({ ...connections, ports: Object.freeze([...connections.ports]) }),
    })
    known.set(tool, egress)
  }
  return egress
}
