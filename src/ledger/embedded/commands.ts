// The command lines of running processes, to recognise a server by. Other facts of a process are closed to root in many containers.
import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Empty for a process that is gone, a zombie included. */
export async function commandOf(pid: number): Promise<string> {
  if (process.platform === 'linux') return procCommand(pid)
  try {
    return (await run('ps', ['-ww', '-o', 'command=', '-p', String(pid)])).stdout.trimEnd()
  } catch {
    return ''
  }
}

export async function allCommands(): Promise<readonly string[]> {
  if (process.platform !== 'linux') return (await run('ps', ['-axww', '-o', 'command='])).stdout.split('\n')
  const pids = (await readdir('/proc')).map(Number).filter(Number.isInteger)
  return Promise.all(pids.map(procCommand))
}

async function procCommand(pid: number): Promise<string> {
  try {
    return (await readFile(`/proc/${pid}/cmdline`, 'utf8')).replaceAll('\0', ' ')
  } catch {
    return ''
  }
}
