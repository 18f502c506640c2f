// The command line that is really started: limits first, then the program, inside a sandbox or beside us. Nothing of it passes a shell.
import { constants } from 'node:os'
import { ToolError } from '../../../contract/fault.ts'
import { memoryBase } from './memory-group.ts'
import { tasksOf } from './processes.ts'
import { systemProgram } from './program.ts'
import { type RunAs, uidOf } from './run-as.ts'
import { findSandbox, sandboxArguments } from './sandbox.ts'
import type { ProcessLimits, ProcessSettings } from './settings.ts'
import { noFilter, systemCallFilter } from './system-calls.ts'

export interface Launch {
  readonly file: string
  readonly argv: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly user: RunAs | undefined
  /** What the program was when it was judged. */
  readonly program: { readonly path: string; readonly identity: string }
  /** The filter of system calls that the sandbox loads; undefined beside us. */
  readonly filter: Buffer | undefined
  readonly limits: ProcessLimits
  /** Where a group for its memory can be made; undefined: nowhere here. */
  readonly memoryBase: string | undefined
}

export interface LaunchInput {
  readonly settings: ProcessSettings
  readonly program: { readonly path: string; readonly identity: string }
  readonly user: RunAs | undefined
  readonly argv: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** Where it starts: as the sandbox sees it, and as we do. */
  readonly folder: { readonly inside: string; readonly outside: string }
  /** Folders of ours that it must be able to read. */
  readonly readable: readonly string[]
}

export function planLaunch(input: LaunchInput): Launch {
  const { settings, user, argv, env, folder } = input
  const { limits } = settings
  const program = input.program.path
  const prlimit = systemProgram('prlimit')
  const setpriv = systemProgram('setpriv')
  if (prlimit === undefined || setpriv === undefined) throw setupMissing('util-linux is not installed.')
  const own = { env, user, limits, program: input.program, memoryBase: memoryBase() }
  if (settings.isolation === 'none') {
    const processes = limits.processes + tasksOf(uidOf(user))
    // It ends with us, and gains no rights by what it executes.
    const guards = ['--no-new-privs', '--pdeathsig', 'KILL', '--']
    const command = [...limitArguments(limits, processes), '--', setpriv, ...guards, program, ...argv]
    return { ...own, file: prlimit, argv: command, cwd: folder.outside, filter: undefined }
  }
  const sandbox = findSandbox(settings.bubblewrap)
  if (!sandbox.ok) throw setupMissing(sandbox.message)
  const view = {
    network: settings.network,
    readable: [...settings.readable, ...input.readable, ...(isOfTheSystem(program) ? [] : [program])],
    root: settings.root === undefined ? undefined : { path: settings.root, writable: settings.writable },
    folder: folder.inside,
    fileBytes: limits.fileBytes,
  }
  // Counted inside: the namespace starts at none, and holds two processes of bubblewrap itself.
  const inside = [prlimit, ...limitArguments(limits, limits.processes + 2), '--', program, ...argv]
  const filter = systemCallFilter(settings.sharedMemory)
  if (filter === undefined) throw setupMissing(noFilter)
  const command = [...sandboxArguments(view), '--', ...inside]
  return { ...own, file: sandbox.bubblewrap, argv: command, cwd: '/', filter }
}

function limitArguments(limits: ProcessLimits, processes: number): readonly string[] {
  return [
    `--cpu=${limits.cpuSeconds}:${limits.cpuSeconds + 1}`,
    `--data=${limits.memoryBytes}`,
    `--as=${limits.addressSpaceBytes}`,
    `--fsize=${limits.fileBytes}`,
    `--nproc=${processes}`,
    `--nofile=${limits.openFiles}`,
    '--core=0',
  ]
}

const isOfTheSystem = (program: string) => /^\/(?:usr|bin|sbin|lib(?:32|64)?)\//.test(program)

/** Nothing was started. */
export function setupMissing(message: string): ToolError {
  return new ToolError('setup_required', message, { effect: 'none', class: 'DEPENDENCY_UNAVAILABLE' })
}

/** The name of a signal by its number, for exit codes above 128. */
export function signalName(code: number): string | undefined {
  return Object.entries(constants.signals).find(([, number]) => number === code - 128)?.[0]
}
