// Runs a tool as a program of this machine: one program, arguments by a template, never a shell, an environment of its own, and limits
// on all that it may use. By default in a sandbox without network; where there is no sandbox it does not run at all.

import { resolve } from 'node:path'
import type { Executor, Preflight } from '../../contract/tool/executor.ts'
import type { ProcessFile } from '../../contract/tool/executor-files/process-file.ts'
import { lastLook } from '../attempt/may-act.ts'
import { asFileError } from './file/failure.ts'
import { pointersOf } from './process/argv.ts'
import { runChild } from './process/child.ts'
import { programResult } from './process/ending.ts'
import { planLaunch, setupMissing } from './process/launch.ts'
import { argumentProblem, prepareStart } from './process/prepare.ts'
import { findProgram, type ProgramFinding, systemProgram } from './process/program.ts'
import { runAsProblem } from './process/run-as.ts'
import { findSandbox } from './process/sandbox.ts'
import { type ProcessOptions, type ProcessSettings, processSettings } from './process/settings.ts'

/** Throws a Fault where the options make no sense. */
export function runProcess(options: ProcessOptions): Executor {
  const settings = processSettings(options)
  let found: ProgramFinding | undefined
  const program = async (): Promise<ProgramFinding> => {
    if (found?.ok !== true) found = await findProgram(settings.program)
    return found
  }
  return {
    kind: 'process',
    // Tried when it is asked for: a contract that wants isolation is refused where there is none.
    get isolated() {
      return settings.isolation === 'bubblewrap' && findSandbox(settings.bubblewrap).ok
    },
    connects: settings.network,
    unwatched: true,
    names: {
      arguments: [
        ...[...settings.template, ...(settings.folder ?? [])].flatMap(pointersOf),
        ...settings.paths,
        ...(settings.stdin === undefined ? [] : [settings.stdin]),
      ],
      credentials: [...settings.credentials.keys()],
    },
    version: options.version,
    preflight: lookFirst(settings, program),
    async run(args, context) {
      const finding = await program()
      if (!finding.ok) throw setupMissing(finding.message)
      const missing = setupProblem(settings)
      if (missing !== undefined) throw setupMissing(missing)
      const prepared = await prepareStart(settings, args, context).catch((error: unknown) => {
        throw asFileError(error, 'none')
      })
      try {
        const launch = planLaunch({ ...prepared, settings, program: finding.path })
        const { callId, signal, mayAct } = context
        lastLook(context)
        return programResult(await runChild({ launch, stdin: prepared.stdin, signal, mayAct, callId }), settings)
      } finally {
        await prepared.cleanUp()
      }
    },
  }
}

function lookFirst(settings: ProcessSettings, program: () => Promise<ProgramFinding>): Preflight {
  return async (args) => {
    const problem = argumentProblem(settings, args)
    if (problem !== undefined) return problem
    const finding = await program()
    const missing = finding.ok ? setupProblem(settings) : finding.message
    return missing === undefined ? undefined : { reason: 'setup_required', message: missing }
  }
}

/** Why nothing can run here at all. */
function setupProblem({ isolation, bubblewrap, user }: ProcessSettings): string | undefined {
  if (systemProgram('prlimit') === undefined || systemProgram('setpriv') === undefined)
    return 'Programs are run on Linux alone, with prlimit and setpriv of util-linux: without them nothing is limited.'
  const sandbox = isolation === 'bubblewrap' ? findSandbox(bubblewrap) : undefined
  return sandbox?.ok === false ? sandbox.message : runAsProblem(user)
}

/** The process executor from its declaration in a tool file. */
export function processFromFile(file: ProcessFile, folder: string): Executor {
  const { kind: _kind, root, limits, ...same } = file
  return runProcess({
    ...same,
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
