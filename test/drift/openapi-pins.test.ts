// Tools over HTTP whose operations are pinned: a change in a document that is looked at stops exactly the tool it is about, in
// every process and after a restart, until a person approves it.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Ledger, loadContracts, openProviso, type Proviso } from '../../src/index.ts'
import type { JsonObject } from '../../src/json/value.ts'
import { memory } from '../../src/ledger/index.ts'
import { postgres } from '../../src/ledger/postgres/postgres.ts'
import { http } from '../../src/public/executors.ts'
import { manualClock } from '../../src/public/testing.ts'
import { runProviso } from '../cli/run-proviso.ts'
import { answerJson, type LocalServer, localServer } from '../execute/local-server.ts'
import { type Databases, startDatabases } from '../ledger/databases.ts'
import { people, pinKeyOf } from '../people.ts'
import { billingTool, document } from './billing-api.ts'

const url = 'https://billing.example.com/openapi.json'
/** Where a parameter travels is nothing that its schema says. */
const moved = document({ shared: { in: 'header' } })

let databases: Databases
let web: LocalServer
let open: Proviso[] = []
beforeAll(async () => {
  databases = await startDatabases()
  web = await localServer(answerJson({ ok: true }))
}, 120_000)
afterAll(async () => {
  await web[Symbol.asyncDispose]()
  await databases.end()
})
afterEach(async () => {
  for (const proviso of open.splice(0)) await proviso.close()
})

const clock = manualClock()
async function start(ledger: Ledger, pins?: string): Promise<Proviso> {
  const tools = [billingTool('refund', web.port), billingTool('charges', web.port)]
  const own = pins === undefined ? {} : { pins }
  const proviso = await openProviso({ ledger, identity: people, clock, tools, ...own, sweepMs: 3_600_000 })
  open = [...open, proviso]
  return proviso
}
let calls = 0
const call = async (proviso: Proviso, tool: string, more: object = {}) => {
  const answer = await proviso.call(
    { tool, arguments: {}, callId: `c${++calls}` },
    { tenant: 'acme', user: 'ada', run: `run-${calls}`, ...more },
  )
  const { status, result_payload: payload } = answer.observation
  return [status.taxonomy_class, payload.errors[0]?.code ?? answer.effect]
}
const refused = ['POLICY_VIOLATION', 'blocked_tool']
const done = ['SUCCESS', 'happened']
const read = ['SUCCESS', 'none']
const statuses = async (proviso: Proviso) =>
  [...(await proviso.surface({})).entries].map(([name, entry]) =>
    entry.status === 'loaded' ? name : `${name} ${entry.reason}`,
  )
const approve = async (proviso: Proviso, served: JsonObject, tools?: readonly string[]) =>
  proviso.drift.approve('billing', served, {
    credential: await pinKeyOf('ann'),
    url,
    ...(tools === undefined ? {} : { tools }),
  })
const check = (proviso: Proviso, served: JsonObject) => proviso.drift.check('billing', served, { url })
/** As long as another process may go by what it read before. */
const later = () => clock.advance(5_000)

/** Gives ledgers of one place, as processes have them. */
const engines: readonly (readonly [string, () => Promise<() => Promise<Ledger>>])[] = [
  [
    'memory',
    async () => {
      const ledger = { ...memory({ clock }), close: () => undefined }
      return async () => ledger
    },
  ],
  [
    'Postgres',
    async () => {
      const place = await databases.fresh()
      return () => postgres(place, { connections: 2 })
    },
  ],
]

