// One tool as each provider writes it. What is said about it comes from its contract, also where others would take a server's word.
import { effectRow } from '../contract/effects.ts'
import type { Contract } from '../contract/tool/envelope.ts'
import type { JsonObject } from '../json/value.ts'
import type { Provider } from './dialects/provider.ts'

export interface ShownTool {
  readonly name: string
  readonly contract: Contract
  /** Beside the contract's own words: that it will go away. */
  readonly note: string | undefined
  readonly schema: JsonObject
  readonly strict: boolean
}

/** `chat`: tools of Chat Completions, which other servers speak as well. `responses`: those of the Responses API. */
export type OpenAiApi = 'chat' | 'responses'

type Shape = (tool: ShownTool, api: OpenAiApi) => JsonObject

export const toolShapes: Readonly<Record<Provider, Shape>> = {
  openai(tool, api) {
    const { name, schema: parameters, strict } = tool
    const fn = { name, description: descriptionOf(tool), parameters, strict }
    return api === 'chat' ? { type: 'function', function: fn } : { type: 'function', ...fn }
  },
  anthropic(tool) {
    const { name, schema: input_schema, strict } = tool
    return { name, description: descriptionOf(tool), input_schema, ...(strict ? { strict } : {}) }
  },
  gemini(tool) {
    return { name: tool.name, description: descriptionOf(tool), parametersJsonSchema: tool.schema }
  },
  mcp(tool) {
    const { output_schema: outputSchema } = tool.contract.affordance
    return {
      name: tool.name,
      description: descriptionOf(tool),
      inputSchema: tool.schema,
      // The protocol has no other results than objects.
      ...(outputSchema.type === 'object' ? { outputSchema } : {}),
      annotations: annotationsOf(tool.contract),
    }
  },
}

/** What the model chooses by: what the tool does, when to use it, and when not. */
function descriptionOf({ contract, note }: ShownTool): string {
  const { model_description, allowed_use_cases, forbidden_use_cases } = contract.affordance
  const parts = [
    model_description,
    allowed_use_cases.length === 0 ? '' : `Use it for: ${allowed_use_cases.join('; ')}.`,
    forbidden_use_cases.length === 0 ? '' : `Do not use it for: ${forbidden_use_cases.join('; ')}.`,
    note ?? '',
  ]
  return parts.filter((part) => part !== '').join(' ')
}

function annotationsOf({ transactional, idempotency, security }: Contract): JsonObject {
  const { mutates } = effectRow(transactional.side_effect_class)
  return {
    readOnlyHint: !mutates,
    destructiveHint: mutates && transactional.side_effect_class !== 'EPHEMERAL_WRITE',
    idempotentHint: !mutates || idempotency.supported,
    openWorldHint: security.egress_policy !== 'none',
  }
}
