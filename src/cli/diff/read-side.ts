// One side of a comparison: a folder of tool files, a tool file, or a document that somebody published, in JSON or YAML.
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { SourceSnapshot, ToolSnapshot } from '../../drift/snapshot.ts'
import { type ReadSourceOptions, readSource, toolFileSnapshot } from '../../drift/sources/read-source.ts'
import { isObject, type JsonValue } from '../../json/value.ts'
import { foundAt } from '../../runtime/file-at.ts'
import { readToolFile, toolFiles } from '../../runtime/load-contracts.ts'
import type { Terminal } from '../terminal.ts'
import { parsePublished } from './parse-published.ts'

export type Side =
  | { readonly ok: true; readonly source: SourceSnapshot }
  | { readonly ok: false; readonly message: string; readonly details?: readonly string[] }

const maxBytes = 64 * 2 ** 20

export async function readSide(name: string, options: ReadSourceOptions, terminal: Terminal): Promise<Side> {
  if (name === '-') return readPublished(name, await terminal.input(), options)
  const path = resolve(terminal.folder, name)
  const found = await foundAt(path)
  if (found === undefined) return { ok: false, message: `${name}: there is no such file or folder.` }
  if (found.isDirectory()) {
    const files = await toolFiles(path)
    if (files.length === 0) return { ok: false, message: `${name} holds no tool files.` }
    return readToolFiles(files)
  }
  if (/\.tool\.(?:ya?ml|json)$/.test(name)) return readToolFiles([path])
  if (found.size > maxBytes) return { ok: false, message: `${name} is larger than ${maxBytes / 2 ** 20} MiB.` }
  const parsed = await parsePublished(await readFile(path, 'utf8'))
  if (!parsed.ok) return { ok: false, message: `${name}: ${parsed.message}` }
  return isToolFile(parsed.value) ? readToolFiles([path]) : sourceOf(name, parsed.value, options)
}

async function readPublished(name: string, text: string, options: ReadSourceOptions): Promise<Side> {
  if (text.length > maxBytes) return { ok: false, message: `stdin is larger than ${maxBytes / 2 ** 20} MiB.` }
  const parsed = await parsePublished(text)
  return parsed.ok ? sourceOf(name, parsed.value, options) : { ok: false, message: `stdin: ${parsed.message}` }
}

function sourceOf(name: string, value: JsonValue, options: ReadSourceOptions): Side {
  const reading = readSource(value, options)
  if (reading.ok) return reading
  return { ok: false, message: `${name}${reading.pointer === '' ? '' : `#${reading.pointer}`}: ${reading.message}` }
}

const isToolFile = (value: JsonValue): boolean =>
  isObject(value) && isObject(value.contract) && Object.hasOwn(value, 'binding')

async function readToolFiles(files: readonly string[]): Promise<Side> {
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
  if (problems.length > 0) return { ok: false, message: 'A tool file cannot be read.', details: problems }
  return { ok: true, source: { kind: 'tool-file', tools, malformed: [] } }
}