describe.each(engines)('an operation that is pinned, on %s', (_engine, place) => {
  it('is sent once a person has approved it, and not before [pins-let-through-what-was-approved]', async () => {
    const proviso = await start(await (await place())())
    const before = web.seen.length
    expect(await call(proviso, 'refund')).toEqual(refused)
    await approve(proviso, document(), ['refunds_create'])
    expect([await call(proviso, 'refund'), await call(proviso, 'charges')]).toEqual([done, refused])
    expect(web.seen.length - before).toBe(1)
  })

  it('is quarantined alone by any change, also of what it only refers to [any-change-quarantines]', async () => {
    const proviso = await start(await (await place())())
    await approve(proviso, document())
    const { drifts, unchanged } = await check(proviso, moved)
    expect([drifts, unchanged]).toMatchObject([
      [{ tool: 'refunds_create', change: 'changed', findings: [{ rule: 'definition-changed' }] }],
      1,
    ])
    expect(await statuses(proviso)).toEqual(['refund quarantined', 'charges'])
    expect([await call(proviso, 'refund'), await call(proviso, 'charges')]).toEqual([refused, read])
    await check(proviso, document())
    expect(await call(proviso, 'refund')).toEqual(done)
  })

  it('stays quarantined after a restart and in every other process, until a person approves it [quarantine-is-kept]', async () => {
    const ledgerOf = await place()
    const [one, other] = [await start(await ledgerOf()), await start(await ledgerOf())]
    await approve(one, document())
    later()
    expect(await call(other, 'refund')).toEqual(done)
    await check(one, moved)
    later()
    expect([await call(other, 'refund'), await call(other, 'charges')]).toEqual([refused, read])
    expect(await statuses(other)).toEqual(['refund quarantined', 'charges'])
    const restarted = await start(await ledgerOf())
    expect(await statuses(restarted)).toEqual(['refund quarantined', 'charges'])
    expect(await call(restarted, 'refund')).toEqual(refused)

    // Of all that is served, or of this one tool; the others are none of its business.
    await approve(other, moved, ['charges_list'])
    later()
    expect(await call(one, 'refund')).toEqual(refused)
    await approve(other, moved, ['refunds_create'])
    expect(await call(other, 'refund')).toEqual(done)
    later()
    expect([await call(one, 'refund'), await call(restarted, 'refund')]).toEqual([done, done])
    expect((await check(one, moved)).drifts).toEqual([])
  })

  it('is let go everywhere once a look finds it to be as it was approved [quarantine-is-kept]', async () => {
    const ledgerOf = await place()
    const [one, other] = [await start(await ledgerOf()), await start(await ledgerOf())]
    await approve(one, document())
    await check(one, moved)
    later()
    expect(await call(other, 'refund')).toEqual(refused)
    await check(other, document())
    expect(await call(other, 'refund')).toEqual(done)
    later()
    expect(await call(one, 'refund')).toEqual(done)
  })

  it('is refused where it is gone from the document', async () => {
    const proviso = await start(await (await place())())
    await approve(proviso, document())
    const { paths, ...rest } = document()
    const { '/refunds': _gone, ...left } = paths as JsonObject
    await check(proviso, { ...rest, paths: left })
    expect([await call(proviso, 'refund'), await call(proviso, 'charges')]).toEqual([refused, read])
  })

  it('is refused on a surface that was taken before, too', async () => {
    const ledgerOf = await place()
    const [one, other] = [await start(await ledgerOf()), await start(await ledgerOf())]
    await approve(one, document())
    later()
    const surface = await other.surface({ tenant: 'acme', user: 'ada' })
    expect(await call(other, 'refund', { surface })).toEqual(done)
    await check(one, moved)
    later()
    expect(await call(other, 'refund', { surface })).toEqual(refused)
  })

  it('loses no approval and no finding where many look at once', async () => {
    const ledgerOf = await place()
    const [one, other] = [await start(await ledgerOf()), await start(await ledgerOf())]
    await approve(one, document())
    const changed = document({ shared: { in: 'header' }, list: { summary: 'Charges' } })
    await Promise.all([check(one, changed), check(other, changed), check(one, changed), check(other, changed)])
    const [pin] = await other.drift.pins()
    expect(pin?.drifted?.map(({ name }) => name)).toEqual(['charges_list', 'refunds_create'])
    expect(pin?.tools.map(({ approvedBy }) => approvedBy)).toEqual(['ann', 'ann'])
  })
})

