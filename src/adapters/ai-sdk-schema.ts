// The schemas of AI SDK tools, taken by their shape so that the SDK itself is never loaded. A schema made here prints the JSON Schema
// of the one it was made from, through the SDK's own conversion; only its check of a value differs.

type Check = (value: unknown) => unknown

/** From the schema's own check, and a result that accepts a value, to the check that stands in its place. */
type Replace = (check: Check | undefined, accept: Check) => Check | undefined

type Parsed = { readonly ok: true; readonly value: unknown } | { readonly ok: false }

/** The mark by which every copy of the SDK knows its own schemas. */
const mark = Symbol.for('vercel.ai.schema')

/** The SDK also takes a function that makes the schema when it is first needed. */
export function resolved(schema: unknown): unknown {
  return typeof schema === 'function' && !('~standard' in schema) ? schema() : schema
}

/** Shows the model the same and lets every value through: the value is validated later, by the pipeline. */
export function opened(schema: unknown): unknown {
  return withCheck(schema, (_check, accept) => accept)
}

/** Takes what the schema takes, and besides it what `admits` says. */
export function widened(schema: unknown, admits: (value: unknown) => boolean): unknown {
  return withCheck(schema, (check, accept) =>
    check === undefined ? undefined : (value) => (admits(value) ? accept(value) : check(value)),
  )
}

/** What the schema makes of a value: defaults, coercions and transforms applied, as the SDK would have done. */
export async function parseWith(schema: unknown, value: unknown): Promise<Parsed> {
  const accept: Check = (accepted) => ({ success: true, value: accepted })
  const found = resolved(schema)
  const result = await (checkOf(found) ?? accept)(value)
  if (!isObject(result) || result.success === false || result.issues !== undefined) return { ok: false }
  return { ok: true, value: result.value }
}

function withCheck(schema: unknown, replace: Replace): unknown {
  const found = resolved(schema)
  if (isStandard(found)) {
    const { jsonSchema } = found['~standard']
    const validate = replace(checkOf(found), (value) => ({ value }))
    // Not under its library's name: the SDK knows some of them and would go past this object.
    return { '~standard': { version: 1, vendor: 'proviso', validate, jsonSchema } }
  }
  if (!isMarked(found)) return found
  return {
    [mark]: true,
    _type: undefined,
    get jsonSchema() {
      return found.jsonSchema
    },
    validate: replace(checkOf(found), (value) => ({ success: true, value })),
  }
}

function checkOf(schema: unknown): Check | undefined {
  const owner = isStandard(schema) ? schema['~standard'] : isMarked(schema) ? schema : undefined
  const validate = owner?.validate
  return typeof validate === 'function' ? (value) => Reflect.apply(validate, owner, [value]) : undefined
}

type Readable = Readonly<Record<PropertyKey, unknown>>

const isObject = (value: unknown): value is Readable => typeof value === 'object' && value !== null

function isMarked(schema: unknown): schema is Readable {
  return isObject(schema) && schema[mark] === true
}

/** ArkType's schemas are functions. */
function isStandard(schema: unknown): schema is { readonly '~standard': Readable } {
  return (isObject(schema) || typeof schema === 'function') && '~standard' in schema && isObject(schema['~standard'])
}
