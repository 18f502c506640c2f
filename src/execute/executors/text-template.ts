// Templates of the executors that send text: {name} and {/pointer} stand for arguments, {credential:name} for a secret.
// They are taken apart once, when the executor is made; a text that is no template is refused then.

import { Fault } from '../../contract/fault.ts'
import { argumentPointer, readBraces } from '../../contract/tool/braces.ts'
import type { ExecutorNames } from '../../contract/tool/tool.ts'
import { readPointer } from '../../json/pointer.ts'
import type { JsonObject, JsonValue } from '../../json/value.ts'

export type Part =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'argument'; readonly pointer: string }
  | { readonly kind: 'credential'; readonly name: string }

export type Template = readonly Part[]

const credentialName = /^credential:([A-Za-z0-9_.-]{1,64})$/

export function readTemplate(text: string, what: string): Template {
  const reading = readBraces(text)
  if (!reading.ok) throw new Fault('bad_options', `${what} cannot be read. ${reading.problem}`)
  return reading.parts.map((part) =>
    typeof part === 'string' ? { kind: 'text', text: part } : partOf(part.hole, what),
  )
}

function partOf(hole: string, what: string): Part {
  const name = credentialName.exec(hole)?.[1]
  if (name !== undefined) return { kind: 'credential', name }
  const pointer = argumentPointer(hole)
  if (pointer !== undefined) return { kind: 'argument', pointer }
  throw new Fault('bad_options', `${what} names {${hole.slice(0, 64)}}: write {name}, {/pointer} or {credential:name}.`)
}

export const namesArgument = (template: Template): boolean => template.some(({ kind }) => kind === 'argument')
export const namesCredential = (template: Template): boolean => template.some(({ kind }) => kind === 'credential')

/** What several templates name, for registration. */
export const namesIn = (templates: readonly Template[]): ExecutorNames => ({
  arguments: templates.flat().flatMap((part) => (part.kind === 'argument' ? [part.pointer] : [])),
  credentials: templates.flat().flatMap((part) => (part.kind === 'credential' ? [part.name] : [])),
})

/** The one argument that a template consists of; undefined where it is anything more or else. */
export function onlyArgument(template: Template): string | undefined {
  const [first, second] = template
  return first?.kind === 'argument' && second === undefined ? first.pointer : undefined
}

/** The argument at a pointer; null counts as absent where text is made of it. */
export function argumentAt(args: JsonObject, pointer: string): JsonValue | undefined {
  return readPointer(args, pointer) ?? undefined
}
