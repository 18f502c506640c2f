// The body of a request: the arguments as JSON, a JSON value in which arguments and secrets stand, the fields of a form, or none.
import { readPointer } from '../../../json/pointer.ts'
import { isObject, type JsonObject, type JsonValue } from '../../../json/value.ts'
import {
  argumentAt,
  onlyArgument,
  readTextTemplate,
  render,
  scalarText,
  type TemplateSource,
  type TextTemplate,
} from '../text-template.ts'

export interface BodyTemplate {
  readonly templates: readonly TextTemplate[]
  readonly type: string
  /** Undefined where the whole body is an argument that is absent. */
  fill(source: TemplateSource): string | undefined
}

/** `true`: the arguments that stand nowhere else in the request. */
export function jsonBody(shape: JsonValue | true, elsewhere: ReadonlySet<string>): BodyTemplate {
  const type = 'application/json'
  if (shape === true) return { templates: [], type, fill: ({ args }) => JSON.stringify(remaining(args, elsewhere)) }
  const { templates, fill } = compile(shape)
  return {
    templates,
    type,
    fill: (source) => {
      const value = fill(source)
      return value === undefined ? undefined : JSON.stringify(value)
    },
  }
}

interface CompiledShape {
  readonly templates: readonly TextTemplate[]
  fill(source: TemplateSource): JsonValue | undefined
}

/** Texts of the shape are templates; one that is a single argument becomes its value, of any type, and is left out with it. */
function compile(shape: JsonValue): CompiledShape {
  if (typeof shape === 'string') {
    const template = readTextTemplate(shape, 'The body')
    const only = onlyArgument(template)
    const fill: CompiledShape['fill'] =
      only === undefined
        ? (source) => render(template, source)
        : // Null is a value of JSON like others: it may be what clears a field.
          ({ args }) => readPointer(args, only)
    return { templates: [template], fill }
  }
  if (Array.isArray(shape)) {
    const items = shape.map((item: JsonValue) => compile(item))
    const fill: CompiledShape['fill'] = (source) => items.flatMap((item) => listed(item.fill(source)))
    return { templates: items.flatMap(({ templates }) => templates), fill }
  }
  if (isObject(shape)) {
    const members = Object.entries(shape).map(([key, value]) => [key, compile(value)] as const)
    return {
      templates: members.flatMap(([, { templates }]) => templates),
      fill: (source) =>
        Object.fromEntries(
          members.flatMap(([key, member]) => {
            const value = member.fill(source)
            return value === undefined ? [] : [[key, value] as const]
          }),
        ),
    }
  }
  return { templates: [], fill: () => shape }
}

/** An element that is itself a list stays one. */
const listed = (value: JsonValue | undefined): readonly JsonValue[] => (value === undefined ? [] : [value])

const remaining = (args: JsonObject, elsewhere: ReadonlySet<string>): JsonObject =>
  Object.fromEntries(Object.entries(args).filter(([name]) => !elsewhere.has(name)))

export function formBody(
  fields: Readonly<Record<string, string>> | true,
  elsewhere: ReadonlySet<string>,
): BodyTemplate {
  const type = 'application/x-www-form-urlencoded'
  if (fields === true)
    return {
      templates: [],
      type,
      fill: ({ args }) => encoded(Object.entries(remaining(args, elsewhere)).map(([name, value]) => [name, value])),
    }
  const lines = Object.entries(fields).map(
    ([name, value]) => [name, readTextTemplate(value, `The field ${name}`)] as const,
  )
  return {
    templates: lines.map(([, template]) => template),
    type,
    fill: (source) =>
      encoded(
        lines.map(([name, template]) => {
          const only = onlyArgument(template)
          return [name, only === undefined ? render(template, source) : argumentAt(source.args, only)]
        }),
      ),
  }
}

function encoded(fields: readonly (readonly [string, JsonValue | undefined])[]): string {
  const form = new URLSearchParams()
  for (const [name, value] of fields) {
    const list: readonly (JsonValue | undefined)[] = Array.isArray(value) ? value : [value]
    for (const item of list) if (item !== undefined && item !== null) form.append(name, scalarText(item, `/${name}`))
  }
  return form.toString()
}
