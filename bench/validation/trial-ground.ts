// Sends one call after another through the whole pipeline and sees whether the executor was reached, and with what.
// Invariant: one registered tool per schema key; rate and budgets never decide.
import { compileTool } from '../../src/contract/tool/compile-tool.ts'
import { type Answer, defineTool, Fault, openProviso, type Surface, type ToolSource } from '../../src/index.ts'
import type { JsonObject, JsonValue } from '../../src/json/value.ts'
import { memory } from '../../src/ledger/index.ts'
import type { FieldError } from '../../src/schema/field-error.ts'
import { onlySurface } from '../../src/surface/build-surface.ts'

export interface Trial {
  readonly answer: Answer
  /** The arguments that the executor got, as JSON text; undefined where it was not reached. */
  readonly reachedWith: string | undefined
  /** What the registered tool's own explainer says of a value, with the pointers that an answer does not carry. */
  explain(value: JsonValue): readonly FieldError[]
}

export interface TrialGround {
  /**
   * Registers the schema as a read-only tool's; the text says why it was refused. A schema that is refused only because no value
   * satisfies it is judged all the same, as if it had been taken: what a model sends to it must still be refused at the right place.
   */
  register(key: string, name: string, schema: JsonObject): Promise<string | undefined>
  has(key: string): boolean
  call(key: string, text: string): Promise<Trial>
  /** Proposes a tool to a run that was offered only these. */
  callOffered(offered: readonly string[], name: string, text: string): Promise<Trial>
}

const rate = { windowSec: 1, maxRequests: 1_000_000_000 }

export async function openTrialGround(): Promise<TrialGround> {
  const proviso = await openProviso({ ledger: memory({ maxCalls: 10_000 }) })
  const surfaces = new Map<string, Surface>()
  let reachedWith: string | undefined

  const sourceOf = (name: string, schema: JsonObject): ToolSource =>
    defineTool({
      name: registeredName(name),
      description: 'One published schema.',
      effect: 'READ_ONLY',
      input: schema,
      rate,
      execute: (args: unknown) => {
        reachedWith = JSON.stringify(args)
        return { done: true }
      },
    })

  let turns = 0
  const takeAnyway = (key: string, { contract, binding }: ToolSource): void => {
    const compilation = compileTool(contract, binding)
    if (compilation.ok) surfaces.set(key, onlySurface(compilation.tool))
  }

  const callOn = async (surface: Surface, tool: string, text: string): Promise<Trial> => {
    reachedWith = undefined
    // Each in a turn of its own: rows are judged one by one, not as rounds of a model.
    const answer = await proviso.call({ tool, arguments: text }, { surface, turn: String(turns++) })
    const explain = (value: JsonValue) => surface.entries.get(tool)?.tool.input.explain(value, []) ?? []
    return { answer, reachedWith, explain }
  }

  return {
    async register(key, name, schema) {
      if (surfaces.has(key)) return undefined
      try {
        surfaces.set(key, await proviso.surface({}, [sourceOf(name, schema)]))
        return undefined
      } catch (error) {
        if (!(error instanceof Fault)) throw error
        if (error.message.includes('input-unsatisfiable')) takeAnyway(key, sourceOf(name, schema))
        return error.message
      }
    },
    has: (key) => surfaces.has(key),
    call(key, text) {
      const surface = surfaces.get(key)
      const tool = surface?.entries.keys().next().value
      if (surface === undefined || tool === undefined) throw new Error(`No tool was registered for ${key}`)
      return callOn(surface, tool, text)
    },
    async callOffered(offered, name, text) {
      const key = `offered ${JSON.stringify(offered)}`
      const names = [...new Set(offered.map(registeredName))]
      const surface =
        surfaces.get(key) ??
        (await proviso.surface(
          {},
          names.map((own) => sourceOf(own, {})),
        ))
      surfaces.set(key, surface)
      return callOn(surface, name, text)
    },
  }
}

/** Names that the envelope does not allow are written with what it does allow. */
function registeredName(name: string): string {
  return name.slice(0, 128).replaceAll(/[^a-zA-Z0-9_.-]/g, '_') || 'unnamed'
}
