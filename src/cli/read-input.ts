// What a command reads: a file below the working folder, or stdin where the name is `-`.
import { readFile, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { JsonValue } from '../json/value.ts'
import { available, missing, type Needed } from './command.ts'
import type { Terminal } from './terminal.ts'

/** `what` begins the sentence about a file that cannot be read; the name does where it is left out. */
export async function readText(
  name: string,
  terminal: Terminal,
  options: { readonly maxBytes?: number; readonly what?: string } = {},
): Promise<Needed<string>> {
  const { maxBytes = Number.POSITIVE_INFINITY, what = name === '-' ? 'stdin' : name } = options
  try {
    const text = name === '-' ? await terminal.input() : await readSmall(resolve(terminal.folder, name), maxBytes)
    if (text === undefined || text.length > maxBytes)
      return missing(`${what} is larger than ${maxBytes / 2 ** 20} MiB.`)
    return available(text)
  } catch (error) {
    if (error instanceof Error && 'code' in error) return missing(`${what} cannot be read (${String(error.code)}).`)
    throw error
  }
}

/** JSON.parse keeps `__proto__` as a plain key, which a schema may well have. */
export async function readJsonFile(name: string, terminal: Terminal, maxBytes: number): Promise<Needed<JsonValue>> {
  const text = await readText(name, terminal, { maxBytes })
  if (!text.ok) return text
  try {
    return available(JSON.parse(text.value.replace(/^\uFEFF/, '')) as JsonValue)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return missing(`${name === '-' ? 'stdin' : name} is not JSON: ${error.message.slice(0, 200)}`)
  }
}

async function readSmall(file: string, maxBytes: number): Promise<string | undefined> {
  const { size } = await stat(file)
  return size > maxBytes ? undefined : await readFile(file, 'utf8')
}
