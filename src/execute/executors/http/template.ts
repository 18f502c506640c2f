// Templates of the http and email executors: text in which {name} and {/pointer} stand for arguments and {credential:name} for a secret.
// They are taken apart once, when the executor is made; a text that is no template is refused then.
import { Fault } from '../../../contract/fault.ts'
import { appendPointer, isPointer, readPointer } from '../../../json/pointer.ts'
import type { JsonObject, JsonValue } from '../../../json/value.ts'

export type Part =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'argument'; readonly pointer: string }
  | { readonly kind: 'credential'; readonly name: string }

export type Template = readonly Part[]

const reference = /^(?:credential:([A-Za-z0-9_.-]{1,64})|([A-Za-z_$][A-Za-z0-9_$.-]{0,127})|(\/.{0,500}))$/u

/** `{{` and `}}` stand for braces themselves. */
export function readTemplate(text: string, what: string): Template {
  const parts: Part[] = []
  let plain = ''
  for (const [piece] of text.matchAll(/\{\{|\}\}|\{[^{}]*\}|[^{}]+|./gsu)) {
    if (piece === '{{' || piece === '}}') plain += piece[0]
    else if (piece.startsWith('{') && piece.endsWith('}')) {
      if (plain !== '') parts.push({ kind: 'text', text: plain })
      plain = ''
      parts.push(referenceIn(piece.slice(1, -1), what))
    } else if (piece === '{' || piece === '}') {
      throw new Fault('bad_tool_file', `${what} has a brace that nothing closes or opens; write {{ or }} for a brace.`)
    } else plain += piece
  }
  if (plain !== '') parts.push({ kind: 'text', text: plain })
  return parts
}

function referenceIn(text: string, what: string): Part {
  const [, credential, name, pointer] = reference.exec(text) ?? []
  if (credential !== undefined) return { kind: 'credential', name: credential }
  if (name !== undefined) return { kind: 'argument', pointer: appendPointer('', name) }
  if (pointer !== undefined && isPointer(pointer)) return { kind: 'argument', pointer }
  throw new Fault(
    'bad_tool_file',
    `${what} names {${text.slice(0, 64)}}: write {name}, {/pointer} or {credential:name}.`,
  )
}

export const namesArgument = (template: Template): boolean => template.some(({ kind }) => kind === 'argument')
export const namesCredential = (template: Template): boolean => template.some(({ kind }) => kind === 'credential')

/** The one argument that a template consists of; undefined where it is anything more or else. */
export function onlyArgument(template: Template): string | undefined {
  const [first, second] = template
  return first?.kind === 'argument' && second === undefined ? first.pointer : undefined
}

/** The argument at a pointer; null counts as absent where text is made of it. */
export function argumentAt(args: JsonObject, pointer: string): JsonValue | undefined {
  return readPointer(args, pointer) ?? undefined
}