describe('an operation that is pinned', () => {
  let folder = ''
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'proviso-openapi-pins-'))
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  it('is declared in a tool file as in code', async () => {
    const { contract } = billingTool('charges', web.port)
    const executor = {
      kind: 'http',
      method: 'GET',
      url: `http://127.0.0.1:${web.port}/v1/charges`,
      pin: { source: 'billing', operation: 'charges_list' },
    }
    const connections = { loopback: true, ports: [web.port] }
    const path = join(folder, 'charges.tool.json')
    const write = (change: object) => {
      const binding = { executor: { ...executor, ...change }, egress_domains: ['127.0.0.1'], connections }
      return writeFile(path, JSON.stringify({ contract, binding }))
    }
    await write({})
    const proviso = await openProviso({ identity: people, tools: await loadContracts(path) })
    open = [...open, proviso]
    expect(await call(proviso, 'charges')).toEqual(refused)
    await approve(proviso, document())
    expect(await call(proviso, 'charges')).toEqual(read)
    await write({ pin: { source: 'billing' } })
    await expect(loadContracts(path)).rejects.toThrow()
    await write({ pin: { source: 'billing', operation: 'charges.list' } })
    await expect(loadContracts(path)).rejects.toThrow()
  })

  it('is named as the document’s operations are listed, or refused at once', () => {
    const made = (pin: { source: string; operation: string }) => () =>
      http({ method: 'GET', url: 'https://api.example.com/', pin })
    expect(made({ source: '', operation: 'a' })).toThrow('pin.source')
    expect(made({ source: 'billing', operation: 'charges.list' })).toThrow('pin.operation')
    expect(made({ source: 'billing', operation: 'charges_list' })().upstream).toEqual({
      source: 'billing',
      tool: 'charges_list',
    })
  })

  it('is not written to a file that people review, and held in the process that looked', async () => {
    const file = join(folder, 'proviso.pins.json')
    const proviso = await start(memory({ clock }), file)
    await approve(proviso, document())
    const approved = await readFile(file, 'utf8')
    await check(proviso, moved)
    expect(await call(proviso, 'refund')).toEqual(refused)
    later()
    expect([await call(proviso, 'refund'), await readFile(file, 'utf8')]).toEqual([refused, approved])
    // A person approves a later one than that which was looked at.
    const latest = document({ shared: { in: 'header', description: 'Why.' } })
    const other = await start(memory({ clock }), file)
    await approve(other, latest)
    later()
    expect(await call(proviso, 'refund')).toEqual(done)
  })

  it('has the same name and hash on the command line, whose look holds it in every process [quarantine-is-kept]', async () => {
    const place = await databases.fresh()
    let served = document()
    await using docs = await localServer((_, response) => void response.writeHead(200).end(JSON.stringify(served)))
    const cli = async (...line: readonly string[]) => {
      const { code, out, err } = await runProviso([...line, '--json'], { cwd: folder, env: { PROVISO_LEDGER: place } })
      return { code, json: () => JSON.parse(out), err }
    }
    const { key } = (await cli('keys', 'create', '--user', 'ann', '--installation-role', 'operator')).json()
    const drift = (...line: readonly string[]) => cli('drift', ...line, '--ledger', place)
    const at = `${docs.origin}/openapi.json`
    await writeFile(join(folder, 'key'), key, { mode: 0o600 })
    const pinned = await drift('pin', 'billing', '--at', at, '--approve', '--key-file', 'key')
    expect([pinned.code, pinned.err]).toEqual([0, ''])

    const proviso = await start(await postgres(place, { connections: 2 }))
    expect(await call(proviso, 'refund')).toEqual(done)
    // Without being told where it is served: the pin knows.
    expect((await proviso.drift.check('billing', served)).drifts).toEqual([])
    served = moved
    expect((await drift('check')).code).toBe(1)
    later()
    expect([await call(proviso, 'refund'), await call(proviso, 'charges')]).toEqual([refused, read])
    const { sources } = (await drift('check')).json()
    const hash = sources[0].served_hash
    expect((await proviso.drift.check('billing', served)).servedHash).toBe(hash)
    expect((await drift('approve', 'billing', '--served', hash, '--key-file', 'key')).code).toBe(0)
    later()
    expect(await call(proviso, 'refund')).toEqual(done)
  }, 60_000)
})
