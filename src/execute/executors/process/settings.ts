// The options of a process tool, and the settings made of them. Everything is closed unless the operator opens it: no network, nothing writable, no
// variable of our own environment.
import { basename, isAbsolute } from 'node:path'
import { Fault } from '../../../contract/fault.ts'
import { isPointer } from '../../../json/pointer.ts'
import { type ArgvTemplate, readArgv } from './argv.ts'

type OutputForm = 'text' | 'lines' | 'json'
type Isolation = 'bubblewrap' | 'none'

export interface ProcessLimits {
  /** Processor time of one process. */
  readonly cpuSeconds: number
  /** Memory of one process that is its own to write. */
  readonly memoryBytes: number
  /** What one process may reserve; programs such as Node or Java reserve far more than they use. As memoryBytes by default. */
  readonly addressSpaceBytes: number
  /** The largest file that it may write, and the size of its private /tmp. */
  readonly fileBytes: number
  /** How many processes and threads it may be at once. */
  readonly processes: number
  readonly openFiles: number
  readonly stdoutBytes: number
  readonly stderrBytes: number
  /** How long it has to end by itself once it is told to. */
  readonly graceMs: number
}

/** How a credential reaches the program: in a variable, in a private file that a variable names, or on standard input. */
export type CredentialPlace = { readonly env: string } | { readonly file: string } | { readonly stdin: true }

export interface ProcessOptions {
  /** Absolute path of the one program that this tool runs. Never a shell. */
  readonly program: string
  /** One item is one argument: `--format=json`, `{path}`, `--name={name}`, `{limit?}`, `{files...}`. */
  readonly arguments?: readonly string[] | undefined
  /** Pointer of the argument that goes to standard input: a text as it is, anything else as JSON. */
  readonly stdin?: string | undefined
  /** How standard output is read: text by default. */
  readonly output?: OutputForm | undefined
  readonly environment?: Readonly<Record<string, string>> | undefined
  /** The binding's credentials by name, and where each goes. */
  readonly credentials?: Readonly<Record<string, CredentialPlace>> | undefined
  /** Absolute path of the folder that it works in; a private empty one without it. */
  readonly root?: string | undefined
  /** Where in the root it starts: a relative path, also from arguments as in `{project}/src`. */
  readonly folder?: string | undefined
  /** Pointers of arguments that must be relative paths that do not lead upwards. */
  readonly paths?: readonly string[] | undefined
  /** Whether it may write in the root; enforced by bubblewrap alone. */
  readonly writable?: boolean | undefined
  /** More that it may read inside bubblewrap, besides /usr and its libraries. */
  readonly readable?: readonly string[] | undefined
  /**
   * Whether it may connect. Where to cannot be watched, so the contract has to say unrestricted_with_approval. False by default inside
   * bubblewrap, which holds it to that; with `isolation: none` true by default, and false is your own word that it does not connect.
   */
  readonly network?: boolean | undefined
  /** `none` is for programs that are trusted like code of our own; bubblewrap by default, and refused where it is not there. */
  readonly isolation?: Isolation | undefined
  /** Where bubblewrap is, if not in one of the usual places. */
  readonly bubblewrap?: string | undefined
  /**
   * Whether it may hold memory that no limit counts: memory files, and shared segments, queues and semaphores of System V. False by default
   * inside bubblewrap, where the kernel refuses them; with `isolation: none` they cannot be refused.
   */
  readonly sharedMemory?: boolean | undefined
  /** Exit codes of success: 0 by default. */
  readonly success?: readonly number[] | undefined
  /** Exit codes by which the program says that it has changed nothing. */
  readonly unchanged?: readonly number[] | undefined
  readonly limits?: { readonly [Key in keyof ProcessLimits]?: ProcessLimits[Key] | undefined } | undefined
  /** Which build of the program runs; an approval is given for one. */
  readonly version?: string | undefined
}

export interface ProcessSettings {
  readonly program: string
  readonly template: ArgvTemplate
  readonly stdin: string | undefined
  readonly output: OutputForm
  readonly environment: ReadonlyMap<string, string>
  readonly credentials: ReadonlyMap<string, CredentialPlace>
  readonly root: string | undefined
  readonly folder: ArgvTemplate | undefined
  readonly paths: readonly string[]
  readonly writable: boolean
  readonly readable: readonly string[]
  readonly network: boolean
  readonly isolation: Isolation
  readonly bubblewrap: string | undefined
  readonly sharedMemory: boolean
  readonly success: ReadonlySet<number>
  readonly unchanged: ReadonlySet<number>
  readonly limits: ProcessLimits
}

