// The process that sleeps, as its owner sees it: called, seen to be stopped, continued, and asked what it did.
import { readFileSync } from 'node:fs'
import { median } from '../durable/round.ts'
import type { CallOrder, Told } from '../faults/host.ts'
import { type Process, startProcess } from '../governance/processes.ts'
import type { PauseKind, Places, Timing } from './kinds.ts'
import type { Command, Moment, Reply, Trace } from './paused-process.ts'
import type { Plant } from './watched-executor.ts'

/** How long this process takes for one kind, in milliseconds. */
export interface Usual {
  readonly executorMs: number
  readonly callMs: number
  /** From the last look to the end of the executor; undefined where it never looks. */
  readonly lookToEndMs: number | undefined
}

export interface Sleeper {
  readonly usual: Map<PauseKind, Usual>
  readonly isStopped: boolean
  call(call: CallOrder, moment?: Moment): Promise<Told>
  look(): Promise<Trace>
  wake(): void
  kill(): Promise<void>
}

export async function startSleeper(places: Places, timing: Timing, planted: Plant | undefined): Promise<Sleeper> {
  const child: Process<Command, Reply> = startProcess(new URL('./paused-process.ts', import.meta.url))
  const gone = child.gone.then((): never => {
    throw new Error('The process that was to sleep is gone.')
  })
  gone.catch(() => undefined)
  const ask = <K extends Reply['kind']>(command: Command, kind: K) => {
    child.order(command)
    return Promise.race([child.next(kind), gone])
  }
  await ask({ kind: 'open', places, timing, planted }, 'opened')
  return {
    usual: new Map(),
    get isStopped() {
      return isStopped(child.pid)
    },
    call: async (call, moment) => (await ask({ kind: 'call', call, moment }, 'told')).told,
    look: async () => (await ask({ kind: 'look' }, 'looked')).trace,
    wake: () => child.signal('SIGCONT'),
    kill: () => child.kill(),
  }
}

export function usualOf(traces: readonly Trace[]): Usual {
  const of = (pick: (trace: Trace) => number | undefined) =>
    traces.flatMap((trace) => {
      const value = pick(trace)
      return value === undefined ? [] : [value]
    })
  const lookToEnd = of(({ looks, endedAt = 0 }) => (looks.length === 0 ? undefined : endedAt - (looks.at(-1) ?? 0)))
  return {
    executorMs: median(of(({ beganAt = 0, endedAt = 0 }) => endedAt - beganAt)),
    callMs: median(of(({ calledAt, answeredAt }) => answeredAt - calledAt)),
    lookToEndMs: lookToEnd.length === 0 ? undefined : median(lookToEnd),
  }
}

/** By what the kernel says of it: T is stopped. */
function isStopped(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    return stat.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3) === 'T'
  } catch {
    return false
  }
}
