// What a call of root has left behind, known by the group that is its own: processes, also those that have wiped, hidden or let go
// of all else, and memory that outlives them. A process cannot leave its group, and what it makes bears it.
import { execFile } from 'node:child_process'
import { lstatSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { processState } from './processes.ts'
import { systemProgram } from './program.ts'

const run = promisify(execFile)

/** A process may start another one while we look: the group is empty when two looks in a row have found none. */
const emptyLooks = 2
const mostLooks = 200
const betweenMs = 5

/** Ends every process of the group. */
export async function endGroup(group: number): Promise<void> {
  let empty = 0
  for (let look = 0; look < mostLooks && empty < emptyLooks; look++) {
    if (look > emptyLooks) await sleep(betweenMs)
    const found = processesIn(group)
    empty = found.length === 0 ? empty + 1 : 0
    for (const pid of found) end(pid)
  }
}

function processesIn(group: number): readonly number[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^[0-9]+$/.test(name)) return []
    try {
      const { uid, gid } = statSync(`/proc/${name}`)
      // One that hides its memory is shown as root's own.
      const isIts =
        gid === group || (uid === 0 && groupsIn(readFileSync(`/proc/${name}/status`, 'latin1')).includes(group))
      return isIts && processState(Number(name))?.runs === true ? [Number(name)] : []
    } catch {
      // It has ended meanwhile.
      return []
    }
  })
}

const groupsIn = (status: string) => (/^Gid:\t(.*)$/m.exec(status)?.[1] ?? '').split('\t').map(Number)

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // Gone already.
  }
}

/** The option of ipcrm, and the table of the kernel, for each kind of thing that System V keeps. */
const kept = [
  { table: 'shm', option: '-m' },
  { table: 'sem', option: '-s' },
  { table: 'msg', option: '-q' },
] as const

/** Removes shared memory that the group has made and that is still there. */
export async function forgetSharedMemory(group: number): Promise<void> {
  const options = kept.flatMap(({ table, option }) => madeBy(group, table).flatMap((id) => [option, id]))
  const ipcrm = systemProgram('ipcrm')
  if (options.length > 0 && ipcrm !== undefined) await run(ipcrm, options).catch(() => undefined)
  for (const folder of ['/dev/shm', '/dev/mqueue']) {
    for (const name of namesIn(folder)) {
      const path = join(folder, name)
      const found = lstatSync(path, { throwIfNoEntry: false })
      if (found?.gid === group && !found.isDirectory()) rmSync(path, { force: true })
    }
  }
}

function madeBy(group: number, table: (typeof kept)[number]['table']): readonly string[] {
  try {
    const [head = '', ...rows] = readFileSync(`/proc/sysvipc/${table}`, 'latin1').trim().split('\n')
    const madeByAt = head.trim().split(/\s+/).indexOf('cgid')
    return rows.flatMap((row) => {
      const [, id = '', ...more] = row.trim().split(/\s+/)
      return Number(more[madeByAt - 2]) === group ? [id] : []
    })
  } catch {
    return []
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
