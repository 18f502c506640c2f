// What a principal must bring before a tool may be called at all: a known tenant, a run for tools that change something, and every scope.
import type { Reason } from '../contract/call/answer.ts'
import type { OpenedCall } from '../contract/call/stages.ts'
import { effectRow } from '../contract/effects.ts'
import type { Tool } from '../contract/tool/tool.ts'

export interface Lack {
  readonly reason: Reason
  readonly message: string
}

/** What of a call the requirements are about. */
export type Asking = Pick<OpenedCall, 'principal' | 'tenantKnown' | 'tenantNamed' | 'run' | 'badContext'>

export function findLack(call: Asking, tool: Tool): Lack | undefined {
  const { security, transactional } = tool.contract
  if (call.badContext !== undefined) {
    return {
      reason: 'bad_context',
      message: `The caller's context cannot be read: ${call.badContext}`,
    }
  }
  if (!call.tenantKnown) return { reason: 'unknown_tenant', message: 'This tenant is not known here.' }
  if (security.tenant_scoped && !call.tenantNamed) {
    return { reason: 'missing_tenant', message: 'The tool is scoped to a tenant and the caller named none.' }
  }
  if (effectRow(transactional.side_effect_class).mutates && call.run === undefined) {
    return {
      reason: 'missing_run',
      message: 'A tool that changes something needs to know its run; the caller named none.',
    }
  }
  const missing = security.required_scopes.filter((scope) => !call.principal.scopes.includes(scope))
  if (missing.length > 0) {
    return { reason: 'missing_scope', message: `Required scopes that are missing: ${missing.join(', ')}.` }
  }
  return undefined
}
