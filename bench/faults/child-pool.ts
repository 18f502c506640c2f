// Children that have already loaded everything, so that a run costs a connection and not a start. One that was killed is replaced
// while others work; one that survived its run is used again.
import { type ChildProcess, fork } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SagaState } from '../../src/index.ts'
import type { Command, Reply } from './child.ts'
import type { CallOrder, HostOptions, SagaOrder, Told } from './host.ts'
import type { Deed } from './trip-wire.ts'
import { until } from './until.ts'

/** What is asked of a child that dies meanwhile. */
export type OrGone<T> = T | 'gone'

export interface Child {
  readonly pid: number
  readonly alive: boolean
  open(options: HostOptions): Promise<void>
  arm(label?: string, deed?: Deed): Promise<void>
  call(order: CallOrder): Promise<OrGone<Told>>
  saga(order: SagaOrder): Promise<OrGone<SagaState>>
  recover(): Promise<OrGone<readonly string[]>>
  points(): Promise<{ readonly points: readonly string[]; readonly tripped: boolean }>
  /** The same of one that may be about to die. */
  seen(): Promise<OrGone<{ readonly points: readonly string[]; readonly tripped: boolean }>>
  signal(name: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): void
  /** Whether it ends within this time. */
  ends(withinMs: number): Promise<boolean>
}

export interface ChildPool {
  /** A child that has these options open, or a new one that opens them. */
  take(options: HostOptions): Promise<Child>
  giveBack(child: Child, options: HostOptions): void
  end(): void
}

export function createChildPool(spare: number): ChildPool {
  const cache = mkdtempSync(join(tmpdir(), 'proviso-children-'))
  const all = new Set<ChildProcess>()
  let ended = false
  const start = () => startChild(cache, all)
  const first = start()
  // The others find compiled what the first one has loaded.
  const waiting = [first, ...Array.from({ length: spare - 1 }, () => first.then(start))]
  const opened = new Map<string, Child[]>()

  return {
    async take(options) {
      const reused = opened.get(JSON.stringify(options))?.pop()
      if (reused?.alive === true) return reused
      const child = await (waiting.shift() ?? start())
      if (!ended) waiting.push(start())
      await child.open(options)
      return child
    },
    giveBack(child, options) {
      const key = JSON.stringify(options)
      if (child.alive) opened.set(key, [...(opened.get(key) ?? []), child])
    },
    end() {
      ended = true
      for (const process of all) process.kill('SIGKILL')
      rmSync(cache, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

async function startChild(cache: string, all: Set<ChildProcess>): Promise<Child> {
  const forked = fork(new URL('./child.ts', import.meta.url), {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    execArgv: [
      '--disable-warning=ExperimentalWarning',
      '--import',
      new URL('./direct-imports.ts', import.meta.url).href,
    ],
    env: { ...process.env, NODE_COMPILE_CACHE: cache },
  })
  all.add(forked)
  const asked = new Map<number, (reply: OrGone<Reply>) => void>()
  let number = 0
  let alive = true
  forked.on('exit', () => {
    alive = false
    all.delete(forked)
    for (const answer of asked.values()) answer('gone')
    asked.clear()
  })
  forked.on('error', () => undefined)
  forked.on('message', (message) => {
    const { number: of, reply } = message as { number: number; reply: Reply }
    asked.get(of)?.(reply)
    asked.delete(of)
  })
  const ready = new Promise<OrGone<Reply>>((resolve) => asked.set(0, resolve))

  const ask = (command: Command): Promise<OrGone<Reply>> =>
    new Promise((resolve) => {
      if (!alive) return resolve('gone')
      const of = ++number
      asked.set(of, resolve)
      forked.send({ number: of, command }, (error) => {
        if (error !== null && asked.delete(of)) resolve('gone')
      })
    })

  const expect = async (command: Command): Promise<Reply> => {
    const reply = await ask(command)
    if (reply === 'gone') throw new Error(`The child was gone before ${command.kind}.`)
    return failing(reply)
  }

  await ready
  return {
    pid: forked.pid ?? 0,
    get alive() {
      return alive
    },
    open: async (options) => void (await expect({ kind: 'open', options })),
    arm: async (label, deed = 'kill') => void (await expect({ kind: 'arm', label, deed })),
    async call(call) {
      const reply = await ask({ kind: 'call', call })
      return reply === 'gone' ? reply : pick(failing(reply), 'told').told
    },
    async saga(saga) {
      const reply = await ask({ kind: 'saga', saga })
      return reply === 'gone' ? reply : pick(failing(reply), 'driven').state
    },
    async recover() {
      const reply = await ask({ kind: 'recover' })
      return reply === 'gone' ? reply : pick(failing(reply), 'recovered').outcomes
    },
    points: async () => pick(await expect({ kind: 'points' }), 'points'),
    async seen() {
      const reply = await ask({ kind: 'points' })
      return reply === 'gone' ? reply : pick(failing(reply), 'points')
    },
    signal: (name) => void forked.kill(name),
    ends: (withinMs) => until(async () => !alive, withinMs),
  }
}

function failing(reply: Reply): Reply {
  if (reply.kind === 'failed') throw new Error(`A child failed: ${reply.message}`)
  return reply
}

function pick<K extends Reply['kind']>(reply: Reply, kind: K): Extract<Reply, { kind: K }> {
  if (reply.kind !== kind) throw new Error(`A child answered ${reply.kind} where ${kind} was asked.`)
  return reply as Extract<Reply, { kind: K }>
}
