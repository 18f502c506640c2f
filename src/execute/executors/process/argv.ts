// The arguments of a program from a template: one item is one argument, for every value. No value is split, none is read by a
// shell, and none that begins with a dash reaches a place where the program would read it as an option.
import { argumentPointer, readBraces } from '../../../contract/tool/braces.ts'
import { readPointer } from '../../../json/pointer.ts'
import type { JsonObject, JsonValue } from '../../../json/value.ts'

interface Hole {
  readonly pointer: string
  /** `{name?}`: the whole item is left out where the argument is. */
  readonly optional: boolean
  /** `{names...}`: an array, one argument of the program for each element. */
  readonly spread: boolean
}

export interface ArgvItem {
  readonly parts: readonly (string | Hole)[]
  /** Behind a `--` of the template, where nothing is an option any more. */
  readonly behindDashes: boolean
  /** Behind an option that may take it for its value: were it left out, the option would take what follows, `--` too. */
  readonly behindOption: boolean
}

export type ArgvTemplate = readonly ArgvItem[]

export type ArgvReading =
  | { readonly ok: true; readonly template: ArgvTemplate }
  | { readonly ok: false; readonly problem: string }

/** `--name=` and the like: what follows is a value, and nothing else. */
const optionWithValue = /^--?[A-Za-z0-9][A-Za-z0-9_.-]*=/

/** Items such as `--format=json`, `{path}`, `--name={/customer/name}`, `{limit?}` and `{files...}`; `{{` and `}}` are braces. */
export function readArgv(items: readonly string[]): ArgvReading {
  const template: ArgvItem[] = []
  let behindDashes = false
  let behindOption = false
  for (const item of items) {
    const reading = readItem(item)
    if ('problem' in reading) return { ok: false, problem: `${JSON.stringify(item)}: ${reading.problem}` }
    const { parts } = reading
    const [first] = parts
    if (
      !behindDashes &&
      parts.length > 1 &&
      typeof first === 'string' &&
      first.startsWith('-') &&
      !optionWithValue.test(first)
    )
      return {
        ok: false,
        problem: `${JSON.stringify(item)}: write --name={value}, or the option and its value as two items.`,
      }
    if (behindOption && parts.some((part) => typeof part !== 'string' && part.optional))
      return {
        ok: false,
        problem: `${JSON.stringify(item)}: where it is left out, the option before it would take what follows; write --name={value?}.`,
      }
    template.push({ parts, behindDashes, behindOption })
    if (item === '--') behindDashes = true
    behindOption = !behindDashes && isBareOption(parts)
  }
  return { ok: true, template }
}

/** An option without a value of its own. A dash alone is no option. */
function isBareOption([text, ...more]: ArgvItem['parts']): boolean {
  return typeof text === 'string' && more.length === 0 && /^-./su.test(text) && !text.includes('=')
}

function readItem(item: string): { readonly parts: ArgvItem['parts'] } | { readonly problem: string } {
  if (item.includes('\0')) return { problem: 'an argument holds no NUL.' }
  const reading = readBraces(item)
  if (!reading.ok) return reading
  const parts: (string | Hole)[] = []
  for (const part of reading.parts) {
    const hole = typeof part === 'string' ? part : holeOf(part.hole)
    if (hole === undefined)
      return { problem: 'a hole is {name} or {/pointer} of an argument; a secret comes by credentials, never in argv.' }
    parts.push(hole)
  }
  const spreads = parts.some((part) => typeof part !== 'string' && part.spread)
  return spreads && parts.length > 1 ? { problem: 'a list stands alone in its item.' } : { parts }
}

function holeOf(hole: string): Hole | undefined {
  const { name = '', mark } = /^(?<name>.*?)(?<mark>\?|\.\.\.)?$/su.exec(hole)?.groups ?? {}
  const pointer = argumentPointer(name)
  return pointer === undefined ? undefined : { pointer, optional: mark === '?', spread: mark === '...' }
}

export type Rendering =
  | { readonly ok: true; readonly argv: readonly string[] }
  | { readonly ok: false; readonly pointer: string; readonly message: string }

/** Linux takes no longer argument than this, its end included. */
const maxArgumentBytes = 131_072 - 1
const maxTotalBytes = 1_000_000

export function renderArgv(template: ArgvTemplate, args: JsonObject): Rendering {
  const argv: string[] = []
  let total = 0
  for (const item of template) {
    const rendered = renderItem(item, args)
    if (!rendered.ok) return rendered
    for (const text of rendered.argv) {
      const bytes = Buffer.byteLength(text) + 1
      total += bytes
      if (bytes > maxArgumentBytes || total > maxTotalBytes)
        return refuse(firstPointer(item), 'The value is too long for an argument of a program; use standard input.')
      argv.push(text)
    }
  }
  return { ok: true, argv }
}

function renderItem({ parts, behindDashes, behindOption }: ArgvItem, args: JsonObject): Rendering {
  let text = ''
  for (const [index, part] of parts.entries()) {
    if (typeof part === 'string') {
      text += part
      continue
    }
    const value = readPointer(args, part.pointer)
    if ((value === undefined || value === null) && part.optional) return { ok: true, argv: [] }
    const list = part.spread ? (Array.isArray(value) ? value : undefined) : [value]
    if (list === undefined) return refuse(part.pointer, 'A list is expected.')
    if (list.length === 0 && behindOption)
      return refuse(part.pointer, 'The option before this list needs at least one value.')
    const texts = list.map(argvText)
    for (const one of texts) {
      if (one === undefined)
        return refuse(part.pointer, 'Only text, a number, true or false can be an argument of a program.')
      if (one.includes('\0')) return refuse(part.pointer, 'An argument of a program holds no NUL.')
      if (index === 0 && !behindDashes && one.startsWith('-'))
        return refuse(part.pointer, 'A value that begins with - would be read as an option; it is refused here.')
    }
    if (part.spread) return { ok: true, argv: texts.filter((one) => one !== undefined) }
    text += texts[0] ?? ''
  }
  // Where the first value was empty, the next one must not begin an option in its place.
  if (typeof parts[0] !== 'string' && parts.length > 0 && !behindDashes && text.startsWith('-'))
    return refuse(
      parts.find((part) => typeof part !== 'string')?.pointer ?? '',
      'The values together would be read as an option.',
    )
  return { ok: true, argv: [text] }
}

/** A number as JSON writes it; anything composed is no argument. */
function argvText(value: JsonValue | undefined): string | undefined {
  if (typeof value === 'string') return value
  return typeof value === 'number' || typeof value === 'boolean' ? JSON.stringify(value) : undefined
}

export const pointersOf = ({ parts }: ArgvItem): readonly string[] =>
  parts.flatMap((part) => (typeof part === 'string' ? [] : [part.pointer]))

const firstPointer = (item: ArgvItem): string => pointersOf(item)[0] ?? ''

const refuse = (pointer: string, message: string): Rendering => ({ ok: false, pointer, message })
