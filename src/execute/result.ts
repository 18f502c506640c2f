// From what a tool returned to what an observation may carry: plain JSON, checked against the output schema, with what must not be shown
// masked. Nothing of a result is kept or shown that has not passed here.
import type { CompiledSchema, Tool } from '../contract/tool.ts'
import { copyResult } from '../json/copy.ts'
import { maskValue } from '../json/mask.ts'
import { isObject, type JsonObject, type JsonValue } from '../json/value.ts'

export type MappedResult =
  | {
      readonly ok: true
      readonly json: JsonValue
      /** The result before anything was masked, for the tool's own verifier alone. */
      readonly whole: JsonValue
      readonly data: JsonObject | null
      /** The tool's own result; its masked copy where something is masked. */
      readonly value: unknown
      readonly bytes: number
      readonly notes: readonly string[]
    }
  | { readonly ok: false; readonly message: string }

/** Results may be larger than arguments; beyond this nothing useful can be said to a model or stored. */
const resultLimits = { maxBytes: 16 * 1024 * 1024, maxDepth: 256, maxValues: 1_000_000 } as const

/** `checked` is what the schema library made of the returned value, where it has a say. */
export function mapResult(
  returned: unknown,
  checked: { readonly value: unknown } | undefined,
  tool: Tool,
): MappedResult {
  const value = checked === undefined ? returned : checked.value
  const empty = value === undefined
  const copy = copyResult(empty ? null : value, resultLimits)
  if (!copy.ok) {
    const { pointer, message } = copy.refusal
    return { ok: false, message: `The result cannot be written as JSON at ${place(pointer)}: ${message}` }
  }
  const misfit = misfitOf(copy.value, tool.output)
  if (misfit !== undefined) return { ok: false, message: misfit }
  const { redact } = tool.binding.persistence
  const json = redact.length === 0 ? copy.value : maskValue(copy.value, redact)
  const notes = [
    ...(empty ? ['empty_result: the tool succeeded and returned nothing'] : []),
    ...(redact.length === 0 ? [] : ['result_redacted: some fields are masked']),
  ]
  const own = redact.length === 0 ? returned : json
  return { ok: true, json, whole: copy.value, data: dataOf(json, empty), value: own, bytes: copy.bytes, notes }
}

function misfitOf(json: JsonValue, schema: CompiledSchema): string | undefined {
  if (schema.matches(json)) return undefined
  const first = schema.explain(json, ['/*'])[0]
  const detail = first === undefined ? '' : ` ${first.field}: expected ${first.expected}, got ${first.actual}.`
  return `The result does not fit the tool's output schema.${detail}`
}

/** Observation data is an object or null; any other value stands under `value`. */
function dataOf(json: JsonValue, empty: boolean): JsonObject | null {
  if (empty) return null
  return isObject(json) ? json : { value: json }
}

const place = (pointer: string) => (pointer === '' ? 'its root' : pointer)
