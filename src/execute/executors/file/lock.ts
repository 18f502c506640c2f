// One change at a time in a folder: within this process by a queue, beside other processes by the lock of the operating system. Node has no
// flock, so the program of util-linux takes it, on the folder that is open here: the lock belongs to the open folder, not to the program,
// and the kernel gives it back when the folder is closed or this process is gone. No lock file is left that could stay for ever.
import { spawn } from 'node:child_process'
import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { Withheld } from '../../../contract/fault.ts'
import { unlessAborted } from '../../within.ts'
import { systemProgram } from '../process/program.ts'
import { fileError } from './failure.ts'
import type { Folder } from './folder.ts'

/** Why nothing can be locked here; undefined is no problem. */
export function lockProblem(): string | undefined {
  return systemProgram('flock') === undefined
    ? 'Files are changed only where flock of util-linux is there: two processes could undo each other.'
    : undefined
}

/**
 * Does the work while no other change is made in these folders, by any tool of files on this machine. It waits as long as the call may
 * take; a call that is over before its turn has changed nothing.
 */
export async function whileLocked<T>(
  folders: readonly Folder[],
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  const leave: (() => void)[] = []
  try {
    for (const { handle, place } of await inOrder(folders, leave)) {
      leave.push(await enterQueue(place, signal))
      await lockFolder(handle, signal)
    }
    return await work()
  } finally {
    for (const step of leave.reverse()) step()
  }
}

interface Opened {
  readonly handle: FileHandle
  readonly place: string
}

/** Each once, and all callers in the same order: then no two wait for each other. */
async function inOrder(folders: readonly Folder[], leave: (() => void)[]): Promise<readonly Opened[]> {
  const opened = new Map<string, Opened>()
  for (const folder of folders) {
    // Opened anew: what ends with this handle is this lock alone.
    const handle = await open(folder.at('.'), constants.O_RDONLY | constants.O_DIRECTORY)
    leave.push(() => void handle.close().catch(() => undefined))
    const { dev, ino } = await handle.stat({ bigint: true })
    const place = `${dev}:${ino}`.padStart(48, '0')
    if (!opened.has(place)) opened.set(place, { handle, place })
  }
  return [...opened.values()].sort((a, b) => (a.place < b.place ? -1 : 1))
}

/** The end of each queue of this process, by folder. */
const queues = new Map<string, Promise<unknown>>()

/** Gives what leaves the queue again. */
async function enterQueue(key: string, signal: AbortSignal): Promise<() => void> {
  const before = queues.get(key) ?? Promise.resolve()
  const turn = Promise.withResolvers<void>()
  const end = before.then(() => turn.promise)
  queues.set(key, end)
  const leave = () => {
    turn.resolve()
    if (queues.get(key) === end) void end.then(() => queues.get(key) === end && queues.delete(key))
  }
  const isMine = await unlessAborted(
    before.then(() => true),
    signal,
  )
  if (isMine && !signal.aborted) return leave
  leave()
  throw new Withheld()
}

async function lockFolder({ fd }: FileHandle, signal: AbortSignal): Promise<void> {
  const program = systemProgram('flock')
  if (program === undefined) throw fileError('not_lockable')
  const child = spawn(program, ['-x', '3'], { stdio: ['ignore', 'ignore', 'ignore', fd], env: {} })
  const stop = () => child.kill('SIGKILL')
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  const code = await new Promise<number | null>((resolve) => {
    child.once('error', () => resolve(-1))
    child.once('exit', (exit) => resolve(exit))
  })
  signal.removeEventListener('abort', stop)
  if (signal.aborted) throw new Withheld()
  if (code !== 0) throw fileError('not_lockable')
}
