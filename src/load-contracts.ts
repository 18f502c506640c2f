// Reads tool files (YAML or JSON, one tool each) from a folder. A bad file is refused with its path, the pointer and what to write.
import { readdir, readFile, stat } from 'node:fs/promises'
import { dirname, extname, join, resolve, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type CodeRef, type FileBinding, fileChoices, toolFileSchema } from './contract/binding-schema.ts'
import type { Problem } from './contract/compile-tool.ts'
import type { Contract } from './contract/envelope.ts'
import { Fault } from './contract/fault.ts'
import { fillBinding } from './contract/fill-binding.ts'
import type { Binding, CompiledSchema, Executor, Preflight, Rule, StateReader, Verifier } from './contract/tool.ts'
import type { ToolSource } from './define-tool.ts'
import { fn } from './execute/executors/fn.ts'
import { copyParsed } from './json/copy.ts'
import { readJson } from './json/read.ts'
import type { JsonObject, JsonValue } from './json/value.ts'

export interface LoadedTool extends ToolSource {
  readonly file: string
}

/** Every tool file of a folder and its subfolders, or one file. Throws one Fault that names every problem found. */
export async function loadContracts(path: string): Promise<readonly LoadedTool[]> {
  const files = await toolFiles(resolve(path))
  const results = await Promise.all(files.map(loadFile))
  const problems = results.flatMap((result) => (result.ok ? [] : result.problems))
  if (problems.length > 0) throw new Fault('bad_tool_file', problems.join('\n'), { details: problems })
  return results.flatMap((result) => (result.ok ? [result.tool] : []))
}

type FileResult =
  | { readonly ok: true; readonly tool: LoadedTool }
  | { readonly ok: false; readonly problems: readonly string[] }

async function loadFile(file: string): Promise<FileResult> {
  const document = await readToolFile(file)
  if (!document.ok) return { ok: false, problems: document.problems.map((problem) => describe(file, problem)) }
  const binding = await bindCode(document.binding, document.contract, file)
  if (!binding.ok) return { ok: false, problems: binding.problems.map((problem) => describe(file, problem)) }
  return { ok: true, tool: { contract: document.contract, binding: binding.binding, file } }
}

const describe = (file: string, { pointer, message }: Problem) =>
  `${file}${pointer === '' ? '' : `#${pointer}`}: ${message}`

export type ToolDocument =
  | { readonly ok: true; readonly contract: Contract; readonly binding: FileBinding; readonly value: JsonObject }
  | { readonly ok: false; readonly problems: readonly Problem[] }

let fileSchema: CompiledSchema | undefined

/** Reads and checks one tool file without loading any of its code. */
export async function readToolFile(file: string): Promise<ToolDocument> {
  const parsed = await parseFile(file)
  if (!parsed.ok) return parsed
  if (fileSchema === undefined) {
    const { compileSchema } = await import('./contract/compile-tool.ts')
    const compiled = compileSchema(toolFileSchema, '')
    if (!compiled.ok)
      throw new Fault('internal', 'The schema of tool files is broken.', {
        details: compiled.problems.map((problem) => problem.message),
      })
    fileSchema = compiled.schema
  }
  if (!fileSchema.matches(parsed.value)) {
    const errors = fileSchema.explain(parsed.value, [])
    return {
      ok: false,
      problems: errors.map(({ pointer, message, expected }) => ({
        pointer,
        message: `${message} Expected: ${expected}.`,
      })),
    }
  }
  const value = parsed.value as JsonObject
  return {
    ok: true,
    contract: value.contract as unknown as Contract,
    binding: value.binding as unknown as FileBinding,
    value,
  }
}

/** Tool files are written by developers; a large schema is no attack. */
const fileLimits = { maxBytes: 8 * 1_048_576, maxDepth: 500, maxValues: 500_000 }

type Parsed =
  | { readonly ok: true; readonly value: JsonValue }
  | { readonly ok: false; readonly problems: readonly Problem[] }

