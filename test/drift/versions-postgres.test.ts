// Two processes on one Postgres: what one decides holds in the other, and a run gets the same version in both.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { openProviso, type Proviso } from '../../src/index.ts'
import { postgres } from '../../src/ledger/postgres/postgres.ts'
import { type Databases, startDatabases } from '../ledger/databases.ts'
import { approveAs, people } from '../people.ts'
import { nullable } from '../surface/nullable-versions.ts'
import { ann, inRun, trial, versionOf } from './version-trial.ts'

let databases: Databases
let child: ChildProcess
let proviso: Proviso
let tell: (line: string) => Promise<string>

beforeAll(async () => {
  databases = await startDatabases()
  const url = await databases.fresh()
  const { version } = trial()
  proviso = await openProviso({
    ledger: await postgres(url, { connections: 2 }),
    tools: [version('1.0.0'), version('1.1.0'), version('2.0.0')],
    versions: { order: { current: '1.0.0', canary: { version: '2.0.0', share: 0.5 } } },
    sweepMs: 3_600_000,
  })
  const script = new URL('versioned-process.ts', import.meta.url).pathname
  child = spawn(process.execPath, [script, url], { stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface({ input: child.stdout ?? process.stdin })
  tell = async (line) => {
    const answer = once(lines, 'line')
    child.stdin?.write(`${line}\n`)
    return String((await answer)[0])
  }
  await once(lines, 'line')
}, 120_000)

afterAll(async () => {
  const ended = once(child, 'exit')
  child.stdin?.end()
  await ended
  await proviso.close()
  await databases.end()
})

const settled = { timeout: 30_000, interval: 100 }

it('gives a run the same version in every process, and keeps it [canary-by-run]', async () => {
  const runs = Array.from({ length: 20 }, (_, index) => `run-${index}`)
  const begun = new Map<string, string>()
  for (const [index, run] of runs.entries())
    begun.set(run, index % 2 === 0 ? await versionOf(proviso, inRun(run)) : await tell(`call ${run}`))
  expect(new Set(begun.values())).toEqual(new Set(['1.0.0', '2.0.0']))
  for (const run of runs) {
    expect(await versionOf(proviso, inRun(run))).toBe(begun.get(run))
    expect(await tell(`call ${run}`)).toBe(begun.get(run))
  }
  const old = runs.find((run) => begun.get(run) === '1.0.0') ?? ''
  expect(await tell('promote 1.1.0')).toBe('1.1.0')
  // The other process has it within a second; every new run then begins with it, or with the canary.
  let count = 0
  await vi.waitFor(async () => expect(await versionOf(proviso, inRun(`new-${++count}`))).toBe('1.1.0'), settled)
  expect(await versionOf(proviso, inRun(old))).toBe('1.0.0')
  expect(await tell(`call ${old}`)).toBe('1.0.0')

  // A rollback ends the canary first, here as there.
  const tried = runs.find((run) => begun.get(run) === '2.0.0') ?? ''
  await proviso.versions.rollback('order', ann)
  await vi.waitFor(async () => expect(await tell(`call ${tried}`)).toBe('1.1.0'), settled)
  expect(await versionOf(proviso, inRun(tried))).toBe('1.1.0')
  expect(await tell('rollback')).toBe('1.0.0')
  await vi.waitFor(async () => expect(await versionOf(proviso, inRun(`newer-${++count}`))).toBe('1.0.0'), settled)
  expect(await proviso.versions.history('order')).toMatchObject([
    { seq: 1, by: 'ann', change: { kind: 'promote', version: '1.1.0', from: '1.0.0' } },
    { seq: 2, change: { kind: 'rollback', canary: '2.0.0' } },
    { seq: 3, change: { kind: 'rollback', canary: null } },
  ])
}, 120_000)

it('writes every decision of many at once, one after another [versions-are-decided]', async () => {
  const before = (await proviso.versions.history()).length
  const shares = [0.1, 0.2, 0.3, 0.4, 0.5]
  await Promise.all(shares.map((share) => proviso.versions.canary('order', { version: '1.1.0', share }, ann)))
  const after = await proviso.versions.history()
  expect(after.length - before).toBe(shares.length)
  expect(after.map(({ seq }) => seq)).toEqual(after.map((_, index) => index + 1))
})

it('runs a call that waited as the version that people were shown, though the current one reads null otherwise [waiting-call-keeps-its-version]', async () => {
  const { ran, tools, proposal } = nullable('MEDIUM_RISK_WRITE')
  const ledger = await postgres(await databases.fresh(), { connections: 2 })
  const other = await openProviso({ ledger, tools, identity: people, versions: { order: { current: '1.0.0' } } })
  try {
    await other.versions.promote('order', '2.0.0', ann)
    const asked = await other.call(proposal, inRun('run-1', { dialect: 'openai', resumeOnDecision: true }))
    await other.versions.rollback('order', ann)
    await approveAs(other, asked.approval?.id ?? '', 'boss')
    await vi.waitFor(() => expect(ran).toEqual([['2.0.0', { id: 'o-1' }]]), settled)
    expect(await other.calls.list({ tool: 'order' })).toHaveLength(1)
  } finally {
    await other.close()
  }
}, 120_000)

it('compares two versions from the calls in the database, a page at a time [versions-compared]', async () => {
  const { versions } = await proviso.versions.compare('order', '1.0.0', '2.0.0')
  const { looked } = await proviso.versions.compare('order', '1.1.0', '2.0.0')
  expect(versions.every(({ calls, statuses }) => calls > 0 && statuses.SUCCESS === calls)).toBe(true)
  const all = await proviso.calls.list({ tool: 'order', limit: 10_000 })
  expect(looked).toBe(all.length)
  const page = await proviso.calls.list({ tool: 'order', limit: 3 })
  const next = await proviso.calls.list({ tool: 'order', limit: 3, before: page.at(-1)?.id ?? '' })
  expect([...page, ...next].map(({ id }) => id)).toEqual(all.slice(0, 6).map(({ id }) => id))
})
