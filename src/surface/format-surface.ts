// A surface as one provider's list of tools, each in the provider's own shape and dialect, with what is proven about it.
// Tools that are not loaded are not in the list; for deferred ones it says how to find them.
import type { Surface } from '../contract/tool/surface.ts'
import type { Tool } from '../contract/tool/tool.ts'
import { boundedCache } from '../json/bounded-cache.ts'
import { canonicalize } from '../json/canonical.ts'
import type { JsonObject } from '../json/value.ts'
import type { DialectTable, Provider, RequestLimits } from './dialects/dialect-table.ts'
import { dialectTables } from './dialects/dialect-tables.ts'
import { type InputProjection, projectInput } from './projection/project-input.ts'
import type { OnlyLocal, ProjectionRefusal } from './projection/projector.ts'
import { type OpenAiApi, providerName, type ShownTool, toolShapes } from './tool-shapes.ts'

export interface FormatOptions {
  /** What happens to a tool whose schema the strict mode cannot take: offered without it, or left out. `loose` by default. */
  readonly refused?: 'loose' | 'omit'
  /** Which shape OpenAI's tools have; `chat` by default. */
  readonly api?: OpenAiApi
}

export interface FormattedSurface {
  readonly provider: Provider
  /** The date of the table that was used. */
  readonly table: string
  /** As the provider's API takes them. */
  readonly tools: readonly JsonObject[]
  readonly report: readonly FormattedTool[]
  /** Tools of this surface that have to be discovered first, and what they are about. */
  readonly deferred: readonly { readonly name: string; readonly hint: string }[]
}

export interface FormattedTool {
  readonly tool: string
  /** Its name with this provider. */
  readonly name: string
  readonly offered: 'strict' | 'loose' | 'omitted'
  readonly verdict: InputProjection['verdict']
  /** Constraints that the provider does not hold the model to; descriptions name them, and they are checked here. */
  readonly onlyLocal: readonly OnlyLocal[]
  /** Why it is not offered strictly. */
  readonly reasons: readonly (ProjectionRefusal | RequestRefusal)[]
  readonly warnings: readonly string[]
  /** Formats that the proof takes to mean the same on both sides. */
  readonly assumes: readonly string[]
}

export interface RequestRefusal {
  readonly code: 'request_limit'
  readonly pointer: ''
  readonly message: string
}

/** A surface as hosts get it. */
export interface ShownSurface extends Surface {
  /** Its loaded tools for one provider. Pass `dialect` in the context of calls that come back. */
  format(provider: Provider, options?: FormatOptions): FormattedSurface
}

export function showSurface(surface: Surface): ShownSurface {
  return { ...surface, format: (provider, options = {}) => formatSurface(surface, provider, options) }
}

function formatSurface(surface: Surface, provider: Provider, options: FormatOptions): FormattedSurface {
  const { refused = 'loose', api = 'chat' } = options
  const table = dialectTables[provider]
  const shape = toolShapes[provider]
  const tools: JsonObject[] = []
  const report: FormattedTool[] = []
  const room = requestRoom(table.request)
  for (const [tool, entry] of surface.entries) {
    if (entry.status !== 'loaded') continue
    const projection = projectTool(entry.tool, provider)
    const name = providerName(tool, table, surface)
    const limited = projection.strict === undefined ? undefined : room(projection)
    const reasons = [...projection.refusals, ...(limited === undefined ? [] : [limited])]
    const schema = limited === undefined ? projection.strict : undefined
    const offered = schema !== undefined ? 'strict' : refused === 'loose' ? 'loose' : 'omitted'
    const { verdict, onlyLocal, warnings, assumes } = projection
    report.push({ tool, name, offered, verdict, onlyLocal, reasons, warnings, assumes })
    if (offered === 'omitted') continue
    const { contract } = entry.tool
    const shown: ShownTool = {
      name,
      contract,
      note: entry.deprecated,
      schema: schema ?? projection.loose,
      strict: offered === 'strict' && table.subset !== undefined,
    }
    tools.push(shape(shown, api))
  }
  const listed = provider === 'gemini' ? [{ functionDeclarations: tools }] : tools
  return { provider, table: table.date, tools: listed, report, deferred: deferredOn(surface, table) }
}

function deferredOn(surface: Surface, table: DialectTable): FormattedSurface['deferred'] {
  return [...surface.entries].flatMap(([name, entry]) =>
    entry.status === 'deferred' ? [{ name: providerName(name, table, surface), hint: entry.note }] : [],
  )
}

const projections = boundedCache<InputProjection>(2_000)

/** Kept by contract: a surface of a thousand tools is formatted for every request. */
export function projectTool(tool: Tool, provider: Provider): InputProjection {
  const { contract, contractHash, binding, input, narrowed } = tool
  const table = dialectTables[provider]
  const { sensitive } = binding
  const source = narrowed?.schema ?? contract.affordance.input_schema
  return projections(`${provider} ${contractHash} ${narrowed?.hash ?? ''} ${canonicalize([...sensitive])}`, () =>
    projectInput({ form: input.form, source, table, sensitive }),
  )
}

/** Counts what the strict tools of one request take together, and refuses a tool for which too little is left. */
export function requestRoom(
  limits: RequestLimits | undefined,
): (projection: InputProjection) => RequestRefusal | undefined {
  const taken = { tools: 0, optional: 0, unions: 0 }
  return ({ size }) => {
    if (limits === undefined) return undefined
    const after = {
      tools: taken.tools + 1,
      optional: taken.optional + size.optional,
      unions: taken.unions + size.unions,
    }
    const full = (['tools', 'optional', 'unions'] as const).find((kind) => after[kind] > limits[kind])
    if (full === undefined) {
      Object.assign(taken, after)
      return undefined
    }
    const message = `One request takes ${limits[full]} ${requestWords[full]}, and the tools before it leave too little.`
    return { code: 'request_limit', pointer: '', message }
  }
}

const requestWords = {
  tools: 'strict tools',
  optional: 'properties that may be absent in its strict tools',
  unions: 'properties of several types in its strict tools',
} as const
