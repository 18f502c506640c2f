// Reads tool files (YAML or JSON, one tool each) from a folder. A bad file is refused with its path, the pointer and what to write.
import { readdir, readFile, stat } from 'node:fs/promises'
import { dirname, extname, join, resolve } from 'node:path'
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
import { exactNumber } from './json/decimal.ts'
import { appendPointer } from './json/pointer.ts'
import { readJson } from './json/read.ts'
import type { JsonObject, JsonValue } from './json/value.ts'

export interface LoadedTool extends ToolSource {
  readonly file: string
}

/** Every tool file of a folder and its subfolders, or one file. Throws one Fault that names every problem found. */
export async function loadContracts(path: string): Promise<readonly LoadedTool[]> {
  const files = await toolFiles(resolve(path))
  const results = await Promise.all(files.map(async (file) => ({ file, ...(await loadToolFile(file)) })))
  const problems = results.flatMap((result) =>
    result.ok ? [] : result.problems.map((problem) => describe(result.file, problem)),
  )
  if (problems.length > 0) throw new Fault('bad_tool_file', problems.join('\n'), { details: problems })
  return results.flatMap((result) => (result.ok ? [result.tool] : []))
}

export type ToolLoading =
  | { readonly ok: true; readonly tool: LoadedTool }
  | { readonly ok: false; readonly problems: readonly Problem[] }

/** Reads one tool file and loads the code it names. */
export async function loadToolFile(file: string): Promise<ToolLoading> {
  const document = await readToolFile(file)
  if (!document.ok) return document
  const binding = await bindCode(document.binding, document.contract, file)
  if (!binding.ok) return binding
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
  const { isScalar, parseDocument } = yaml
  const document = parseDocument(text, {
    strict: true,
    intAsBigInt: true,
    // By their text, as the keys of an object are told apart: 1 and "1" are one key.
    uniqueKeys: (a, b) => isScalar(a) && isScalar(b) && String(a.value) === String(b.value),
  })
  const [error] = document.errors
  if (error !== undefined) return unread(firstLine(error.message))
  const problems = settleNumbers(document, yaml)
  if (problems.length > 0) return { ok: false, problems }
  const copy = copyParsed(document.toJS({ maxAliasCount: 100 }), fileLimits)
  return copy.ok ? copy : { ok: false, problems: [{ pointer: copy.refusal.pointer, message: copy.refusal.message }] }
}

/** Whole numbers were read as bigint: each becomes the number it is, and no number is rounded in silence. */
function settleNumbers(
  document: ReturnType<Yaml['parseDocument']>,
  { isPair, isSeq, visit }: Yaml,
): readonly Problem[] {
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

/** A file as it is, or every tool file of a folder and its subfolders, sorted. Throws a Fault where there is neither. */
export async function toolFiles(path: string): Promise<readonly string[]> {
  const found = await stat(path).catch(() => undefined)
  if (found === undefined) throw new Fault('bad_tool_file', `${path}: there is no such file or folder.`)
  if (found.isFile()) return [path]
  if (!found.isDirectory()) throw new Fault('bad_tool_file', `${path}: neither a file nor a folder.`)
  return (await filesBelow(path)).sort()
}

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true })
  const lists = await Promise.all(
    entries.map(async (entry): Promise<readonly string[]> => {
      // Installed packages and hidden folders hold other people's files.
      if (entry.name === 'node_modules' || entry.name.startsWith('.')) return []
      const path = join(folder, entry.name)
      if (entry.isDirectory()) return filesBelow(path)
      if (!/\.tool\.(?:ya?ml|json)$/.test(entry.name)) return []
      const leadsToFolder = entry.isSymbolicLink() && (await stat(path).catch(() => undefined))?.isDirectory()
      return leadsToFolder ? [] : [path]
    }),
  )
  return lists.flat()
}

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
  const executor = fn(run as Executor['run'], file.executor.commits)
  return { ok: true, binding: fillBinding(effect, { ...fileChoices(file), ...code }, executor) }
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
