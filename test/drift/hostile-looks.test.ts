// The server of the document of a pinned operation chooses what is seen, and when: none of it lets a changed operation through, and none
// of it keeps other tools from their work.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { lookAt } from '../../src/drift/pins/look-at.ts'
import { readPublished } from '../../src/drift/pins/read-published.ts'
import { defineTool, type Ledger, openProviso, type Proviso, type ToolSource } from '../../src/index.ts'
import type { JsonObject } from '../../src/json/value.ts'
import { memory } from '../../src/ledger/index.ts'
import { http } from '../../src/public/executors.ts'
import { manualClock } from '../../src/public/testing.ts'
import { answerJson, type LocalServer, localServer } from '../execute/local-server.ts'
import { people, pinKeyOf } from '../people.ts'
import { billingTool, document } from './billing-api.ts'

const url = 'https://billing.example.com/openapi.json'
const moved = document({ shared: { in: 'header' } })
const movedAgain = document({ shared: { in: 'cookie' } })

let web: LocalServer
let folder = ''
let open: Proviso[] = []
const clock = manualClock()
beforeAll(async () => {
  web = await localServer(answerJson({ ok: true }))
  folder = await mkdtemp(join(tmpdir(), 'proviso-hostile-looks-'))
})
afterAll(async () => {
  await web[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})
afterEach(async () => {
  for (const proviso of open.splice(0)) await proviso.close()
})

const shared = (): Ledger => ({ ...memory({ clock }), close: () => undefined })
async function start(ledger: Ledger, tools: readonly ToolSource[] = [], pins?: string): Promise<Proviso> {
  const proviso = await openProviso({
    ledger,
    identity: people,
    clock,
    tools: [billingTool('refund', web.port), billingTool('charges', web.port), ...tools],
    ...(pins === undefined ? {} : { pins }),
    sweepMs: 3_600_000,
    onFault: () => undefined,
  })
  open = [...open, proviso]
  return proviso
}
let calls = 0
const call = async (proviso: Proviso, tool: string) => {
  const run = `run-${++calls}`
  const answer = await proviso.call({ tool, arguments: {}, callId: run }, { tenant: 'acme', user: 'ada', run })
  const { status, result_payload: payload } = answer.observation
  return payload.errors[0]?.code ?? status.taxonomy_class
}
const approve = async (proviso: Proviso, served: unknown, more: object = { url }) =>
  proviso.drift.approve('billing', served, { credential: await pinKeyOf('ann'), ...more })
const check = (proviso: Proviso, served: unknown) => proviso.drift.check('billing', served, { url })

describe('what is served in place of the document', () => {
  it('is a list with entries of the same names that are no tools, and lets nothing go [any-change-quarantines]', async () => {
    const proviso = await start(shared())
    await approve(proviso, document())
    await check(proviso, moved)
    await check(proviso, { tools: [{ name: 'refunds_create' }, { name: 'charges_list' }] })
    expect([await call(proviso, 'refund'), await call(proviso, 'charges')]).toEqual(['blocked_tool', 'blocked_tool'])
    await check(proviso, document())
    expect([await call(proviso, 'refund'), await call(proviso, 'charges')]).toEqual(['SUCCESS', 'SUCCESS'])
  })

  it('has one path that cannot be read, whose operations are held alone [one-bad-tool-hides-no-other]', async () => {
    const proviso = await start(shared())
    await approve(proviso, document())
    const broken = JSON.parse(JSON.stringify(document()).replace('"operationId":"refunds.create"', '"__proto__":{}'))
    await check(proviso, broken)
    expect([await call(proviso, 'refund'), await call(proviso, 'charges')]).toEqual(['blocked_tool', 'SUCCESS'])
  })

  it('was approved as a list of tools, and so says nothing of a request [pins-let-through-what-was-approved]', async () => {
    const proviso = await start(shared())
    await approve(proviso, { tools: [{ name: 'refunds_create', inputSchema: { type: 'object' } }] }, {})
    expect(await call(proviso, 'refund')).toBe('blocked_tool')
  })
})

describe('an approval', () => {
  it('of what was looked at before another look found something else is refused [quarantine-is-kept]', async () => {
    const ledger = shared()
    const [one, other] = [await start(ledger), await start(ledger)]
    await approve(one, document())
    await check(one, moved)
    await check(other, movedAgain)
    await expect(approve(one, moved)).rejects.toMatchObject({ code: 'packet_changed' })
    await expect(approve(one, document())).rejects.toMatchObject({ code: 'packet_changed' })
    expect(await call(other, 'refund')).toBe('blocked_tool')
    // The one in which no look found a change may be approved meanwhile, and so may what was found last.
    await approve(one, moved, { url, tools: ['charges_list'] })
    expect(await call(other, 'refund')).toBe('blocked_tool')
    await approve(one, movedAgain)
    expect(await call(one, 'refund')).toBe('SUCCESS')
  })

  it('keeps where the document was fetched, and no password, so that later looks read it alike', async () => {
    const proviso = await start(shared())
    const pin = await approve(proviso, document(), { url: url.replace('://', '://ann:secret@') })
    expect(pin.place).toEqual({ kind: 'document', url })
    expect((await check(proviso, document())).drifts).toEqual([])
    expect((await proviso.drift.check('billing', document())).drifts).toEqual([])
  })
})

describe('a look', () => {
  it('that began before another one ended does not let go what that one found [quarantine-is-kept]', async () => {
    const ledger = shared()
    const proviso = await start(ledger)
    await approve(proviso, document())
    const key = { source: 'billing', capabilities: {} }
    const served = (what: JsonObject) => {
      const reading = readPublished(what, url)
      if (!reading.ok) throw new Error(reading.message)
      return reading.source
    }
    const before = await ledger.pins.get(key)
    await lookAt(ledger.pins, key, served(moved), before)
    const late = await lookAt(ledger.pins, key, served(document()), before)
    expect(late.pin?.drifted?.map(({ name }) => name)).toEqual(['refunds_create'])
    // One that begins after both has the last word.
    const last = await lookAt(ledger.pins, key, served(document()), late.pin)
    expect(last.pin?.drifted).toBeUndefined()
  })
})

describe('what is pinned', () => {
  it('is also held where it only reads back what another tool did', async () => {
    const origin = `http://127.0.0.1:${web.port}`
    const paid = defineTool({
      name: 'pay',
      description: 'Pays.',
      effect: 'LOW_RISK_INTERNAL',
      input: { type: 'object', properties: {}, additionalProperties: false },
      trusted: true,
      egress: 'allowlisted_domains',
      egressDomains: ['127.0.0.1'],
      connections: { loopback: true, ports: [web.port] },
      execute: () => ({}),
      verify: {
        target: {},
        expect: [{ path: '/ok', is: 'equals', value: true }],
        read: http({ method: 'GET', url: `${origin}/v1/read`, pin: { source: 'billing', operation: 'charges_list' } }),
      },
    })
    const proviso = await openProviso({ identity: people, clock, tools: [paid], onFault: () => undefined })
    open = [...open, proviso]
    const verified = async () => {
      const before = web.seen.length
      const run = `run-${++calls}`
      const answer = await proviso.call(
        { tool: 'pay', arguments: {}, callId: run },
        { tenant: 'acme', user: 'ada', run },
      )
      const record = await proviso.calls.get(answer.observation.tool_identity.call_id)
      return [record?.verification?.state === 'VERIFIED', web.seen.length - before]
    }
    expect(await verified()).toEqual([false, 0])
    await approve(proviso, document())
    expect(await verified()).toEqual([true, 1])
    await check(proviso, document({ list: { summary: 'Charges' } }))
    expect(await verified()).toEqual([false, 0])
  })

  it('keeps no other tool from its work where pins cannot be read [one-bad-tool-hides-no-other]', async () => {
    const file = join(folder, 'proviso.pins.json')
    const free = defineTool({ name: 'free', description: 'Free.', effect: 'READ_ONLY', input: {}, execute: () => ({}) })
    const proviso = await start(shared(), [free], file)
    expect(await call(proviso, 'refund')).toBe('blocked_tool')
    await writeFile(file, '<<<<<<< ours')
    clock.advance(5_000)
    expect([await call(proviso, 'free'), await call(proviso, 'refund')]).toEqual(['SUCCESS', 'blocked_tool'])
    await expect(start(shared(), [], file)).rejects.toMatchObject({ code: 'bad_options' })
  })

  it('goes by what was asked for at most five seconds ago, however long the answer took', async () => {
    const ledger = memory({ clock })
    let slow = false
    const pins = {
      ...ledger.pins,
      async get(key: Parameters<typeof ledger.pins.get>[0]) {
        const pin = await ledger.pins.get(key)
        // Within the time of the tool, and far beyond those five seconds.
        if (slow) clock.advance(20_000)
        return pin
      },
    }
    const proviso = await openProviso({
      ledger: { ...ledger, pins },
      identity: people,
      clock,
      tools: [billingTool('charges', web.port)],
    })
    open = [...open, proviso]
    await approve(proviso, document())
    slow = true
    clock.advance(5_000)
    expect(await call(proviso, 'charges')).toBe('SUCCESS')
    slow = false
    const reading = readPublished(document({ list: { summary: 'Charges' } }), url)
    if (reading.ok) await lookAt(ledger.pins, { source: 'billing', capabilities: {} }, reading.source)
    expect(await call(proviso, 'charges')).toBe('blocked_tool')
  })
})
