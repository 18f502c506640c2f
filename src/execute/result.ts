// From what a tool returned to what an observation may carry: plain JSON, checked against the output schema.
import type { CompiledSchema, Tool } from '../contract/tool.ts'
import { copyResult } from '../json/copy.ts'
import { isObject, type JsonObject, type JsonValue } from '../json/value.ts'

export type NormalizedResult =
  | {
      readonly ok: true
      readonly json: JsonValue
      readonly data: JsonObject | null
      readonly bytes: number
      readonly empty: boolean
    }
  | { readonly ok: false; readonly message: string }

/** Results may be larger than arguments; beyond this nothing useful can be said to a model or stored. */
const resultLimits = { maxBytes: 16 * 1024 * 1024, maxDepth: 256, maxValues: 1_000_000 } as const

export async function normalizeResult(returned: unknown, { output, binding }: Tool): Promise<NormalizedResult> {
  const checked = await binding.outputCheck?.(returned)
  if (checked?.ok === false)
    return { ok: false, message: "The result does not pass the checks of the tool's output schema." }
  const value = checked === undefined ? returned : checked.value
  return toObservable(value, output)
}

function toObservable(value: unknown, schema: CompiledSchema): NormalizedResult {
  const empty = value === undefined
  const copy = copyResult(empty ? null : value, resultLimits)
  if (!copy.ok) {
    return {
      ok: false,
      message: `The result cannot be written as JSON at ${place(copy.refusal.pointer)}: ${copy.refusal.message}`,
    }
  }
  if (!schema.matches(copy.value)) {
    const first = schema.explain(copy.value, ['/*'])[0]
    const detail = first === undefined ? '' : ` ${first.field}: expected ${first.expected}, got ${first.actual}.`
    return { ok: false, message: `The result does not fit the tool's output schema.${detail}` }
  }
  return { ok: true, json: copy.value, data: asData(copy.value, empty), bytes: copy.bytes, empty }
}

/** Observation data is an object or null; any other value stands under `value`. */
export function asData(json: JsonValue, empty: boolean): JsonObject | null {
  if (empty) return null
  return isObject(json) ? json : { value: json }
}

const place = (pointer: string) => (pointer === '' ? 'its root' : pointer)
