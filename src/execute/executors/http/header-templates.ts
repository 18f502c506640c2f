// Header lines of a request. Names are constants; what frames the request is never set here, and an argument never stands in a line that
// says who the caller is.
import { Fault } from '../../../contract/fault.ts'
import { framing } from '../../../contract/tool/framing.ts'
import {
  argumentAt,
  cannotBeSent,
  namesArgument,
  onlyArgument,
  readTextTemplate,
  render,
  type TemplateSource,
  type TextTemplate,
} from '../text-template.ts'

export interface HeaderTemplates {
  readonly templates: readonly TextTemplate[]
  fill(source: TemplateSource): Record<string, string>
}

const identifying: ReadonlySet<string> = new Set(['authorization', 'cookie', 'forwarded', 'origin', 'referer'])

export function headerTemplates(headers: Readonly<Record<string, string>> = {}): HeaderTemplates {
  const lines = Object.entries(headers).map(([given, value]) => {
    const name = given.toLowerCase()
    const template = readTextTemplate(value, `The header ${given.slice(0, 64)}`)
    if (!/^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(name))
      throw new Fault('bad_options', `${given.slice(0, 64)} names no header.`)
    if (framing.has(name)) throw new Fault('bad_options', `The header ${name} is not for a binding to set.`)
    if (identifying.has(name) && namesArgument(template))
      throw new Fault('bad_options', `No argument may stand in the header ${name}: it says who the caller is.`)
    return { name, template }
  })
  if (new Set(lines.map(({ name }) => name)).size < lines.length)
    throw new Fault('bad_options', 'A header stands twice.')
  return {
    templates: lines.map(({ template }) => template),
    fill: (source) => Object.fromEntries(lines.flatMap(({ name, template }) => lineOf(name, template, source))),
  }
}

/** No line where its only value is an argument that is absent. */
function lineOf(name: string, template: TextTemplate, source: TemplateSource): readonly (readonly [string, string])[] {
  const only = onlyArgument(template)
  if (only !== undefined && argumentAt(source.args, only) === undefined) return []
  const text = render(template, source, oneLine)
  return [[name, oneLine(text, `The header ${name}`)]]
}

/** Visible ASCII, spaces and tabs: nothing that ends a line, and nothing that two readers read differently. */
function oneLine(value: string, what: string): string {
  if (/^[\t\x20-\x7e]*$/.test(value)) return value
  throw cannotBeSent(what, 'must be one line of plain ASCII in a header')
}
