// Kills a process at every point of its saga, lets others go on with it, among them one that knows only a changed definition, and judges
// from outside: nothing twice, nothing undone that was not asked for, everything ended or asked.
import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import type { SagaView } from '../../src/index.ts'
import { startEmbedded } from '../../src/ledger/embedded/start-embedded.ts'
import { postgres } from '../../src/ledger/postgres/postgres.ts'
import { decide, isOver, openSagaHost, viewsOf } from './host.ts'
import { type Course, doneIn } from './plan.ts'

export interface Kill {
  readonly course: Course
  /** Whether the first process to look at it knows only the changed definition. */
  readonly changed: boolean
  /** Counted from 1; 0 kills nothing. */
  readonly at: number
}

export interface KillOutcome extends Kill {
  readonly point: string
  readonly state: string
  readonly asked: number
  readonly done: readonly string[]
  readonly problems: readonly string[]
}

export interface KillTrial {
  points(course: Course): Promise<readonly string[]>
  run(kill: Kill): Promise<KillOutcome>
  end(): Promise<void>
}

export async function openKillTrial(): Promise<KillTrial> {
  const dir = await mkdtemp(join(tmpdir(), 'proviso-sagas-'))
  const server = await startEmbedded({ dir: join(dir, 'server'), settings: { fsync: 'off' } })
  const urlOf = (name: string) => server.url.replace(/\/proviso(?=$|\?)/, `/${name}`)
  // One at a time: a database that is being copied takes no second copy.
  const admin = new pg.Pool({ connectionString: server.url, max: 1 })
  await admin.query('create database trial')
  await (await postgres(urlOf('trial'))).close()
  let count = 0
  const place = async () => {
    const name = `kill_${++count}`
    await admin.query(`create database ${name} template trial`)
    const folder = join(dir, name)
    await mkdir(folder)
    return { url: urlOf(name), folder }
  }
  const known = new Map<Course, Promise<readonly string[]>>()
  const pointsOf = async (course: Course): Promise<readonly string[]> => {
    const at = await place()
    const first = await runChild({ ...at, course, knows: 'first', killAt: 0 })
    return first ?? []
  }
  const points = (course: Course) => {
    const found = known.get(course) ?? pointsOf(course)
    known.set(course, found)
    return found
  }
  return {
    points,
    async run(kill) {
      const at = await place()
      const point = (await points(kill.course))[kill.at - 1] ?? 'none'
      await runChild({ ...at, course: kill.course, knows: 'first', killAt: kill.at })
      return finish(kill, point, at)
    },
    async end() {
      await admin.end()
      await server.release()
      await rm(dir, { recursive: true, force: true })
    },
  }
}

/** The points that it passed; undefined where it was killed. */
function runChild(order: object): Promise<readonly string[] | undefined> {
  const child = spawn(
    process.execPath,
    [fileURLToPath(new URL('./child.ts', import.meta.url)), JSON.stringify(order)],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  let text = ''
  child.stdout.on('data', (chunk) => {
    text += chunk
  })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) =>
      signal === 'SIGKILL'
        ? resolve(undefined)
        : code === 0
          ? resolve(JSON.parse(text) as readonly string[])
          : reject(new Error(`The process ended with ${code}.`)),
    )
  })
}

interface Place {
  readonly url: string
  readonly folder: string
}

const patienceMs = 60_000

async function finish(kill: Kill, point: string, at: Place): Promise<KillOutcome> {
  const { course, changed } = kill
  const problems: string[] = []
  let asked = 0
  if (changed) {
    // After a deploy: no process knows the first definition, for longer than an hour.
    const deployed = await openSagaHost({ ...at, course, knows: 'changed', aheadMs: 3_700_000 })
    const before = doneIn(at.folder)
    deployed.passMinute()
    await deployed.proviso.recover()
    const views = await viewsOf(deployed)
    for (const view of views) if (view.name === 'killed' && !isOver(view) && view.frozen !== undefined) asked++
    const own = doneIn(at.folder).slice(before.length)
    // A process that does not know a definition makes none of its calls.
    if (own.some((step) => !step.includes('inner'))) problems.push(`did ${own} by another definition`)
    await deployed.proviso.close()
  }
  const host = await openSagaHost({ ...at, course, knows: 'both', ...(changed ? { aheadMs: 7_500_000 } : {}) })
  // Asked for again, it is the same saga: begun now where it never was.
  await host.begin()
  const until = performance.now() + patienceMs
  let views = await viewsOf(host)
  while (!(views.length > 0 && views.every(isOver)) && performance.now() < until) {
    asked += await decide(host, views, at.folder)
    await host.proviso.recover()
    await sleep(50)
    views = await viewsOf(host)
  }
  const done = doneIn(at.folder)
  for (const view of views) problems.push(...judge(view, done))
  if (views.length === 0) problems.push('there is no saga')
  const twice = done.filter((step, index) => done.indexOf(step) !== index)
  if (twice.length > 0) problems.push(`done twice: ${twice}`)
  const open = await host.proviso.escalations.list('acme')
  if (views.every(isOver) && open.length > 0)
    problems.push(`people are still asked: ${open.map(({ message }) => message)}`)
  await host.proviso.close()
  const state = views.map(({ name, state: one }) => `${name} ${one}`).join(', ')
  return { ...kill, point, state, asked, done, problems }
}

function judge({ name, state }: SagaView, done: readonly string[]): readonly string[] {
  const has = (step: string) => done.includes(step)
  const steps = name === 'inner' ? ['inner-x', 'inner-y'] : ['a', 'b', 'c', 'pivot', 'behind']
  const own = steps.filter((step) => step !== 'c' || !has('inner-x'))
  if (state === 'COMPLETED')
    return [
      ...own.filter((step) => !has(step)).map((step) => `completed without ${step}`),
      ...own.filter((step) => has(`undo-${step}`)).map((step) => `completed, and ${step} is undone`),
    ]
  if (state === 'COMPENSATED')
    return [
      ...own.filter((step) => has(step) && !has(`undo-${step}`)).map((step) => `${step} is not undone`),
      ...own.filter((step) => !has(step) && has(`undo-${step}`)).map((step) => `${step} is undone and was not done`),
      ...(has('pivot') ? ['undone behind its pivot'] : []),
    ]
  return [`${name} stays ${state}`]
}
