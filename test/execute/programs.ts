// Small programs for the tests of processes, and a look at what is still running of a call.
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemProgram } from '../../src/execute/executors/process/program.ts'
import { findSandbox } from '../../src/execute/executors/process/sandbox.ts'

export interface Programs {
  readonly folder: string
  /** A program that bash reads from a file of its own. */
  program(name: string, lines: string): string
  remove(): void
}

export function makePrograms(): Programs {
  const folder = mkdtempSync(join(tmpdir(), 'proviso-programs-'))
  // Other users run them.
  chmodSync(folder, 0o755)
  return {
    folder,
    program(name, lines) {
      const path = join(folder, name)
      writeFileSync(path, `#!/bin/bash\n${lines}\n`)
      chmodSync(path, 0o755)
      return path
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** Whether bubblewrap works here. Where it is missing and we may, it is installed. */
export function hasSandbox(): boolean {
  if (systemProgram('bwrap') === undefined && process.geteuid?.() === 0) {
    try {
      execFileSync('/usr/bin/apt-get', ['install', '-y', 'bubblewrap'], { stdio: 'ignore', timeout: 120_000 })
    } catch {
      return false
    }
  }
  return findSandbox(undefined).ok
}

/** How many processes of a call are running, seen by the variable that all of them are given. */
export const runningOf = (callId: string): number => processesOf(callId).size

/** How many run at the same time. A look takes a while, in which some end and others begin: those of two looks ran between them. */
export function runningAtOnce(callId: string): number {
  const first = processesOf(callId)
  return [...processesOf(callId)].filter((process) => first.has(process)).length
}

/** Whether the program of this name, that a call has started in the end, is running. */
export const isRunning = (callId: string, name: string): boolean =>
  [...processesOf(callId)].some((process) => process.endsWith(` (${name})`))

/** By number and start, because numbers are given anew, with their names. */
function processesOf(callId: string): ReadonlySet<string> {
  const found = new Set<string>()
  for (const name of readdirSync('/proc')) {
    if (!/^[0-9]+$/.test(name)) continue
    try {
      if (!readFileSync(`/proc/${name}/environ`, 'latin1').includes(`PROVISO_CALL=${callId}`)) continue
      const stat = readFileSync(`/proc/${name}/stat`, 'latin1')
      const nameEnd = stat.lastIndexOf(')')
      found.add(`${name} ${stat.slice(nameEnd).split(' ')[20]} ${stat.slice(stat.indexOf('('), nameEnd + 1)}`)
    } catch {
      // It has ended meanwhile.
    }
  }
  return found
}
