// The process that sleeps. It calls tools as a server does, and stops itself at the moment that it was told; another one continues it.
import { setTimeout as sleep } from 'node:timers/promises'
import { toolUrlOf } from '../../src/ledger/embedded/settings.ts'
import { postgres } from '../../src/ledger/index.ts'
import { type CallOrder, type Host, hostOf, openProvisoOn, type Told } from '../faults/host.ts'
import { makeTools, type Places, type Timing } from './kinds.ts'
import { createStopPlan, monotonicMs, type Stop } from './stop-plan.ts'
import type { Plant } from './watched-executor.ts'

/** Stops it so long after the executor began, or after the call did. */
export interface Moment {
  readonly after: 'executor' | 'call'
  readonly delayMs: number
}

export type Command =
  | { readonly kind: 'open'; readonly places: Places; readonly timing: Timing; readonly planted: Plant | undefined }
  | { readonly kind: 'call'; readonly call: CallOrder; readonly moment: Moment | undefined }
  /** Asks what it did for the last operation, once nothing of it goes on. */
  | { readonly kind: 'look' }

export type Reply =
  | { readonly kind: 'opened' }
  | { readonly kind: 'told'; readonly told: Told }
  | { readonly kind: 'looked'; readonly trace: Trace }
  | { readonly kind: 'failed'; readonly message: string }

/** What it did for one operation, in milliseconds of the machine's monotonic clock. */
export interface Trace {
  readonly calledAt: number
  readonly answeredAt: number
  readonly beganAt: number | undefined
  readonly endedAt: number | undefined
  /** When it asked whether it may still act, and was given yes. */
  readonly looks: readonly number[]
  /** How often it was given no. */
  readonly refusals: number
  readonly stop: Stop | undefined
  readonly stillRunning: boolean
}

const endsWithinMs = 20_000
const never = 2_000_000_000

const plan = createStopPlan()
let host: Host | undefined
let moment: Moment | undefined
let op = ''
let running = 0
let calledAt = 0
let answeredAt = 0
let beganAt: number | undefined
let endedAt: number | undefined
let looks: number[] = []
let refusals = 0

function forget(next: string): void {
  plan.reset()
  op = next
  beganAt = undefined
  endedAt = undefined
  looks = []
  refusals = 0
}

function arm(after: Moment['after']): void {
  if (moment?.after !== after) return
  plan.start(moment.delayMs)
  // Asking for approval first, the call is made again: it stops once.
  moment = undefined
}

const watch = {
  began() {
    running++
    beganAt = monotonicMs()
    arm('executor')
  },
  looked(may: boolean) {
    if (may) looks.push(monotonicMs())
    else refusals++
  },
  ended() {
    running--
    endedAt = monotonicMs()
  },
}

async function obey(command: Command): Promise<Reply> {
  switch (command.kind) {
    case 'open': {
      const { places, timing, planted } = command
      const { leaseMs } = timing
      const ledger = await postgres(places.url, {
        toolUrl: toolUrlOf(places.url),
        connections: 3,
        log: { sequence: false },
        ...(leaseMs && { leaseMs }),
      })
      const proviso = await openProvisoOn(ledger, {
        tools: makeTools(places, timing, { ...watch, planted }),
        sweepMs: never,
      })
      host = hostOf(proviso)
      return { kind: 'opened' }
    }
    case 'call': {
      if (host === undefined) throw new Error('Nothing is open.')
      if (command.call.order.id !== op) forget(command.call.order.id)
      moment = command.moment
      // Of several, the call in which the executor ran is told about: those before it asked for approval, and those after it found it done.
      const mayRun = beganAt === undefined
      if (mayRun) calledAt = monotonicMs()
      arm('call')
      const told = await host.call(command.call)
      if (mayRun) answeredAt = monotonicMs()
      if (plan.stop === undefined) plan.callOff()
      return { kind: 'told', told }
    }
    case 'look': {
      const until = monotonicMs() + endsWithinMs
      while (running > 0 && monotonicMs() < until) await sleep(5)
      const { stop } = plan
      const trace = { calledAt, answeredAt, beganAt, endedAt, looks, refusals, stop, stillRunning: running > 0 }
      return { kind: 'looked', trace }
    }
  }
}

process.on('message', async (command: Command) => {
  process.send?.(await obey(command).catch((error): Reply => ({ kind: 'failed', message: String(error) })))
})
// The parent is gone: nothing is left to do.
process.on('disconnect', () => process.exit(0))