const mebibyte = 1024 * 1024
const shells = new Set(['sh', 'bash', 'dash', 'ash', 'zsh', 'ksh', 'mksh', 'csh', 'tcsh', 'fish', 'busybox', 'env'])
const variable = /^[A-Za-z_][A-Za-z0-9_]*$/

/** Throws a Fault where the options make no sense. */
export function processSettings(options: ProcessOptions): ProcessSettings {
  if ('user' in options) throw new Fault('bad_options', noUser)
  const template = templateOf('arguments', options.arguments ?? [])
  const { limits, folder } = options
  const memoryBytes = limits?.memoryBytes ?? 512 * mebibyte
  const settings: ProcessSettings = {
    program: options.program,
    template,
    stdin: options.stdin,
    output: options.output ?? 'text',
    environment: new Map(Object.entries(options.environment ?? {})),
    credentials: new Map(Object.entries(options.credentials ?? {})),
    root: options.root,
    folder: folder === undefined ? undefined : templateOf('folder', [folder]),
    paths: options.paths ?? [],
    writable: options.writable ?? false,
    readable: options.readable ?? [],
    network: options.network ?? options.isolation === 'none',
    isolation: options.isolation ?? 'bubblewrap',
    bubblewrap: options.bubblewrap,
    sharedMemory: options.sharedMemory ?? false,
    success: new Set(options.success ?? [0]),
    unchanged: new Set(options.unchanged ?? []),
    limits: {
      cpuSeconds: limits?.cpuSeconds ?? 30,
      memoryBytes,
      addressSpaceBytes: limits?.addressSpaceBytes ?? memoryBytes,
      fileBytes: limits?.fileBytes ?? 64 * mebibyte,
      processes: limits?.processes ?? 16,
      openFiles: limits?.openFiles ?? 256,
      stdoutBytes: limits?.stdoutBytes ?? mebibyte,
      stderrBytes: limits?.stderrBytes ?? 64 * 1024,
      graceMs: limits?.graceMs ?? 2_000,
    },
  }
  const problem = problemOf(settings)
  if (problem !== undefined) throw new Fault('bad_options', `process: ${problem}`)
  return settings
}

const noUser =
  'process: a tool names no user. Write programs: { users: { TENANT: 200001 } } in openProviso: as root, each tenant has one of its own.'

function templateOf(name: string, items: readonly string[]): ArgvTemplate {
  const reading = readArgv(items)
  if (reading.ok) return reading.template
  throw new Fault('bad_options', `process: ${name}: ${reading.problem}`)
}

export const isShell = (program: string) => shells.has(basename(program))

function problemOf(settings: ProcessSettings): string | undefined {
  const { program, root, folder, readable, stdin, paths, credentials, environment, limits } = settings
  const places = [...credentials.values()]
  const variables = [...environment.keys(), ...places.flatMap((place) => ('stdin' in place ? [] : [variableOf(place)]))]
  if (!isAbsolute(program)) return 'program is an absolute path.'
  if (isShell(program)) return 'program is never a shell; write what it should do into a program of its own.'
  if (![root ?? '/', ...readable].every(isAbsolute)) return 'root and readable are absolute paths.'
  if (folder !== undefined && root === undefined) return 'folder lies in root, and there is none.'
  if ([...(stdin === undefined ? [] : [stdin]), ...paths].some((it) => it !== '' && !isPointer(it)))
    return 'stdin and paths are JSON Pointers such as /text.'
  if (places.filter((place) => 'stdin' in place).length > (stdin === undefined ? 1 : 0))
    return 'standard input takes one thing: an argument or one credential.'
  if (variables.some((name) => !variable.test(name)) || new Set(variables).size < variables.length)
    return 'variables of the environment have plain names, each once.'
  if (variables.some((name) => reserved.has(name))) return `${[...reserved].join(', ')} are set already.`
  if ([...environment.values()].some((value) => value.includes('\0'))) return 'variables hold no NUL.'
  if (!Object.values(limits).every((limit) => Number.isSafeInteger(limit) && limit > 0))
    return 'limits are whole numbers above 0.'
  return undefined
}

/** Variables that every program is given, so that none inherits ours. */
const reserved = new Set(['PATH', 'HOME', 'TMPDIR', 'PROVISO_CALL'])

const variableOf = (place: { readonly env: string } | { readonly file: string }) =>
  'env' in place ? place.env : place.file
