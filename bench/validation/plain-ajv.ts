// What plain Ajv finds wrong with a value: an opinion that shares no code with our validator or explainer.
// Invariant: one compiled function per schema key; formats annotate, as in the published labels.
import { Ajv, type ErrorObject } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { appendPointer } from '../../src/json/pointer.ts'
import type { JsonObject } from '../../src/json/value.ts'

export interface Complaint {
  readonly pointer: string
  readonly keyword: string
  /** Found inside an alternative of a union: another alternative may have been meant. */
  readonly inUnion: boolean
}

export interface Opinion {
  /** Why the schema itself is no JSON Schema, where it is none. */
  readonly schemaFault: string | undefined
  complaints(value: unknown): readonly Complaint[]
}

const settings = { strict: false, allErrors: true, validateFormats: false, ownProperties: true } as const

export function createPlainAjv(): (key: string, schema: JsonObject) => Opinion {
  const current = new Ajv2020(settings)
  const draft07 = new Ajv(settings)
  const opinions = new Map<string, Opinion>()
  return (key, schema) => {
    const known = opinions.get(key)
    if (known !== undefined) return known
    const isOld = typeof schema.$schema === 'string' && schema.$schema.includes('draft-07')
    const opinion = opinionOf(isOld ? draft07 : current, schema)
    opinions.set(key, opinion)
    return opinion
  }
}

function opinionOf(ajv: Ajv | Ajv2020, schema: JsonObject): Opinion {
  if (ajv.validateSchema(schema) !== true) return { schemaFault: ajv.errorsText(ajv.errors), complaints: () => [] }
  const validate = ajv.compile(schema)
  return {
    schemaFault: undefined,
    complaints: (value) => (validate(value) ? [] : (validate.errors ?? []).flatMap(complaintOf)),
  }
}

function complaintOf(error: ErrorObject): readonly Complaint[] {
  // A union and a condition are told by what is wrong within them; a propertyNames error stands beside the one of the name.
  const toldElsewhere = error.keyword === 'anyOf' || error.keyword === 'if'
  if (toldElsewhere || (error.keyword === 'oneOf' && error.params.passingSchemas === null)) return []
  const keyword = renamed.get(error.keyword) ?? error.keyword
  return [{ pointer: pointerOf(error), keyword, inUnion: /\/(?:anyOf|oneOf)\/\d+\//.test(error.schemaPath) }]
}

const renamed: ReadonlyMap<string, string> = new Map([
  ['false schema', 'false'],
  ['dependencies', 'dependentRequired'],
])

/** Ajv reports a missing or unwanted property at its object; the place of the fault is the property. */
function pointerOf({ instancePath, params, propertyName }: ErrorObject): string {
  const property = params.missingProperty ?? params.additionalProperty ?? params.unevaluatedProperty
  const name: unknown = property ?? params.propertyName ?? propertyName
  return typeof name === 'string' ? appendPointer(instancePath, name) : instancePath
}
