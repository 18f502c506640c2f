// A control group (cgroup v2) for the memory of one call, where the kernel lets us make one: then all that its processes hold together is
// counted, also what no limit of a single process counts. A process joins before the program starts, and the group is ended with the call.
import { mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { nameOfThisProcess } from '../../../ledger/files/process-identity.ts'

export interface MemoryGroup {
  /** Throws where the kernel does not take it. */
  add(pid: number): void
  /** Ends what is left in it. */
  remove(): Promise<void>
}

const name = () => `proviso-call-${nameOfThisProcess()}`

/** Undefined where it cannot be made after all. */
export function makeMemoryGroup(base: string, bytes: number): MemoryGroup | undefined {
  const group = join(base, name())
  try {
    mkdirSync(group)
  } catch {
    return undefined
  }
  const set = (file: string, value: number) => writeFileSync(join(group, file), `${value}\n`)
  const remove = async () => {
    try {
      set('cgroup.kill', 1)
    } catch {
      // Before Linux 5.14: what is left is ended by other means.
    }
    for (let tries = 0; tries < 40; tries++) {
      try {
        rmdirSync(group)
        return
      } catch {
        // Its last processes are on their way out.
        await sleep(5)
      }
    }
  }
  try {
    set('memory.max', bytes)
  } catch {
    void remove()
    return undefined
  }
  try {
    set('memory.swap.max', 0)
  } catch {
    // There is no swap to be counted.
  }
  return { add: (pid) => set('cgroup.procs', pid), remove }
}

let found: { readonly base: string | undefined } | undefined

/** The folder in which groups with a count of memory can be made: our own group's, or the one above it. Looked for once. */
export function memoryBase(): string | undefined {
  found ??= { base: candidates().find(canMake) }
  return found.base
}

/** A group that holds processes has no groups with controllers below it, so that a service that is given a part keeps its own in a leaf. */
function candidates(): readonly string[] {
  const own = /^0::(\/.*)$/m.exec(textOf('/proc/self/cgroup'))?.[1]
  // The fifth field is where it is mounted, the one behind the dash what it is.
  const mounts = textOf('/proc/self/mountinfo')
    .split('\n')
    .map((line) => line.split(' '))
  const mounted = mounts.find((fields) => fields[fields.indexOf('-') + 1] === 'cgroup2')?.[4]
  if (own === undefined || mounted === undefined) return []
  const here = join(mounted, own)
  return here === mounted ? [here] : [here, dirname(here)]
}

/** Nothing is switched on here: an operator has, or systemd, that gives the group to its service. */
function canMake(base: string): boolean {
  if (!textOf(join(base, 'cgroup.subtree_control')).split(/\s/).includes('memory')) return false
  const group = join(base, name())
  try {
    mkdirSync(group)
    try {
      return textOf(join(group, 'memory.max')) !== ''
    } finally {
      rmdirSync(group)
    }
  } catch {
    return false
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
