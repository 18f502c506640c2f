// Templates of the executors that send text: {name} and {/pointer} stand for arguments, {credential:name} for a secret. They are read once,
// when the executor is made, and filled for each call. A value that cannot stand where it would is refused before anything is sent.
import { Fault, ToolError } from '../../contract/fault.ts'
import { argumentPointer, readBraces } from '../../contract/tool/braces.ts'
import type { ExecutionContext, ExecutorNames } from '../../contract/tool/executor.ts'
import { appendPointer, fieldPath, readPointer } from '../../json/pointer.ts'
import type { JsonObject, JsonValue } from '../../json/value.ts'

export type TextPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'argument'; readonly pointer: string }
  | { readonly kind: 'credential'; readonly name: string }

export type TextTemplate = readonly TextPart[]

const credentialName = /^credential:([A-Za-z0-9_.-]{1,64})$/

export function readTextTemplate(text: string, what: string): TextTemplate {
  const reading = readBraces(text)
  if (!reading.ok) throw new Fault('bad_options', `${what} cannot be read. ${reading.problem}`)
  return reading.parts.map((part) =>
    typeof part === 'string' ? { kind: 'text', text: part } : readHole(part.hole, what),
  )
}

function readHole(hole: string, what: string): TextPart {
  const name = credentialName.exec(hole)?.[1]
  if (name !== undefined) return { kind: 'credential', name }
  const pointer = argumentPointer(hole)
  if (pointer !== undefined) return { kind: 'argument', pointer }
  throw new Fault('bad_options', `${what} names {${hole.slice(0, 64)}}: write {name}, {/pointer} or {credential:name}.`)
}

export const namesArgument = (template: TextTemplate): boolean => template.some(({ kind }) => kind === 'argument')
export const namesCredential = (template: TextTemplate): boolean => template.some(({ kind }) => kind === 'credential')

/** What several templates name, for registration. */
export const namesIn = (templates: readonly TextTemplate[]): ExecutorNames => ({
  arguments: templates.flat().flatMap((part) => (part.kind === 'argument' ? [part.pointer] : [])),
  credentials: templates.flat().flatMap((part) => (part.kind === 'credential' ? [part.name] : [])),
})

/** The one argument that a template consists of; undefined where it is anything more or else. */
export function onlyArgument(template: TextTemplate): string | undefined {
  const [first, second] = template
  return first?.kind === 'argument' && second === undefined ? first.pointer : undefined
}

/** The argument at a pointer; null counts as absent where text is made of it. */
export function argumentAt(args: JsonObject, pointer: string): JsonValue | undefined {
  return readPointer(args, pointer) ?? undefined
}

export interface TemplateSource {
  readonly args: JsonObject
  readonly credentials: ExecutionContext['credentials']
}

/** Writes a value into the text; `what` names it where it is refused. */
type Encode = (value: string, what: string) => string

const asItIs: Encode = (value) => value

/** Text of a template. `encode` gets every value, and never the template's own text. */
export function render(template: TextTemplate, source: TemplateSource, encode = asItIs): string {
  return template.map((part) => partText(part, source, encode)).join('')
}

function partText(part: TextPart, source: TemplateSource, encode: Encode): string {
  switch (part.kind) {
    case 'text':
      return part.text
    case 'argument':
      return encode(scalarText(argumentAt(source.args, part.pointer), part.pointer), fieldPath(part.pointer))
    case 'credential':
      return encode(handedCredential(source, part.name), 'a credential')
  }
}

/** The texts of an argument, each with its pointer: one, or one for each element of a list. None where it is absent. */
export function scalarTexts(args: JsonObject, pointer: string): readonly { text: string; pointer: string }[] {
  const value = argumentAt(args, pointer)
  if (value === undefined) return []
  if (!Array.isArray(value)) return [{ text: scalarText(value, pointer), pointer }]
  return value.map((item: JsonValue, index) => {
    const place = appendPointer(pointer, index)
    return { text: scalarText(item, place), pointer: place }
  })
}

export function scalarText(value: JsonValue | undefined, pointer: string): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  throw cannotBeSent(
    fieldPath(pointer),
    value === undefined ? 'is needed' : 'must be a text, a number or true or false',
  )
}

/** A value that passed the schema and still cannot be sent. */
export function cannotBeSent(what: string, problem: string): ToolError {
  return new ToolError('argument_cannot_be_sent', `${what} ${problem}. Nothing was sent.`, {
    effect: 'none',
    class: 'SEMANTIC_INVALIDITY',
  })
}

/** The secret under a name. Registration and the resolver see to it that it is there; where it is not, nothing was started. */
export function handedCredential({ credentials }: Pick<ExecutionContext, 'credentials'>, name: string): string {
  const secret = credentials.get(name)
  if (secret !== undefined) return secret
  throw new ToolError(
    'credential_missing',
    `The credential ${name} was not handed over; credentials of the binding must ask for it. Nothing was done.`,
    { effect: 'none', class: 'DEPENDENCY_UNAVAILABLE' },
  )
}
