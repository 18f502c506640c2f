// What a tool's class and contract demand without any policy being written: of the person who agrees (one row per rule), and of the
// principal who calls (a known tenant, a run for tools that change something, and every scope).
import type { Reason } from '../contract/call/answer.ts'
import type { OpenedCall } from '../contract/call/stages.ts'
import { type ApprovalPattern, effectRow } from '../contract/effects.ts'
import type { Tool } from '../contract/tool/tool.ts'
import type { Voice } from './voices.ts'

interface DefaultRule {
  readonly id: string
  readonly says: 'ask' | 'deny'
  readonly message: string
  /** How people decide, where the tool's own pattern is not meant. */
  readonly pattern?: ApprovalPattern
  applies(tool: Tool): boolean
}

const defaultRules: readonly DefaultRule[] = [
  {
    id: 'class/confirmation',
    says: 'ask',
    message: 'Every call of this effect class needs approval.',
    applies: (tool) => effectRow(tool.contract.transactional.side_effect_class).confirmation === 'always',
  },
  {
    id: 'contract/confirmation',
    says: 'ask',
    message: 'The contract requires approval.',
    applies: (tool) => tool.contract.transactional.confirmation_required,
  },
  {
    id: 'contract/unrestricted-egress',
    says: 'ask',
    message: 'The tool may connect anywhere, so a person looks first.',
    applies: (tool) => tool.contract.security.egress_policy === 'unrestricted_with_approval',
  },
  {
    id: 'contract/sensitive-read',
    says: 'ask',
    message: 'Reading regulated or secret data needs consent.',
    pattern: 'user_consent',
    applies: ({ contract }) =>
      !effectRow(contract.transactional.side_effect_class).mutates &&
      (contract.security.data_classification === 'regulated' || contract.security.data_classification === 'secret'),
  },
]

const asks = new WeakMap<Tool, readonly Voice[]>()

/** The voices of the default rules; they depend on the contract alone, so they are found once per tool. */
export function classVoices(tool: Tool): readonly Voice[] {
  const known = asks.get(tool)
  if (known !== undefined) return known
  const voices = defaultRules
    .filter((rule) => rule.applies(tool))
    .map(
      ({ id, says, message, pattern }): Voice => ({
        source: id,
        says,
        message,
        ...(pattern === undefined ? {} : { pattern }),
      }),
    )
  asks.set(tool, voices)
  return voices
}

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
