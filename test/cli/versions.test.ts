// Versions from the command line: decided by a person with a key, in force where the tools are, and compared.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { openProviso, type Proviso } from '../../src/index.ts'
import { postgres } from '../../src/ledger/postgres/postgres.ts'
import { makeRelease } from '../../src/public/drift.ts'
import { inRun, trial, versionOf } from '../drift/version-trial.ts'
import { type Databases, startDatabases } from '../ledger/databases.ts'
import { runProviso } from './run-proviso.ts'

let databases: Databases
let url = ''
let cwd = ''
let key = ''
let proviso: Proviso

const { version } = trial()
const tools = [version('1.0.0'), version('2.0.0')]

beforeAll(async () => {
  databases = await startDatabases()
  url = await databases.fresh()
  cwd = await mkdtemp(join(tmpdir(), 'proviso-versions-'))
  const ledger = await postgres(url, { connections: 2 })
  proviso = await openProviso({ ledger, tools, versions: { order: { current: '1.0.0' } }, sweepMs: 3_600_000 })
  for (let count = 0; count < 3; count++) await versionOf(proviso, inRun('first'))
  await proviso.call({ tool: 'order', arguments: { id: 1 } }, inRun('first'))
  const made = await run(
    'keys',
    'create',
    '--user',
    'bea',
    '--tenant',
    'acme',
    '--installation-role',
    'operator',
    '--json',
  )
  key = JSON.parse(made.out).key
}, 60_000)

afterAll(async () => {
  await proviso.close()
  await databases.end()
  await rm(cwd, { recursive: true, force: true })
})

const run = (...argv: readonly string[]) => runProviso(argv, { cwd, env: { PROVISO_LEDGER: url, PROVISO_KEY: key } })

let count = 0
const begins = (expected: string) =>
  vi.waitFor(async () => expect(await versionOf(proviso, inRun(`run-${++count}`))).toBe(expected), { timeout: 30_000 })

describe('proviso versions', () => {
  it('takes no decision of a person without a role of the installation [versions-need-installation-role]', async () => {
    const before = await run('versions', 'history', '--json')
    for (const roles of [[], ['--role', 'operator', '--role', 'approver']]) {
      const made = await run('keys', 'create', '--user', 'nora', '--tenant', 'acme', ...roles, '--json')
      const own = key
      key = JSON.parse(made.out).key
      for (const words of [
        ['promote', 'order', '2.0.0'],
        ['canary', 'order', '2.0.0', '--share', '1'],
        ['canary', 'order', '--end'],
        ['rollback', 'order'],
        ['rollback', '--release'],
      ]) {
        const refused = await run('versions', ...words, '--why', 'x')
        expect([refused.code, refused.err + refused.out]).toEqual([1, expect.stringContaining('of the installation')])
      }
      key = own
    }
    expect((await run('versions', 'history', '--json')).out).toBe(before.out)
  }, 120_000)

  it('promotes, tries out and rolls back, and the process with the tools hears of it [versions-are-decided]', async () => {
    expect((await run('versions', 'rollback', 'order', '--why', 'x')).code).toBe(1)
    const promoted = await run('versions', 'promote', 'order', '2.0.0', '--why', 'no refusals', '--json')
    expect([promoted.code, JSON.parse(promoted.out)]).toMatchObject([
      0,
      { seq: 1, by: 'bea', why: 'no refusals', change: { kind: 'promote', version: '2.0.0', from: null } },
    ])
    await begins('2.0.0')
    const back = await run('versions', 'rollback', 'order', '--why', 'rounds wrong')
    expect([back.code, back.out]).toEqual([0, expect.stringContaining('order is rolled back')])
    await begins('1.0.0')
    expect(
      (await run('versions', 'canary', 'order', '2.0.0', '--share', '1', '--tenants', 'acme', '--why', 'y')).code,
    ).toBe(0)
    await begins('2.0.0')
    expect((await run('versions', 'canary', 'order', '--end', '--why', 'z')).code).toBe(0)
    const listed = JSON.parse((await run('versions', '--json')).out)
    expect(listed).toMatchObject({
      release: null,
      tools: [{ tool: 'order', current: null, canary: null, withdrawn: [] }],
    })
    const history = await run('versions', 'history', 'order')
    expect(history.out.split('\n').filter((line) => line !== '')).toHaveLength(4)
    expect(history.out).toContain('order 2.0.0 is tried out by 100 % of the runs of acme')
  }, 120_000)

  it('promotes a release from its manifest, and takes it back [release-is-whole]', async () => {
    const file = join(cwd, 'release.json')
    const release = makeRelease({ model: 'some-model', prompt: 'You handle orders.', tools: tools.slice(1) })
    await writeFile(file, JSON.stringify(release))
    expect((await run('versions', 'release', 'release.json', '--why', 'new model')).code).toBe(0)
    expect(JSON.parse((await run('versions', 'list', '--json')).out)).toMatchObject({ release: release.id })
    expect((await run('versions', 'rollback', '--release', '--why', 'back')).code).toBe(0)
    await writeFile(file, JSON.stringify({ ...release, model: 'another' }))
    const forged = await run('versions', 'release', 'release.json', '--why', 'forged')
    expect([forged.code, forged.err]).toEqual([2, expect.stringContaining('changed afterwards')])
  }, 60_000)

  it('compares two versions, as a table and as JSON [versions-compared]', async () => {
    const table = await run('versions', 'compare', 'order', '1.0.0', '2.0.0')
    expect(table.code).toBe(0)
    expect(table.out).toMatch(/refused by types +1 \(/)
    const json = JSON.parse((await run('versions', 'compare', 'order', '1.0.0', '2.0.0', '--json')).out)
    expect(json).toMatchObject({
      tool: 'order',
      cut: false,
      versions: [
        { version: '1.0.0', refusals: { types: 1 }, latency_ms: { p50: expect.any(Number) } },
        { version: '2.0.0' },
      ],
    })
    expect((await run('versions', 'compare', 'order', '1.0.0', '2.0.0', '--since', 'soon')).code).toBe(2)
  }, 60_000)

  it.each([
    [['promote', 'order', '--why', 'x'], 'Say which tool and which version'],
    [['promote', 'order', '2.0.0'], 'Say why'],
    [['canary', 'order', '2.0.0', '--share', '2', '--why', 'x'], 'which part of the runs'],
    [['canary', 'order', '2.0.0', '--share', '', '--why', 'x'], 'from 0 to 1, and "" does not'],
    [['canary', 'order', '2.0.0', '--share', ' ', '--why', 'x'], 'from 0 to 1, and " " does not'],
    [['canary', 'order', '2.0.0', '--share', '0x1', '--why', 'x'], 'from 0 to 1, and "0x1" does not'],
    [['canary', 'order', '2.0.0', '--why', 'x'], 'which part of the runs'],
    [['rollback', '--why', 'x'], 'Say which tool'],
    [['rename', 'order'], 'There is no action rename'],
  ])('ends with 2 for %j', async (words, message) => {
    const { code, err } = await run('versions', ...words)
    expect([code, err]).toEqual([2, expect.stringContaining(message)])
  })
})
