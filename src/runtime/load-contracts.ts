// Reads tool files (YAML or JSON, one tool each) from a folder. A bad file is refused with its path, the pointer and what to write.
import { readdir, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Fault } from '../contract/fault.ts'
import {
  codeRules,
  type FileBinding,
  fileChoices,
  inlineRules,
  toolFileSchema,
} from '../contract/tool/binding-schema.ts'
import type { Problem } from '../contract/tool/compile-tool.ts'
import type { Contract } from '../contract/tool/envelope.ts'
import type { Executor, Preflight } from '../contract/tool/executor.ts'
import type { CodeRef } from '../contract/tool/executor-files/executor-file.ts'
import { fillBinding } from '../contract/tool/fill-binding.ts'
import type { Rule } from '../contract/tool/rule.ts'
import type { Binding, CompiledSchema, StateReader } from '../contract/tool/tool.ts'
import { bindVerifier, type VerifierParts } from '../contract/verification/verifier-file.ts'
import { fn } from '../execute/executors/fn.ts'
import type { JsonObject, JsonValue } from '../json/value.ts'
import { foundAt } from './file-at.ts'
import { declaredExecutor } from './file-executor.ts'
import { readDocument } from './read-document.ts'
import type { ToolSource } from './tool-definition.ts'

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
  const parsed = await readDocument(file)
  if (!parsed.ok) return parsed
  if (fileSchema === undefined) {
    const { compileSchema } = await import('../contract/tool/compile-tool.ts')
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

/** A file as it is, or every tool file of a folder and its subfolders, sorted. Throws a Fault where there is neither. */
export const toolFiles = (path: string): Promise<readonly string[]> => filesNamed(path, /\.tool\.(?:ya?ml|json)$/)

/** A file as it is, or every file of a folder and its subfolders that is named so, sorted. */
export async function filesNamed(path: string, named: RegExp): Promise<readonly string[]> {
  const found = await foundAt(path)
  if (found === undefined) throw new Fault('bad_tool_file', `${path}: there is no such file or folder.`)
  if (found.isFile()) return [path]
  if (!found.isDirectory()) throw new Fault('bad_tool_file', `${path}: neither a file nor a folder.`)
  return (await filesBelow(path, named)).sort()
}

async function filesBelow(folder: string, named: RegExp): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true })
  const lists = await Promise.all(
    entries.map(async (entry): Promise<readonly string[]> => {
      // Installed packages and hidden folders hold other people's files.
      if (entry.name === 'node_modules' || entry.name.startsWith('.')) return []
      const path = join(folder, entry.name)
      if (entry.isDirectory()) return filesBelow(path, named)
      if (!named.test(entry.name)) return []
      // A link that leads nowhere is read like any file, and refused with its path.
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
  const load = async (ref: CodeRef | undefined, pointer: string, wanted: Wanted): Promise<unknown> => {
    if (ref === undefined) return undefined
    const loaded = await loadExport(ref, path)
    const isIt = loaded.ok && (wanted === 'list' ? Array.isArray(loaded.value) : typeof loaded.value === wanted)
    if (isIt) return loaded.value
    problems.push({
      pointer,
      message: loaded.ok ? `The export ${ref.export} of ${ref.module} must be a ${wanted}.` : loaded.message,
    })
    return undefined
  }
  const reader: VerifierParts['reader'] = async (declared, pointer) => {
    const made = await declaredExecutor(declared, dirname(path))
    if (!('problem' in made)) return made
    problems.push({ pointer, message: made.problem })
    return fn(() => undefined)
  }
  const executor = await loadExecutor(file.executor, path, load)
  if ('problem' in executor) problems.push({ pointer: '/binding/executor', message: executor.problem })
  // Code of a tool file is typed by its own author; its contract is checked around every call.
  const code = {
    consequence: (typeof file.consequence === 'string'
      ? file.consequence
      : await load(file.consequence, '/binding/consequence', 'function')) as Binding['consequence'],
    rules: [...inlineRules(file), ...(await loadRules(file, load))],
    preflight: (await load(file.preflight, '/binding/preflight', 'function')) as Preflight | undefined,
    state: withSchema((await load(file.state, '/binding/state', 'object')) as StateReader | undefined, file),
    verifier: await bindVerifier(file, { code: (ref, at) => load(ref, at, 'function'), reader }),
  }
  const undoing = file.compensation !== undefined && 'module' in file.compensation ? file.compensation : undefined
  const made = (await load(undoing, '/binding/compensation', 'function')) as MadeCompensation | undefined
  if (problems.length > 0 || 'problem' in executor) return { ok: false, problems }
  const effect = contract.transactional.side_effect_class
  return {
    ok: true,
    binding: fillBinding(effect, { ...fileChoices(file), ...code, ...compensationCode(made) }, executor),
  }
}

/** Arguments and result of the call that is undone, made into arguments of what undoes it. */
type MadeCompensation = (args: JsonObject, result: JsonValue) => JsonObject

const compensationCode = (made: MadeCompensation | undefined): Pick<Binding, 'compensation'> | undefined =>
  made === undefined ? undefined : { compensation: { arguments: (done) => made(done.arguments, done.result) } }

type Wanted = 'function' | 'object' | 'list'
type Load = (ref: CodeRef, pointer: string, wanted: Wanted) => Promise<unknown>

/** What the file declares itself is made as it is; a function is loaded. */
async function loadExecutor(
  file: FileBinding['executor'],
  path: string,
  load: Load,
): Promise<Executor | { readonly problem: string }> {
  if (file.kind !== 'fn') return declaredExecutor(file, dirname(path))
  const run = await load(file, '/binding/executor', 'function')
  // A problem that `load` has noted already keeps the tool out; this function is never run.
  return { ...fn((run ?? (() => undefined)) as Executor['run'], file.commits), version: file.version }
}

async function loadRules(file: FileBinding, load: Load): Promise<readonly Rule[]> {
  const lists = await Promise.all(codeRules(file).map(({ ref, pointer }) => load(ref, pointer, 'list')))
  // Registration looks at every rule; one that is none is refused there by name.
  return lists.flatMap((list) => (list ?? []) as readonly Rule[])
}

function withSchema(reader: StateReader | undefined, { state }: FileBinding): StateReader | undefined {
  if (reader === undefined || state?.schema === undefined) return reader
  const { match, allows, after } = reader
  return {
    read: (args, context) => reader.read(args, context),
    match,
    schema: state.schema,
    ...(allows === undefined ? {} : { allows: (found, args) => reader.allows?.(found, args) }),
    ...(after === undefined ? {} : { after: (found, args) => reader.after?.(found, args) ?? {} }),
  }
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
