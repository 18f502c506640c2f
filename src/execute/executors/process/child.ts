// One run of a program: started, fed, listened to up to its limits, and ended for certain. Told to end it has a grace, then it is killed
// with its whole group; in a sandbox everything inside dies with it, however it tried to get away.
import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import type { Readable, Writable } from 'node:stream'
import type { ExecutionContext } from '../../../contract/tool/executor.ts'
import { endGroup, forgetSharedMemory } from './call-group.ts'
import { handing } from './handing.ts'
import type { Launch } from './launch.ts'
import { type MemoryGroup, makeMemoryGroup } from './memory-group.ts'
import { endStrays, processState, processTableOf } from './processes.ts'
import { findProgram, systemProgram } from './program.ts'
import { isCallGroup, uidOf } from './run-as.ts'

export type Ending =
  /** Nothing of the program ran. */
  | { readonly kind: 'not_started'; readonly message: string }
  | {
      readonly kind: 'ended'
      readonly code: number | null
      readonly signal: NodeJS.Signals | null
      readonly stdout: Buffer
      readonly stderr: Buffer
      /** Why we ended it, if we did. */
      readonly stopped: 'stdout' | 'stderr' | 'aborted' | undefined
    }

export interface ChildInput {
  readonly launch: Launch
  readonly stdin: string | undefined
  readonly signal: AbortSignal
  /** Asked before it is given its input: the program may act on that alone. */
  readonly mayAct: ExecutionContext['mayAct']
  readonly callId: string
}

/** Streams that another process still holds open are given up after this time. */
const drainMs = 1_000

export async function runChild(input: ChildInput): Promise<Ending> {
  const memory = memoryGroupOf(input.launch)
  try {
    return await runIn(memory, input)
  } finally {
    await memory?.remove()
  }
}

/** What a process may hold, times how many there may be, and the files that it may keep in memory. */
function memoryGroupOf({ limits, memoryBase, filter }: Launch): MemoryGroup | undefined {
  // Beside us it is Perl that waits until the group is there.
  if (memoryBase === undefined || (filter === undefined && systemProgram('perl') === undefined)) return undefined
  const files = filter === undefined ? 0 : 2 * limits.fileBytes
  return makeMemoryGroup(memoryBase, limits.memoryBytes * limits.processes + files)
}

/** What is open in the new process besides input, output and errors; all of it is closed before the program. */
const statusAt = 3
const filterAt = 4

async function runIn(
  memory: MemoryGroup | undefined,
  { launch, stdin, signal, mayAct, callId }: ChildInput,
): Promise<Ending> {
  const sandboxed = launch.filter !== undefined
  const forSandbox = sandboxed ? (['pipe', 'pipe'] as const) : []
  const forMemory = memory === undefined ? [] : (['pipe'] as const)
  const last = 2 + forSandbox.length + forMemory.length
  const gate = memory === undefined ? undefined : last
  const handed = handing({
    file: launch.file,
    argv: sandboxed ? [...sandboxOptions(gate), ...launch.argv] : launch.argv,
    // Bubblewrap closes what it has read.
    last: sandboxed ? last : 2,
    ownKeys: !sandboxed,
    gate: sandboxed ? undefined : gate,
  })
  if (!handed.ok) return { kind: 'not_started', message: handed.message }
  // In one step with the start: nothing else of ours runs in between.
  const found = findProgram(launch.program.path)
  if (!found.ok || found.identity !== launch.program.identity)
    return { kind: 'not_started', message: 'The program of this tool was replaced a moment ago.' }
  const child = spawn(handed.file, [...handed.argv], {
    cwd: launch.cwd,
    env: { ...launch.env },
    detached: true,
    ...launch.user,
    stdio: [stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe', ...forSandbox, ...forMemory],
  })
  if (launch.filter !== undefined) write(child.stdio[filterAt] as Writable | null, launch.filter)
  const started = await new Promise<Error | undefined>((resolve) => {
    child.once('spawn', () => resolve(undefined))
    child.once('error', resolve)
  })
  if (started !== undefined || child.pid === undefined)
    return { kind: 'not_started', message: 'The program could not be started.' }
  // One that is gone already may have left something all the same.
  const startedAt = processState(child.pid)?.startedAt ?? 0
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()))
  // A signal that cannot be delivered any more does not fail the run.
  child.on('error', () => undefined)

  let stopped: Extract<Ending, { kind: 'ended' }>['stopped']
  let killer: ReturnType<typeof setTimeout> | undefined
  let joined = true
  /** Lets the program begin, as a member of its group. */
  const join = (pid: number) => {
    if (memory === undefined || gate === undefined) return
    try {
      memory.add(pid)
      write(child.stdio[gate] as Writable | null, '.')
    } catch {
      joined = false
      killGroup(child)
    }
  }
  const status = sandboxed ? statusOf(child, join) : undefined
  if (!sandboxed) join(child.pid)
  const stop = (why: NonNullable<typeof stopped>) => {
    if (stopped !== undefined) return
    stopped = why
    if (why === 'aborted') {
      askToEnd(child, status?.())
      killer = setTimeout(() => killGroup(child), launch.limits.graceMs)
    } else killGroup(child)
  }
  const stdout = collect(child.stdout, launch.limits.stdoutBytes, () => stop('stdout'))
  const stderr = collect(child.stderr, launch.limits.stderrBytes, () => stop('stderr'))
  const onAbort = () => stop('aborted')
  if (signal.aborted) onAbort()
  else signal.addEventListener('abort', onAbort, { once: true })
  if (stdin !== undefined && !mayAct()) stop('aborted')
  else write(child.stdin, stdin)

  const { code, exitSignal } = await new Promise<{ code: number | null; exitSignal: NodeJS.Signals | null }>(
    (resolve) => child.once('exit', (exitCode, by) => resolve({ code: exitCode, exitSignal: by })),
  )
  clearTimeout(killer)
  signal.removeEventListener('abort', onAbort)
  // What it left running in its group, and what it let go of with its environment.
  killGroup(child)
  if (!sandboxed && isCallGroup(launch.user)) {
    await endGroup(launch.user.gid)
    await forgetSharedMemory(launch.user.gid)
  } else if (!sandboxed) await endStrays(callId, startedAt, processTableOf(uidOf(launch.user)))
  await drained(child, closed)
  if (!joined) return { kind: 'not_started', message: 'The group that counts its memory did not take the program.' }
  if (status !== undefined && !status().ran)
    return { kind: 'not_started', message: `The sandbox could not be set up: ${firstLine(stderr.bytes())}` }
  return { kind: 'ended', code, signal: exitSignal, stdout: stdout.bytes(), stderr: stderr.bytes(), stopped }
}

