// Reads what a relay answered, strictly: numbers exact, names only as keys of a Map. Members that are not known here are ignored; a known
// member with a wrong value breaks the whole envelope, because such a relay cannot be relied on.
import { appendPointer } from '../../json/pointer.ts'
import { readJson } from '../../json/read.ts'
import { isObject, type JsonValue } from '../../json/value.ts'
import { readSemver } from '../versions/semver.ts'
import { capabilitiesVersion } from './envelope.ts'

export interface RemoteTool {
  readonly inputSchema: JsonValue
  /** As it was sent: judging says where it is not known. */
  readonly dialect: string | undefined
}

export type EnvelopeReading =
  | { readonly kind: 'read'; readonly version: string; readonly tools: ReadonlyMap<string, RemoteTool> }
  /** From before there was an envelope: neither of its keys is there. */
  | { readonly kind: 'old' }
  | { readonly kind: 'newer'; readonly version: string }
  | { readonly kind: 'malformed'; readonly pointer: string; readonly message: string }

export interface EnvelopeLimits {
  readonly maxBytes: number
  readonly maxTools: number
}

const majorOf = (version: string): bigint | undefined => readSemver(version)?.core[0]
const maxDepth = 256
const maxValues = 2_000_000

export function readEnvelope(body: string, { maxBytes, maxTools }: EnvelopeLimits): EnvelopeReading {
  const reading = readJson(body, { maxBytes, maxDepth, maxValues })
  if (!reading.ok) return malformed(reading.refusal.pointer, reading.refusal.message)
  const { value } = reading
  if (!isObject(value)) return malformed('', 'It is no object.')
  const { capabilities_version: version, tool_schemas: schemas } = value
  if (version === undefined && schemas === undefined) return { kind: 'old' }
  if (typeof version !== 'string' || majorOf(version) === undefined)
    return malformed('/capabilities_version', 'It is no semantic version such as 1.0.0.')
  if (majorOf(version) !== majorOf(capabilitiesVersion)) return { kind: 'newer', version }
  if (!isObject(schemas)) return malformed('/tool_schemas', 'It is no object of tools by name.')
  const tools = new Map<string, RemoteTool>()
  for (const [name, tool] of Object.entries(schemas)) {
    const pointer = appendPointer('/tool_schemas', name)
    if (tools.size === maxTools) return malformed('/tool_schemas', `It has more than ${maxTools} tools.`)
    if (!isObject(tool)) return malformed(pointer, 'It is no object.')
    const { input_schema: inputSchema, dialect } = tool
    if (!isObject(inputSchema) && typeof inputSchema !== 'boolean')
      return malformed(`${pointer}/input_schema`, 'It is no JSON Schema.')
    if (dialect !== undefined && typeof dialect !== 'string') return malformed(`${pointer}/dialect`, 'It is no text.')
    tools.set(name, { inputSchema, dialect })
  }
  return { kind: 'read', version, tools }
}

const malformed = (pointer: string, message: string): EnvelopeReading => ({ kind: 'malformed', pointer, message })
