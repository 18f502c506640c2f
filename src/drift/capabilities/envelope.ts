// The capabilities envelope: which tools a caller may use, with the schemas by which their arguments and results are judged. It is
// versioned apart from everything else and only ever added to: a reader takes what it knows and leaves the rest.
import { closed, text } from '../../contract/closed-schema.ts'
import type { Surface } from '../../contract/tool/surface.ts'
import type { JsonObject } from '../../json/value.ts'
import { type Dialect, dialects } from '../../schema/normal.ts'
import { semverPattern } from '../versions/semver.ts'

/** Readers go by the first number: another one is another envelope. */
export const capabilitiesVersion = '1.0.0'

export const capabilitiesPath = '/v1/agent/capabilities'

export interface ToolCapability {
  readonly input_schema: JsonObject
  readonly output_schema: JsonObject
  readonly contract_version: string
  readonly contract_hash: string
  readonly dialect: Dialect
}

export interface Capabilities {
  readonly capabilities_version: string
  readonly tool_schemas: Readonly<Record<string, ToolCapability>>
}

/** What may be called, and what may be once it is discovered; nothing of what is blocked or not for this caller. */
export function capabilitiesOf({ entries }: Surface): Capabilities {
  const tools: [string, ToolCapability][] = []
  for (const [name, entry] of entries) {
    if (entry.status !== 'loaded' && entry.status !== 'deferred') continue
    const { contract, contractHash, input, narrowed } = entry.tool
    tools.push([
      name,
      {
        input_schema: narrowed?.schema ?? contract.affordance.input_schema,
        output_schema: contract.affordance.output_schema,
        contract_version: contract.identity.version,
        contract_hash: contractHash,
        dialect: input.form.dialect,
      },
    ])
  }
  return { capabilities_version: capabilitiesVersion, tool_schemas: Object.fromEntries(tools) }
}

const open = (schema: JsonObject): JsonObject => ({ ...schema, additionalProperties: true })

const aSchema = (description: string): JsonObject => ({ description, type: ['object', 'boolean'] })

/** Published in schemas/. Open: later minor versions add to it. */
export const capabilitiesSchema: JsonObject = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Capabilities',
  ...open(
    closed(
      'What GET /v1/agent/capabilities answers: the tools that the caller may use, with their schemas.',
      {
        capabilities_version: {
          ...text('Semantic version of this envelope. A reader refuses a first number it does not know.'),
          pattern: semverPattern,
        },
        tool_schemas: {
          type: 'object',
          description: 'The tools, by name.',
          additionalProperties: open(
            closed(
              'One tool.',
              {
                input_schema: aSchema('JSON Schema of its arguments.'),
                output_schema: aSchema('JSON Schema of its result.'),
                contract_version: text('Version of its contract.'),
                contract_hash: text('SHA-256 of its contract in canonical form.'),
                dialect: {
                  type: 'string',
                  enum: [...dialects],
                  description: 'How its schemas are read where they name no dialect with $schema; 2020-12 by default.',
                },
              },
              ['input_schema'],
            ),
          ),
        },
      },
      ['capabilities_version', 'tool_schemas'],
    ),
  ),
}
