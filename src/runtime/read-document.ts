// Reads one file as YAML or JSON, exactly: a number that would be rounded and a key that stands twice are refused, with their place.
import { readFile } from 'node:fs/promises'
import { extname } from 'node:path'
import type { Document } from 'yaml'
import type { Problem } from '../contract/tool/compile-tool.ts'
import { copyParsed } from '../json/copy.ts'
import { exactNumber } from '../json/decimal.ts'
import { appendPointer } from '../json/pointer.ts'
import { readJson } from '../json/read.ts'
import type { JsonValue } from '../json/value.ts'
import { readYaml } from './yaml-document.ts'

/** Such files are written by developers; a large schema is no attack. */
const fileLimits = { maxBytes: 8 * 1_048_576, maxDepth: 500, maxValues: 500_000 }

export type Parsed =
  | { readonly ok: true; readonly value: JsonValue }
  | { readonly ok: false; readonly problems: readonly Problem[] }

export async function readDocument(file: string): Promise<Parsed> {
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable'
    return unread(`The file cannot be read (${code}).`)
  }
  if (extname(file) === '.json') {
    const reading = readJson(text, fileLimits)
    if (reading.ok) return reading
    const { pointer, message, line, column } = reading.refusal
    return { ok: false, problems: [{ pointer, message: `line ${line}, column ${column}: ${message}` }] }
  }
  const yaml = await import('yaml')
  try {
    return parseYaml(text, yaml)
  } catch (error) {
    // An alias without its anchor, one alias too many, or a nesting that no stack can hold.
    return unread(error instanceof Error ? firstLine(error.message) : 'not YAML')
  }
}

const unread = (message: string): Parsed => ({ ok: false, problems: [{ pointer: '', message }] })
const firstLine = (message: string) => message.split('\n')[0] ?? ''

type Yaml = typeof import('yaml')

function parseYaml(text: string, yaml: Yaml): Parsed {
  const document = readYaml(text, yaml, { intAsBigInt: true })
  if (typeof document === 'string') return unread(document)
  const problems = plainNumbers(document, yaml)
  if (problems.length > 0) return { ok: false, problems }
  const copy = copyParsed(document.toJS({ maxAliasCount: 100 }), fileLimits)
  return copy.ok ? copy : { ok: false, problems: [{ pointer: copy.refusal.pointer, message: copy.refusal.message }] }
}

/** Whole numbers were read as bigint: each becomes the number it is, and no number is rounded in silence. */
function plainNumbers(document: Document.Parsed, { isPair, isSeq, visit }: Yaml): readonly Problem[] {
  const problems: Problem[] = []
  visit(document, {
    Scalar(key, node, path) {
      const { value, source } = node
      const literal =
        typeof value === 'bigint' ? String(value) : typeof value === 'number' ? decimalText(source) : undefined
      if (literal === undefined) return
      const exact = exactNumber(literal)
      if (exact === undefined) {
        const steps = [...path, node].slice(1)
        const pointer = steps.reduce<string>((above, step, index) => {
          const parent = path[index]
          if (isPair(step)) return appendPointer(above, String(step.key))
          return isSeq(parent) ? appendPointer(above, parent.items.indexOf(step)) : above
        }, '')
        problems.push({
          pointer,
          message: 'The number cannot be held exactly by a 64-bit float. Write it as a string, or with fewer digits.',
        })
      } else if (key !== 'key') node.value = exact
    },
  })
  return problems
}

/** A YAML number as JSON writes it; undefined for what JSON has no way to write, such as .inf. */
function decimalText(source: string | undefined): string | undefined {
  const text = source
    ?.replace(/^\+/, '')
    .replace(/^(?<sign>-?)\./, '$<sign>0.')
    .replace(/\.(?=$|[eE])/, '')
  return text !== undefined && /^-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/.test(text) ? text : undefined
}
