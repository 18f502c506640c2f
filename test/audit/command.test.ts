// `proviso audit` as people type it: against a real database, and without any.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import pico from 'picocolors'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { recordCalls } from '../../bench/audit/record-calls.ts'
import { main } from '../../src/cli/main.ts'
import type { Terminal } from '../../src/cli/terminal.ts'
import { postgres } from '../../src/ledger/postgres/postgres.ts'
import { type Databases, startDatabases } from '../ledger/databases.ts'
import { weeks } from './audited.ts'

let databases: Databases
let folder: string
let url: string
let ids: readonly string[]

beforeAll(async () => {
  databases = await startDatabases()
  folder = await mkdtemp(join(tmpdir(), 'proviso-audit-'))
  url = await databases.fresh()
  const ledger = await postgres(url, { connections: 2, log: { sequence: false } })
  await recordCalls(ledger, { tenant: 'acme', calls: 5, from: Date.now() - weeks(5) })
  ids = await recordCalls(ledger, { tenant: 'acme', calls: 20 })
  await ledger.close()
}, 60_000)

afterAll(async () => {
  await databases.end()
  await rm(folder, { recursive: true, force: true })
}, 60_000)

/** Runs one command in this process and gathers what it says. */
async function proviso(...words: readonly string[]) {
  const out: string[] = []
  const notes: string[] = []
  const terminal: Terminal = {
    colours: pico.createColors(false),
    folder,
    debug: false,
    ledger: undefined,
    out: (line) => void out.push(line),
    note: (line) => void notes.push(line),
    progress: () => {},
    input: async () => '',
    interruption: () => new AbortController().signal,
  }
  const code = await main(['audit', ...words], terminal)
  const text = out.join('\n')
  return { code, text, notes: notes.join('\n'), json: () => JSON.parse(text) as Record<string, unknown> }
}

const onLedger = () => ['--ledger', url, '--key-file', 'audit.key']

describe('proviso audit', () => {
  it('signs, verifies against what was kept, proves a call, and checks the proof without a ledger', async () => {
    const signed = await proviso('checkpoint', ...onLedger(), '--out', 'kept.txt', '--json')
    expect(signed.code).toBe(0)
    expect(signed.json()).toMatchObject({ checkpoints: [{ tenant: 'acme', size: 50 }], out: 'kept.txt' })

    const verified = await proviso('verify', ...onLedger(), '--checkpoint', 'kept.txt', '--json')
    expect(verified.code).toBe(0)
    expect(verified.json()).toMatchObject({
      ok: true,
      leaves: 50,
      findings: [],
      tenants: [{ tenant: 'acme', agrees_with_own: 50, agrees_with_kept: 50 }],
    })
    expect((await proviso('verify', ...onLedger())).text).toContain('No checkpoint kept elsewhere was given')

    const proof = await proviso('prove', ids[7] ?? '', ...onLedger(), '--out', 'proof.json')
    expect(proof).toMatchObject({ code: 0, text: expect.stringContaining('proves 2 groups') })
    const checked = await proviso('check', 'proof.json', '--keys', 'audit.key.pub', '--json')
    expect(checked.code).toBe(0)
    expect(checked.json()).toMatchObject({ ok: true, call_id: ids[7], groups: [{ content: 'shown' }, {}] })

    const text = await readFile(join(folder, 'proof.json'), 'utf8')
    await writeFile(join(folder, 'forged.json'), text.replace('naïve', 'naive'))
    const forged = await proviso('check', 'forged.json', '--keys', 'audit.key.pub', '--json')
    expect(forged).toMatchObject({ code: 1 })
    expect(forged.json()).toMatchObject({ ok: false, where: '/groups/0' })
  })

  it('follows from an old key to the new one, and trusts no other', async () => {
    const old = String((await proviso('rotate-key', ...onLedger(), '--json')).json().public_key)
    const next = await proviso('rotate-key', ...onLedger(), '--json')
    expect(next.json()).toMatchObject({ keys: 3 })
    await proviso('prove', ids[3] ?? '', ...onLedger(), '--out', 'later.json')
    expect((await proviso('verify', ...onLedger())).code).toBe(0)
    expect((await proviso('check', 'proof.json', '--key', old)).code).toBe(1)
    await proviso('checkpoint', ...onLedger())
    const key = String(next.json().public_key)
    expect((await proviso('verify', ...onLedger(), '--key', key, '--keys', 'audit.key.pub')).code).toBe(1)
    expect((await proviso('check', 'proof.json', '--key', 'nothing')).code).toBe(2)
  })

  it('names what was tampered with, and ends with 1', async () => {
    const client = new pg.Client(url)
    await client.connect()
    await client.query(`update proviso.facts set body = '[]' where call_id = $1`, [ids[11]])
    const found = await proviso('verify', ...onLedger())
    expect(found.code).toBe(1)
    expect(found.text).toContain(`content_edited  acme: leaf`)
    expect(found.text).toContain(`of call ${ids[11]}`)
    await client.query(`delete from proviso.facts where call_id = $1`, [ids[11]])
    const wire = (await proviso('verify', ...onLedger(), '--json')).json()
    expect(wire).toMatchObject({ ok: false, counts: { fact_deleted: 2 }, findings: [{ call_id: ids[11] }, {}] })
    await client.end()
  })

  it('retires old weeks and says so', async () => {
    const date = new Date(Date.now() - weeks(2)).toISOString().slice(0, 10)
    const retired = await proviso('retire', ...onLedger().slice(0, 2), '--before', date, '--why', 'enough')
    expect(retired).toMatchObject({ code: 0, text: expect.stringContaining('the facts of 10 groups are gone') })
    const after = (await proviso('verify', ...onLedger(), '--json')).json()
    expect(after).toMatchObject({
      retired: 10,
      counts: { fact_deleted: 2 },
      retirements: [{ dropped: 10, reason: 'enough' }],
    })
  })

  it('ends with 2 where it cannot tell', async () => {
    for (const words of [
      ['verify', '--ledger', url],
      ['verify', ...onLedger(), '--checkpoint', 'absent.txt'],
      ['prove', ...onLedger()],
      ['prove', '018f0000-0000-7000-8000-000000000001', ...onLedger()],
      ['check', 'absent.json', '--keys', 'audit.key.pub'],
      ['check', 'proof.json'],
      ['checkpoint', '--ledger', url],
      ['checkpoint', ...onLedger(), '--before', '2026-01-01'],
      ['retire', ...onLedger().slice(0, 2), '--before', 'yesterday', '--why', 'x'],
      ['rotate-key', '--ledger', url],
      ['verify', 'something', ...onLedger()],
      ['burn'],
    ])
      expect(await proviso(...words), words.join(' ')).toMatchObject({ code: 2 })
  })
})
