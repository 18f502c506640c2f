// From a template and a call to text. A value that cannot stand where it would is refused before anything is sent.
import { ToolError } from '../../contract/fault.ts'
import type { ExecutionContext } from '../../contract/tool/tool.ts'
import { fieldPath } from '../../json/pointer.ts'
import type { JsonObject, JsonValue } from '../../json/value.ts'
import { handedCredential } from './handed-credential.ts'
import { argumentAt, type Part, type Template } from './text-template.ts'

export interface Source {
  readonly args: JsonObject
  readonly credentials: ExecutionContext['credentials']
}

/** Text of a template. `encode` is given every value, and never the template's own text. */
export function render(template: Template, source: Source, encode: (value: string, what: string) => string): string {
  return template.map((part) => textOf(part, source, encode)).join('')
}

function textOf(part: Part, source: Source, encode: (value: string, what: string) => string): string {
  switch (part.kind) {
    case 'text':
      return part.text
    case 'argument':
      return encode(scalarText(argumentAt(source.args, part.pointer), part.pointer), fieldPath(part.pointer))
    case 'credential':
      return encode(handedCredential(source, part.name), 'a credential')
  }
}

export function scalarText(value: JsonValue | undefined, pointer: string): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  throw misfit(fieldPath(pointer), value === undefined ? 'is needed' : 'must be a text, a number or true or false')
}

/** A value that passed the schema and still cannot be sent. */
export function misfit(what: string, problem: string): ToolError {
  return new ToolError('argument_cannot_be_sent', `${what} ${problem}. Nothing was sent.`, {
    effect: 'none',
    class: 'SEMANTIC_INVALIDITY',
  })
}
