// Sends one call after another through the whole pipeline and sees whether the executor was reached, and with what.
// Invariant: one registered tool per schema key; rate and budgets never decide.
import { type Answer, defineTool, Fault, memory, openProviso, type Surface } from '../../src/index.ts'
import type { JsonObject, JsonValue } from '../../src/json/value.ts'
import type { FieldError } from '../../src/schema/field-error.ts'

export interface Trial {
  readonly answer: Answer
  /** The arguments that the executor got, as JSON text; undefined where it was not reached. */
  readonly reachedWith: string | undefined
  /** What the registered tool's own explainer says of a value, with the pointers that an answer does not carry. */
  explain(value: JsonValue): readonly FieldError[]
}

export interface TrialGround {
  /** Registers the schema as a read-only tool's; the text says why it was refused. */
  register(key: string, name: string, schema: JsonObject): Promise<string | undefined>
  call(key: string, text: string): Promise<Trial>
  /** Proposes a tool to a run that was offered only these. */
  callOffered(offered: readonly string[], name: string, text: string): Promise<Trial>
}

const rate = { windowSec: 1, maxRequests: 1_000_000_000 }

export async function openTrialGround(): Promise<TrialGround> {
  const proviso = await openProviso({ ledger: memory({ maxCalls: 10_000 }) })
  const surfaces = new Map<string, Surface>()
  let reachedWith: string | undefined

  const surfaceOf = (tools: readonly { readonly name: string; readonly schema: JsonObject }[]): Promise<Surface> =>
    proviso.surface(
      {},
      tools.map(({ name, schema }) =>
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
        }),
      ),
    )

  const callOn = async (surface: Surface, tool: string, text: string): Promise<Trial> => {
    reachedWith = undefined
    const answer = await proviso.call({ tool, arguments: text }, { surface })
    const explain = (value: JsonValue) => surface.entries.get(tool)?.tool.input.explain(value, []) ?? []
    return { answer, reachedWith, explain }
  }

  return {
    async register(key, name, schema) {
      if (surfaces.has(key)) return undefined
      try {
        surfaces.set(key, await surfaceOf([{ name, schema }]))
        return undefined
      } catch (error) {
        if (error instanceof Fault) return error.message
        throw error
      }
    },
    call(key, text) {
      const surface = surfaces.get(key)
      const tool = surface?.entries.keys().next().value
      if (surface === undefined || tool === undefined) throw new Error(`No tool was registered for ${key}`)
      return callOn(surface, tool, text)
    },
    async callOffered(offered, name, text) {
      const key = `offered ${JSON.stringify(offered)}`
      const names = [...new Set(offered.map(registeredName))]
      const surface = surfaces.get(key) ?? (await surfaceOf(names.map((own) => ({ name: own, schema: {} }))))
      surfaces.set(key, surface)
      return callOn(surface, name, text)
    },
  }
}

/** Names that the envelope does not allow are written with what it does allow. */
function registeredName(name: string): string {
  return name.slice(0, 128).replaceAll(/[^a-zA-Z0-9_.-]/g, '_') || 'unnamed'
}
