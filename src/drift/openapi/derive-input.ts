// The arguments of an operation as one closed object: parameters under their own names, the body under `body`. Names that stand in several
// places are told apart by their place, always in the same way.
import { isObject, type JsonObject, type JsonValue } from '../../json/value.ts'
import type { OpenApiDocument, OpenApiGap } from './document.ts'
import { bestKind, chooseMedia, type MediaKind, schemaPointer } from './media.ts'
import { type Operation, type Parameter, type ParameterPlace, parameterPlaces } from './operations.ts'
import type { Translator } from './schema-translation.ts'

export interface Argument {
  /** The name of the argument; of the parameter, unless that was taken. */
  readonly name: string
  readonly place: Exclude<ParameterPlace, 'formData'>
  readonly parameter: Parameter | undefined
  readonly required: boolean
  readonly schema: JsonValue
}

export interface DerivedInput {
  readonly schema: JsonObject
  readonly arguments: readonly Argument[]
  readonly body:
    | { readonly kind: MediaKind; readonly required: boolean; readonly fields: readonly string[] | undefined }
    | undefined
  /** Parameters and a body that the document has and that are not among the arguments. */
  readonly unread: readonly OpenApiGap[]
  readonly gaps: readonly OpenApiGap[]
}

/** Header parameters of these names mean nothing, by the specification. */
const ignoredHeaders: ReadonlySet<string> = new Set(['accept', 'content-type', 'authorization'])

export function deriveInput(document: OpenApiDocument, operation: Operation, translator: Translator): DerivedInput {
  const gaps: OpenApiGap[] = []
  const uses = new Set<string>()
  const take = (schema: JsonValue | undefined, pointer: string): JsonValue => {
    const translation = translator.translate(schema, pointer)
    for (const gap of translation.gaps) gaps.push(gap)
    for (const target of translation.uses) uses.add(target)
    return translation.schema
  }
  const parameters = operation.parameters
    .filter(({ place, name }) => place !== 'header' || !ignoredHeaders.has(name.toLowerCase()))
    .toSorted((one, other) => parameterPlaces.indexOf(one.place) - parameterPlaces.indexOf(other.place))
  const taken = new Set<string>()
  const derived = parameters
    .filter(({ place }) => place !== 'body' && place !== 'formData')
    .map((parameter): Argument => {
      const { place, value, pointer } = parameter
      return {
        name: freeName(parameter.name, place, taken),
        place: place as Argument['place'],
        parameter,
        required: place === 'path' || value.required === true,
        schema: described(take(...parameterSchema(document, value, pointer)), value),
      }
    })
  const read = bodyOf(document, operation, parameters, take)
  const body = read !== undefined && 'kind' in read ? read : undefined
  const unreadBody = read !== undefined && !('kind' in read) ? [read] : []
  const all: readonly Argument[] =
    body === undefined
      ? derived
      : [
          ...derived,
          {
            name: freeName('body', 'body', taken),
            place: 'body',
            parameter: undefined,
            required: body.required,
            schema: body.schema,
          },
        ]
  const required = all.filter((one) => one.required).map(({ name }) => name)
  const { schema, gaps: deeper } = translator.complete(
    {
      type: 'object',
      properties: Object.fromEntries(all.map(({ name, schema: own }) => [name, own])),
      ...(required.length === 0 ? {} : { required }),
      additionalProperties: false,
    },
    uses,
  )
  return { schema, arguments: all, body, unread: [...operation.gaps, ...unreadBody], gaps: [...gaps, ...deeper] }
}

function freeName(name: string, place: string, taken: Set<string>): string {
  let free = taken.has(name) ? `${name}_${place}` : name
  for (let count = 2; taken.has(free); count++) free = `${name}_${place}_${count}`
  taken.add(free)
  return free
}

/** In 2.0 the parameter itself is a kind of schema. */
function parameterSchema(
  document: OpenApiDocument,
  value: JsonObject,
  pointer: string,
): readonly [JsonValue | undefined, string] {
  if (document.version === '2.0') return [bareSchema(value), pointer]
  const media = chooseMedia(value.content)
  return value.schema === undefined && media !== undefined
    ? [media.value.schema, `${pointer}/content`]
    : [value.schema, `${pointer}/schema`]
}

const aboutTheParameter: ReadonlySet<string> = new Set([
  'name',
  'in',
  'required',
  'description',
  'collectionFormat',
  'allowEmptyValue',
  'schema',
])

const bareSchema = (value: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(value).filter(([word]) => !aboutTheParameter.has(word) && !word.startsWith('x-')))

/** What is told of the parameter is told of its schema, where that has no words of its own. */
function described(schema: JsonValue, { description, deprecated }: JsonObject): JsonValue {
  const notes = {
    ...(typeof description === 'string' && description !== '' ? { description } : {}),
    ...(deprecated === true ? { deprecated } : {}),
  }
  if (Object.keys(notes).length === 0) return schema
  return isObject(schema) ? { ...notes, ...schema } : schema === true ? notes : schema
}

interface Body {
  readonly kind: MediaKind
  readonly required: boolean
  readonly schema: JsonValue
  readonly fields: readonly string[] | undefined
}

type Take = (schema: JsonValue | undefined, pointer: string) => JsonValue

function bodyOf(
  document: OpenApiDocument,
  { value, pointer }: Operation,
  parameters: readonly Parameter[],
  take: Take,
): Body | OpenApiGap | undefined {
  if (document.version === '2.0') return oldBody(document, value, parameters, take)
  if (value.requestBody === undefined) return undefined
  const read = document.resolve(value.requestBody, `${pointer}/requestBody`)
  if (!read.ok) return read.gap
  const media = chooseMedia(read.value.content)
  if (media === undefined)
    return { pointer: read.pointer, construct: 'requestBody', message: 'The body has no media type.' }
  const at = schemaPointer(read.pointer, media)
  const isText = media.kind === 'text' || media.kind === 'other'
  const schema = isText && media.value.schema === undefined ? { type: 'string' } : take(media.value.schema, at)
  const shape = document.resolve(media.value.schema, at)
  const fields = shape.ok && isObject(shape.value.properties) ? Object.keys(shape.value.properties) : undefined
  return { kind: media.kind, required: read.value.required === true, schema: described(schema, read.value), fields }
}

function oldBody(
  document: OpenApiDocument,
  value: JsonObject,
  parameters: readonly Parameter[],
  take: Take,
): Body | undefined {
  const whole = parameters.find(({ place }) => place === 'body')
  const consumed = bestKind(value.consumes, document.root.consumes)
  if (whole !== undefined) {
    const schema = described(take(whole.value.schema, `${whole.pointer}/schema`), whole.value)
    return { kind: consumed ?? 'json', required: whole.value.required === true, schema, fields: undefined }
  }
  const fields = parameters.filter(({ place }) => place === 'formData')
  if (fields.length === 0) return undefined
  const required = fields.filter((field) => field.value.required === true).map(({ name }) => name)
  const properties = Object.fromEntries(
    fields.map((field) => [field.name, described(take(bareSchema(field.value), field.pointer), field.value)]),
  )
  const kind = fields.some((field) => field.value.type === 'file') || consumed === 'multipart' ? 'multipart' : 'form'
  const names = { ...(required.length === 0 ? {} : { required }), additionalProperties: false }
  return {
    kind,
    required: required.length > 0,
    schema: { type: 'object', properties, ...names },
    fields: fields.map(({ name }) => name),
  }
}
