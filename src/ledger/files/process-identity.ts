// Names a process so that a later one with the same pid is never taken for it: pid, moment of start, boot. A zombie counts as dead.
// Only processes of one pid namespace can be told apart this way: containers must not share an embedded server.
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'

let own: string | undefined
let boot: string | undefined

/** A name for one registration or one lock of this process, unique for ever; `isAlive` tells whether its process still runs. */
export function nameOfThisProcess(): string {
  own ??= `${process.pid}.${momentOfStart(process.pid) ?? 'unknown'}`
  return `${own}.${randomBytes(6).toString('hex')}`
}

/** Whether the process that took this name still runs. What was not written by `nameOfThisProcess` names no process. */
export function isAlive(name: string): boolean {
  const [, pid, start] = /^(\d+)\.([\w-]+)\.[0-9a-f]+$/.exec(name) ?? []
  if (pid === undefined) return false
  const found = momentOfStart(Number(pid))
  // A /proc mounted with hidepid hides other users' processes, not their existence.
  return found === undefined ? isForeign(Number(pid)) : found === start
}

function momentOfStart(pid: number): string | undefined {
  return process.platform === 'linux' ? fromProc(pid) : fromPs(pid)
}

function fromProc(pid: number): string | undefined {
  let stat: string
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
  } catch {
    return undefined
  }
  // The command's name is in parentheses and may contain anything; the state follows it, the start is the 22nd field.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  if (fields[0] === 'Z' || fields[0] === 'X') return undefined
  boot ??= readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').slice(0, 8)
  return `${fields[19]}-${boot}`
}

function fromPs(pid: number): string | undefined {
  try {
    const env = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' }
    const [state, ...start] = execFileSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], { env, encoding: 'utf8' })
      .trim()
      .split(/\s+/)
    return state === undefined || state.startsWith('Z') ? undefined : start.join('-').replaceAll(':', '-')
  } catch {
    return undefined
  }
}

function isForeign(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