const firstLine = (bytes: Buffer) => bytes.toString('utf8').split('\n')[0]?.slice(0, 200) ?? ''

function collect(stream: Readable | null, limit: number, over: () => void): { bytes(): Buffer } {
  const chunks: Buffer[] = []
  let length = 0
  stream?.on('data', (chunk: Buffer) => {
    const room = limit - length
    length += chunk.length
    if (room > 0) chunks.push(chunk.length > room ? chunk.subarray(0, room) : chunk)
    if (length > limit) over()
  })
  stream?.on('error', () => undefined)
  return { bytes: () => Buffer.concat(chunks) }
}

function write(stream: Writable | null, given: string | Buffer | undefined): void {
  if (stream === null || given === undefined) return
  // A program need not read all that it is given.
  stream.on('error', () => undefined)
  stream.end(given)
}

const sandboxOptions = (gate: number | undefined): readonly string[] => [
  ...['--json-status-fd', String(statusAt), '--seccomp', String(filterAt)],
  ...(gate === undefined ? [] : ['--block-fd', String(gate)]),
]

interface SandboxStatus {
  /** The first process inside, by its number out here. */
  readonly init: number | undefined
  readonly ran: boolean
}

/** bubblewrap tells the number of its first process, and the exit code only where the program was really executed. */
function statusOf(child: ChildProcess, onInit: (pid: number) => void): () => SandboxStatus {
  const stream = (child.stdio[statusAt] ?? null) as Readable | null
  const status = collect(stream, 16_384, () => undefined)
  const initIn = (text: string) => /"child-pid": ([0-9]+)/.exec(text)?.[1]
  stream?.on('data', function look() {
    const init = initIn(status.bytes().toString('utf8'))
    if (init === undefined) return
    stream.off('data', look)
    onInit(Number(init))
  })
  return () => {
    const text = status.bytes().toString('utf8')
    const init = initIn(text)
    // One that a signal has ended, ours or another's, tells no code, however far the program inside has come.
    const ended = child.killed || child.signalCode !== null
    return { init: init === undefined ? undefined : Number(init), ran: ended || /"exit-code"/.test(text) }
  }
}

/** Inside a sandbox the signal goes to the program itself: bubblewrap would take it down at once. */
function askToEnd(child: ChildProcess, status: SandboxStatus | undefined): void {
  if (status === undefined) signalGroup(child, 'SIGTERM')
  for (const pid of status?.init === undefined ? [] : childrenOf(status.init)) {
    try {
      process.kill(pid, 'SIGTERM')
    } catch {
      // Gone already.
    }
  }
}

function childrenOf(pid: number): readonly number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number)
  } catch {
    return []
  }
}

const killGroup = (child: ChildProcess) => {
  child.kill('SIGKILL')
  signalGroup(child, 'SIGKILL')
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, signal)
  } catch {
    // The group is empty.
  }
}

async function drained(child: ChildProcess, closed: Promise<void>): Promise<void> {
  const timer = setTimeout(() => {
    for (const stream of child.stdio) stream?.destroy()
  }, drainMs)
  await closed
  clearTimeout(timer)
}
