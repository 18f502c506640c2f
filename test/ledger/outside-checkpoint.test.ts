// A ledger that was brought back from a backup has lost slots, and would repeat their effects: a checkpoint kept outside of it says so.
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { defineTool, openProviso } from '../../src/index.ts'
import { fileCheckpoint } from '../../src/ledger/files/file-checkpoint.ts'
import type { OutsideCheckpoint } from '../../src/ledger/ports/outside.ts'
import { postgres } from '../../src/ledger/postgres/postgres.ts'
import { type Databases, startDatabases } from './databases.ts'

let databases: Databases
let folder: string
beforeAll(async () => {
  databases = await startDatabases()
  folder = await mkdtemp(join(tmpdir(), 'proviso-outside-'))
}, 60_000)
afterAll(async () => {
  await databases.end()
  await rm(folder, { recursive: true, force: true })
}, 60_000)

const nameOf = (url: string) => new URL(url).pathname.slice(1)

/** A copy of a database, as a backup is. */
async function copyOf(url: string, name: string): Promise<string> {
  const to = new URL(url)
  to.pathname = '/postgres'
  const admin = new pg.Client(to.href)
  await admin.connect()
  await admin.query(`create database ${name} template ${nameOf(url)}`)
  await admin.end()
  to.pathname = `/${name}`
  return to.href
}

async function charging(url: string, checkpoint: OutsideCheckpoint | undefined) {
  const ledger = await postgres(url, { connections: 3, log: { sequence: false }, ...(checkpoint && { checkpoint }) })
  let done = 0
  const charge = defineTool({
    name: 'charge_v1',
    description: 'Charges a card.',
    effect: 'MEDIUM_RISK_WRITE',
    trusted: true,
    input: {
      type: 'object',
      properties: { amount: { type: 'number' } },
      required: ['amount'],
      additionalProperties: false,
    },
    execute: () => ({ receipt: ++done }),
  })
  const proviso = await openProviso({ ledger, tools: [charge] })
  return {
    ledger,
    proviso,
    done: () => done,
    charge: (amount: number) =>
      proviso.call(
        { tool: 'charge_v1', arguments: { amount }, callId: `c${amount}` },
        { tenant: 'acme', user: 'ann', run: 'run-1' },
      ),
    async close() {
      await proviso.close()
      await ledger.close()
    },
  }
}

describe('a checkpoint kept outside', () => {
  it('lets nothing be written to a restored backup before a person has acknowledged it [older-copy-refused]', async () => {
    const url = await databases.fresh()
    const checkpoint = fileCheckpoint(join(folder, 'deep', 'one.json'))
    const first = await charging(url, checkpoint)
    await first.charge(1)
    await first.close()
    const backup = await copyOf(url, 'backup_one')
    const second = await charging(url, checkpoint)
    expect((await second.charge(2)).effect).toBe('happened')
    await second.close()

    const restored = await charging(backup, checkpoint)
    expect(restored.ledger.standing?.missing()).toMatchObject({ from: expect.any(Number), to: expect.any(Number) })
    // It can be read.
    expect(await restored.ledger.calls.list({})).toHaveLength(1)
    const refused = await restored.charge(2)
    expect(refused.effect).not.toBe('happened')
    expect(refused.response).toMatchObject({ fail_closed: expect.any(Boolean) })
    expect(restored.done()).toBe(0)
    await expect(restored.ledger.runs.addLabels('acme', 'run-1', ['secret'])).rejects.toMatchObject({
      code: 'ledger_behind',
    })

    // A person at another process has seen it; this one finds out by itself.
    const desk = await postgres(backup, { connections: 2, log: { sequence: false }, checkpoint })
    const word = { by: 'ann', why: 'the disk was lost' }
    expect(await desk.standing?.acknowledge(word)).toMatchObject({ to: expect.any(Number) })
    expect(desk.standing?.missing()).toBeUndefined()
    await desk.close()
    expect((await restored.charge(3)).effect).toBe('happened')
    await restored.close()
    const again = await charging(backup, checkpoint)
    expect(again.ledger.standing?.missing()).toBeUndefined()
    await again.close()
    const client = new pg.Client(backup)
    await client.connect()
    const { rows } = await client.query(
      `select 1 from proviso.facts where tenant = '(installation)' and convert_from(body, 'UTF8')::jsonb -> 'acknowledged' ->> 'by' = 'ann'`,
    )
    expect(rows).toHaveLength(1)
    await client.end()
  })

  it('is known of a ledger that never saw it, and of one that others went on with [older-copy-refused]', async () => {
    const url = await databases.fresh()
    const backup = await copyOf(url, 'backup_two')
    const [one, other] = [fileCheckpoint(join(folder, 'two.json')), fileCheckpoint(join(folder, 'three.json'))]
    const first = await charging(url, one)
    await first.charge(1)
    await first.close()
    // Another process, which keeps its own, goes on with the older copy for long.
    for (let turn = 0; turn < 3; turn++) {
      const second = await charging(backup, other)
      await second.charge(turn + 10)
      await second.close()
    }
    const restored = await postgres(backup, { connections: 2, log: { sequence: false }, checkpoint: one })
    expect(restored.standing?.missing()).toMatchObject({ from: undefined })
    await restored.close()
  })

  it('may be a function of the host, is written soon after what it says, and is no other text', async () => {
    const url = await databases.fresh()
    let text: string | undefined
    const checkpoint = {
      read: () => text,
      write(next: string) {
        text = next
      },
    }
    const first = await charging(url, checkpoint)
    const before = text
    await first.charge(1)
    await expect.poll(() => text).not.toBe(before)
    await first.close()
    expect(JSON.parse(text ?? '')).toMatchObject({ format: 'proviso.outside-checkpoint/1', number: expect.any(Number) })
    text = '{}'
    await expect(postgres(url, { checkpoint })).rejects.toMatchObject({ code: 'bad_options' })
    expect(await readFile(join(folder, 'two.json'), 'utf8')).toContain('outside-checkpoint')
  })
})
