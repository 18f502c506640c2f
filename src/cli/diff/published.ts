// What others published, and one side of a comparison: a folder of tool files, a tool file, or a published document in JSON or YAML.
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { SourceSnapshot, ToolSnapshot } from '../../drift/snapshot.ts'
import { type ReadSourceOptions, readSource, toolFileSnapshot } from '../../drift/sources/read-source.ts'
import { isObject, type JsonValue } from '../../json/value.ts'
import { foundAt } from '../../runtime/file-at.ts'
import { readToolFile, toolFiles } from '../../runtime/load-contracts.ts'
import { exceededLimit } from '../../schema/preprocess.ts'
import { available, missing, type Needed } from '../command.ts'
import type { Terminal } from '../terminal.ts'

const maxBytes = 64 * 2 ** 20

export async function readSide(
  name: string,
  options: ReadSourceOptions,
  terminal: Terminal,
): Promise<Needed<SourceSnapshot>> {
  if (name === '-') return readStdin(await terminal.input(), options)
  const path = resolve(terminal.folder, name)
  const found = await foundAt(path)
  if (found === undefined) return missing(`${name}: there is no such file or folder.`)
  if (found.isDirectory()) {
    const files = await toolFiles(path)
    return files.length === 0 ? missing(`${name} holds no tool files.`) : readToolFiles(files)
  }
  if (/\.tool\.(?:ya?ml|json)$/.test(name)) return readToolFiles([path])
  if (found.size > maxBytes) return missing(`${name} is larger than ${maxBytes / 2 ** 20} MiB.`)
  const parsed = await parsePublished(await readFile(path, 'utf8'))
  if (!parsed.ok) return missing(`${name}: ${parsed.message}`)
  return isToolFile(parsed.value) ? readToolFiles([path]) : sourceOf(name, parsed.value, options)
}

async function readStdin(text: string, options: ReadSourceOptions): Promise<Needed<SourceSnapshot>> {
  if (text.length > maxBytes) return missing(`stdin is larger than ${maxBytes / 2 ** 20} MiB.`)
  const parsed = await parsePublished(text)
  return parsed.ok ? sourceOf('-', parsed.value, options) : missing(`stdin: ${parsed.message}`)
}

function sourceOf(name: string, value: JsonValue, options: ReadSourceOptions): Needed<SourceSnapshot> {
  const reading = readSource(value, options)
  if (reading.ok) return available(reading.source)
  return missing(`${name}${reading.pointer === '' ? '' : `#${reading.pointer}`}: ${reading.message}`)
}

const isToolFile = (value: JsonValue): boolean =>
  isObject(value) && isObject(value.contract) && Object.hasOwn(value, 'binding')

async function readToolFiles(files: readonly string[]): Promise<Needed<SourceSnapshot>> {
  const tools: ToolSnapshot[] = []
  const problems: string[] = []
  for (const file of files) {
    const document = await readToolFile(file)
    if (document.ok) tools.push(toolFileSnapshot(document))
    else
      problems.push(
        ...document.problems.map(({ pointer, message }) => `${file}${pointer === '' ? '' : `#${pointer}`}: ${message}`),
      )
  }
  if (problems.length > 0) return missing('A tool file cannot be read.', problems)
  return available({ kind: 'tool-file', tools, malformed: [] })
}

export type PublishedValue =
  | { readonly ok: true; readonly value: JsonValue }
  | { readonly ok: false; readonly message: string }

/**
 * Reads it as other programs would: large integers are rounded rather than refused, because real documents have them as bounds. What is not
 * JSON in the end is refused.
 */
export async function parsePublished(document: string): Promise<PublishedValue> {
  const text = document.replace(/^\uFEFF/, '')
  if (/^\s*[[{"]/.test(text)) {
    try {
      return { ok: true, value: JSON.parse(text) as JsonValue }
    } catch {
      // A flow mapping of YAML begins the same way.
    }
  }
  const [yaml, { readYaml }] = await Promise.all([import('yaml'), import('../../runtime/yaml-document.ts')])
  try {
    const parsed = readYaml(text, yaml)
    if (typeof parsed === 'string') return { ok: false, message: parsed }
    return asJson(parsed.toJS({ maxAliasCount: 100 }) as unknown)
  } catch (error) {
    return { ok: false, message: error instanceof Error ? firstLine(error.message) : 'neither JSON nor YAML' }
  }
}

/** YAML knows numbers and keys that JSON does not. */
function asJson(value: unknown): PublishedValue {
  const exceeded = exceededLimit(value as JsonValue)
  if (exceeded !== undefined) return { ok: false, message: `The document is too large: ${exceeded}.` }
  let strange: string | undefined
  const written = JSON.stringify(value, (key, item: unknown) => {
    if (typeof item === 'number' && !Number.isFinite(item)) strange = key
    return item
  })
  if (strange !== undefined)
    return { ok: false, message: `${strange.slice(0, 80)} is a number that JSON does not have.` }
  return written === undefined
    ? { ok: false, message: 'The document is empty.' }
    : { ok: true, value: JSON.parse(written) as JsonValue }
}

const firstLine = (message: string): string => message.split('\n')[0] ?? ''
