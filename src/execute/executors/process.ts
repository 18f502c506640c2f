// Runs a tool as a program of this machine: one program, arguments by a template, never a shell, an environment of its own, and limits
// on all that it may use. By default in a sandbox without network; where there is no sandbox it does not run at all.

import { resolve } from 'node:path'
import type { Executor, Preflight, ToolContext } from '../../contract/tool/executor.ts'
import type { ProcessFile } from '../../contract/tool/executor-files/process-file.ts'
import { lastLook } from '../attempt/may-act.ts'
import { asFileError } from './file/failure.ts'
import { pointersOf } from './process/argv.ts'
import { runChild } from './process/child.ts'
import { programResult } from './process/ending.ts'
import { planLaunch, setupMissing } from './process/launch.ts'
import { argumentProblem, prepareStart } from './process/prepare.ts'
import { findProgram, systemProgram } from './process/program.ts'
import { runAs, runAsProblem } from './process/run-as.ts'
import { findSandbox } from './process/sandbox.ts'
import { type ProcessOptions, type ProcessSettings, processSettings } from './process/settings.ts'

/** Throws a Fault where the options make no sense. */
export function runProcess(options: ProcessOptions): Executor {
  const settings = processSettings(options)
  return {
    kind: 'process',
    // Tried when it is asked for: a contract that wants isolation is refused where there is none.
    get isolated() {
      return settings.isolation === 'bubblewrap' && findSandbox(settings.bubblewrap).ok
    },
    connects: settings.network,
    unwatched: true,
    unconfined: settings.isolation === 'none',
    names: {
      arguments: [
        ...[...settings.template, ...(settings.folder ?? [])].flatMap(pointersOf),
        ...settings.paths,
        ...(settings.stdin === undefined ? [] : [settings.stdin]),
      ],
      credentials: [...settings.credentials.keys()],
    },
    version: options.version,
    preflight: lookFirst(settings),
    async run(args, context) {
      // At each start: what was judged once may have been replaced since.
      const program = findProgram(settings.program)
      if (!program.ok) throw setupMissing(program.message)
      const missing = setupProblem(settings, context)
      if (missing !== undefined) throw setupMissing(missing)
      const user = runAs(context.programUser)
      const prepared = await prepareStart(settings, args, context, user).catch((error: unknown) => {
        throw asFileError(error, 'none')
      })
      try {
        const launch = planLaunch({ ...prepared, settings, user, program })
        const { callId, signal, mayAct } = context
        lastLook(context)
        return programResult(await runChild({ launch, stdin: prepared.stdin, signal, mayAct, callId }), settings)
      } finally {
        const left = await prepared.cleanUp()
        if (left !== undefined)
          context.warn(`program_left_files: ${left} could not be removed now; it is tried again later`)
      }
    },
  }
}

function lookFirst(settings: ProcessSettings): Preflight {
  return (args, context) => {
    const problem = argumentProblem(settings, args)
    if (problem !== undefined) return problem
    const program = findProgram(settings.program)
    const missing = program.ok ? setupProblem(settings, context) : program.message
    return missing === undefined ? undefined : { reason: 'setup_required', message: missing }
  }
}

/** Why nothing can run here at all. */
function setupProblem(settings: ProcessSettings, { programUser }: ToolContext): string | undefined {
  if (systemProgram('prlimit') === undefined || systemProgram('setpriv') === undefined)
    return 'Programs are run on Linux alone, with prlimit and setpriv of util-linux: without them nothing is limited.'
  const sandbox = settings.isolation === 'bubblewrap' ? findSandbox(settings.bubblewrap) : undefined
  return sandbox?.ok === false ? sandbox.message : runAsProblem(settings, programUser)
}

/** The process executor from its declaration in a tool file. */
export function processFromFile(file: ProcessFile, folder: string): Executor {
  const { kind: _kind, root, limits, shared_memory: sharedMemory, ...same } = file
  return runProcess({
    ...same,
    sharedMemory,
    root: root === undefined ? undefined : resolve(folder, root),
    limits: {
      cpuSeconds: limits?.cpu_seconds,
      memoryBytes: limits?.memory_bytes,
      addressSpaceBytes: limits?.address_space_bytes,
      fileBytes: limits?.file_bytes,
      processes: limits?.processes,
      openFiles: limits?.open_files,
      stdoutBytes: limits?.stdout_bytes,
      stderrBytes: limits?.stderr_bytes,
      graceMs: limits?.grace_ms,
    },
  })
}
