// The server process: found, launched, stopped. It outlives the process that launched it, and is recognised by its pid file together
// with its command line, so that another process with its old pid is never taken for it, nor signalled.
import { execFile, spawn } from 'node:child_process'
import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { Fault } from '../../contract/fault.ts'
import { errno } from '../files/private-file.ts'
import { logFileOf, logTail, openLogFile } from './log-file.ts'
import type { ServerUser } from './server-user.ts'
import { clusterName, serverEnvironment } from './settings.ts'

const run = promisify(execFile)
const startMs = 120_000
const stopMs = 120_000
const orphanMs = 20_000

interface PidFile {
  readonly pid: number
  readonly status: string
}

interface Launch {
  readonly home: string
  readonly data: string
  readonly binaries: string
  readonly args: readonly string[]
  readonly user: ServerUser
}

/** The pid of the server that runs on this data folder. */
export async function findPostmaster(data: string): Promise<number | undefined> {
  const file = await readPidFile(data)
  return file !== undefined && (await isPostmaster(file.pid, data)) ? file.pid : undefined
}

export async function isPostmaster(pid: number, data: string): Promise<boolean> {
  return (await commandOf(pid)).includes(`/postgres -D ${data} `)
}

/** Starts the server and waits until it takes connections. */
export async function launchPostmaster({ home, data, binaries, args, user }: Launch): Promise<void> {
  await clearAfterCrash(home, data)
  const log = await openLogFile(home)
  const child = spawn(join(binaries, 'postgres'), args, {
    cwd: '/',
    env: serverEnvironment,
    stdio: ['ignore', log.fd, log.fd],
    detached: true,
    ...user.spawnAs,
  })
  let ended: string | undefined
  child.once('error', (error) => {
    ended = error.message
  })
  child.once('exit', (code, signal) => {
    ended = `it ended with ${signal ?? `exit code ${code}`}`
  })
  child.unref()
  await log.close()
  const deadline = performance.now() + startMs
  for (;;) {
    const file = await readPidFile(data)
    if (file?.status === 'ready' && file.pid === child.pid) return
    // Someone was killed between starting a server and its pid file: that server came first, and answers by now or soon.
    if (ended !== undefined && (await findPostmaster(data)) !== undefined) return
    if (ended !== undefined) throw await failed(home, `Postgres did not start, ${ended}`)
    if (performance.now() > deadline) {
      child.kill('SIGQUIT')
      throw await failed(home, `Postgres was not ready within ${startMs / 1000} s`)
    }
    await sleep(5)
  }
}

/** Fast shutdown: clients are cut off, everything committed is on disk. */
export async function stopPostmaster(home: string, data: string, pid: number): Promise<void> {
  try {
    process.kill(pid, 'SIGINT')
  } catch (error) {
    if (errno(error) !== 'ESRCH') throw error
  }
  const deadline = performance.now() + stopMs
  while (await isPostmaster(pid, data)) {
    if (performance.now() > deadline) throw await failed(home, `Postgres (${pid}) did not stop in ${stopMs / 1000} s`)
    await sleep(5)
  }
}

/** An error that quotes the server's own words. */
export async function failed(home: string, what: string, cause?: unknown): Promise<Fault> {
  const tail = await logTail(home)
  return new Fault('embedded_failed', `${what}. The end of ${logFileOf(home)}:\n${tail}`, { cause })
}

async function readPidFile(data: string): Promise<PidFile | undefined> {
  try {
    const lines = (await readFile(join(data, 'postmaster.pid'), 'utf8')).split('\n')
    const pid = Number(lines[0])
    return Number.isInteger(pid) && pid > 0 ? { pid, status: lines[7]?.trim() ?? '' } : undefined
  } catch (error) {
    if (errno(error) === 'ENOENT') return undefined
    throw error
  }
}

/**
 * Postgres judges a stale pid file itself, with two exceptions. Children of a killed server end soon, but until then it refuses to start:
 * wait. And where another process of the same user has the old pid, it refuses for ever: the file goes, once no such child is left.
 */
async function clearAfterCrash(home: string, data: string): Promise<void> {
  const stale = await readPidFile(data)
  if (stale === undefined) return
  const title = `postgres: ${clusterName(data)}: `
  const deadline = performance.now() + orphanMs
  while ((await allCommands()).some((command) => command.startsWith(title))) {
    if (performance.now() > deadline) throw await failed(home, 'Processes of a killed server still run')
    await sleep(20)
  }
  if ((await commandOf(stale.pid)) !== '') await rm(join(data, 'postmaster.pid'), { force: true })
}

/** The command line of a process; empty for one that is gone, a zombie included. Other facts of a process are closed to root in many containers. */
async function commandOf(pid: number): Promise<string> {
  if (process.platform === 'linux') return procCommand(pid)
  try {
    return (await run('ps', ['-ww', '-o', 'command=', '-p', String(pid)])).stdout.trimEnd()
  } catch {
    return ''
  }
}

async function allCommands(): Promise<readonly string[]> {
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