async function parseFile(file: string): Promise<Parsed> {
  const text = await readFile(file, 'utf8')
  if (extname(file) === '.json') {
    const reading = readJson(text, fileLimits)
    if (reading.ok) return reading
    const { pointer, message, line, column } = reading.refusal
    return { ok: false, problems: [{ pointer, message: `line ${line}, column ${column}: ${message}` }] }
  }
  const { parseDocument } = await import('yaml')
  const document = parseDocument(text, { uniqueKeys: true, strict: true })
  const [error] = document.errors
  if (error !== undefined)
    return { ok: false, problems: [{ pointer: '', message: error.message.split('\n')[0] ?? 'not YAML' }] }
  const copy = copyParsed(document.toJS({ maxAliasCount: 100 }), fileLimits)
  return copy.ok ? copy : { ok: false, problems: [{ pointer: copy.refusal.pointer, message: copy.refusal.message }] }
}

async function toolFiles(path: string): Promise<readonly string[]> {
  const found = await stat(path).catch(() => undefined)
  if (found === undefined) throw new Fault('bad_tool_file', `${path}: there is no such file or folder.`)
  if (!found.isDirectory()) return [path]
  const entries = (await readdir(path, { recursive: true })).filter((entry) => !isHidden(entry))
  return entries
    .filter((entry) => /\.tool\.(?:ya?ml|json)$/.test(entry))
    .sort()
    .map((entry) => join(path, entry))
}

/** Installed packages and hidden folders hold other people's files. */
const isHidden = (entry: string) => entry.split(sep).some((part) => part === 'node_modules' || part.startsWith('.'))

type Bound =
  | { readonly ok: true; readonly binding: Binding }
  | { readonly ok: false; readonly problems: readonly Problem[] }

async function bindCode(file: FileBinding, contract: Contract, path: string): Promise<Bound> {
  const problems: Problem[] = []
  const load = async (ref: CodeRef | undefined, pointer: string, wanted: 'function' | 'object'): Promise<unknown> => {
    if (ref === undefined) return undefined
    const loaded = await loadExport(ref, path)
    if (loaded.ok && typeof loaded.value === wanted) return loaded.value
    problems.push({
      pointer,
      message: loaded.ok ? `The export ${ref.export} of ${ref.module} must be a ${wanted}.` : loaded.message,
    })
    return undefined
  }
  const run = await load(file.executor, '/binding/executor', 'function')
  // Code of a tool file is typed by its own author; its contract is checked around every call.
  const code = {
    consequence: (await load(file.consequence, '/binding/consequence', 'function')) as Binding['consequence'],
    rules: (await load(file.rules, '/binding/rules', 'object')) as readonly Rule[] | undefined,
    preflight: (await load(file.preflight, '/binding/preflight', 'function')) as Preflight | undefined,
    state: (await load(file.state, '/binding/state', 'object')) as StateReader | undefined,
    verifier: (await load(file.verifier, '/binding/verifier', 'function')) as Verifier | undefined,
  }
  if (problems.length > 0 || run === undefined) return { ok: false, problems }
  const effect = contract.transactional.side_effect_class
  return { ok: true, binding: fillBinding(effect, { ...fileChoices(file), ...code }, fn(run as Executor['run'])) }
}

type Loaded = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly message: string }

async function loadExport(ref: CodeRef, toolFile: string): Promise<Loaded> {
  const path = resolve(dirname(toolFile), ref.module)
  try {
    const module: Record<string, unknown> = await import(pathToFileURL(path).href)
    if (Object.hasOwn(module, ref.export)) return { ok: true, value: module[ref.export] }
    return {
      ok: false,
      message: `${ref.module} has no export ${ref.export}; it has ${Object.keys(module).join(', ') || 'none'}.`,
    }
  } catch (error) {
    return {
      ok: false,
      message: `${ref.module} cannot be loaded: ${error instanceof Error ? error.message.split('\n')[0] : 'unknown'}`,
    }
  }
}
