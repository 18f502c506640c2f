// One tool as each provider writes it: its name, and its entry in the list of tools. What it says about
// the tool comes from its contract, never from a server.
import { effectRow } from '../contract/effects.ts'
import type { Contract } from '../contract/tool/envelope.ts'
import type { Surface } from '../contract/tool/surface.ts'
import { sha256 } from '../json/hash.ts'
import type { JsonObject } from '../json/value.ts'
import type { DialectTable, Provider } from './dialects/dialect-table.ts'

export interface ShownTool {
  readonly name: string
  readonly contract: Contract
  /** Added to the contract's own words: that the tool will go away. */
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

/** The text that a model chooses by: what the tool does, when to use it, and when not. */
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

const fewestDigits = 8

/**
 * The name of a tool as a provider takes it. A name that fits stays as it is; another gets a readable stem and a part of
 * its hash: the same one every time, and never a name that another tool of the surface answers to.
 */
export function providerName(name: string, { names }: DialectTable, { entries, aliases }: Surface): string {
  if (names.pattern.test(name)) return name
  const hash = sha256(name)
  const stem = name.replaceAll(/[^a-zA-Z0-9_-]/g, '_').replace(/^(?![a-zA-Z_])/, '_')
  const made = (digits: number): string => {
    const ending = `_${hash.slice(0, digits)}`
    return stem.slice(0, Math.max(0, names.longest - ending.length)) + ending
  }
  const isTaken = (wish: string) => entries.has(wish) || (aliases.get(wish) ?? name) !== name
  let digits = fewestDigits
  // A few more digits make it different from a name that looks like it by chance.
  while (isTaken(made(digits)) && digits < names.longest - 1) digits++
  return made(digits)
}
