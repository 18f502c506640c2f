// Tools, requests and policies for tests and measurements: as little of a contract as policies look at, filled up to a whole one.

import type { EffectClass } from '../../src/contract/effects.ts'
import { compileSchema } from '../../src/contract/tool/compile-tool.ts'
import type { Contract } from '../../src/contract/tool/envelope.ts'
import { manualClock } from '../../src/json/clock.ts'
import type { JsonObject } from '../../src/json/value.ts'
import type { PolicyRequest } from '../../src/policy/cedar/authorize.ts'
import { loadPolicies } from '../../src/policy/cedar/load-policies.ts'
import type { Policies } from '../../src/policy/cedar/policy.ts'
import type { PolicyTool } from '../../src/policy/cedar/tool-view.ts'
import { plainContract } from '../plain-contract.ts'

export interface TrialOptions {
  readonly effect?: EffectClass
  readonly classification?: Contract['security']['data_classification']
  readonly residency?: string
  readonly egressDomains?: readonly string[]
}

export function trialTool(name: string, input: JsonObject, options: TrialOptions = {}): PolicyTool {
  const compiled = compileSchema(input, '')
  if (!compiled.ok) throw new Error(compiled.problems.map(({ message }) => message).join('\n'))
  const { effect = 'READ_ONLY', classification = 'internal', residency, egressDomains } = options
  return {
    contract: plainContract({
      identity: { name },
      affordance: { model_description: name, input_schema: input },
      security: { data_classification: classification },
      transactional: { side_effect_class: effect },
    }),
    input: compiled.schema,
    residency,
    egressDomains,
  }
}

/** A closed object. */
export function closedObject(properties: JsonObject, required: readonly string[] = []): JsonObject {
  return { type: 'object', properties, required, additionalProperties: false }
}

export async function trialPolicies(text: string, unlessPermitted?: 'deny'): Promise<Policies> {
  const options = unlessPermitted === undefined ? {} : { unlessPermitted }
  const loading = await loadPolicies({ texts: [{ name: 'trial.cedar', text }], ...options })
  if (!loading.ok) throw new Error(loading.problems.map(({ message }) => message).join('\n'))
  return loading.policies
}

export function trialRequest(tool: PolicyTool, args: JsonObject, more: Partial<PolicyRequest> = {}): PolicyRequest {
  return {
    tool,
    arguments: args,
    tenant: 'acme',
    principal: { user: 'alice', roles: ['support'], scopes: ['billing:write'], agent: 'helper' },
    run: 'run-1',
    workflow: undefined,
    labels: [],
    now: manualClock().now(),
    ...more,
  }
}
