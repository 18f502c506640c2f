// People at the command line: keys are made and revoked, packets looked at and decided, standing approvals asked for and taken back. Every
// command is a process of its own, and no key is ever an argument.
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Databases, startDatabases } from '../ledger/databases.ts'
import { runProviso } from './run-proviso.ts'

let cwd = ''
let databases: Databases
let ledger = ''
const keys = new Map<string, string>()

beforeAll(async () => {
  databases = await startDatabases()
  ledger = await databases.fresh()
  cwd = await mkdtemp(join(tmpdir(), 'proviso-cli-'))
  await runProviso(['init'], { cwd })
  const file = join(cwd, 'tools/cancel_order_v1.tool.yaml')
  const risky = (await readFile(file, 'utf8'))
    .replace('MEDIUM_RISK_WRITE', 'HIGH_RISK_EXTERNAL')
    .replace('confirmation_required: false', 'confirmation_required: true')
    .replace('post_action_verification_required: false', 'post_action_verification_required: true')
    .replace('resource: /order_id', 'resource: /order_id\n  approval: { quorum: 2 }\n  consequence: Cancels {order_id}')
  await writeFile(file, risky)
  for (const user of ['ann', 'bob', 'cleo']) {
    const made = await run('keys', 'create', '--user', user, '--role', 'approver', '--json')
    keys.set(user, JSON.parse(made.out).key)
  }
}, 60_000)
afterAll(async () => {
  await databases.end()
  await rm(cwd, { recursive: true, force: true })
})

const run = (...argv: readonly string[]) => as(undefined, ...argv)
const as = (user: string | undefined, ...argv: readonly string[]) =>
  runProviso(argv, { cwd, env: { PROVISO_LEDGER: ledger, PROVISO_KEY: keys.get(user ?? '') ?? '' } })

async function ask(work: string): Promise<{ readonly id: string; readonly packet: string }> {
  const proposal = '{"order_id":"ord_1001","reason":"duplicate"}'
  const who = ['--scope', 'orders:write', '--user', 'ann', '--run', work]
  const { out } = await run('call', 'cancel_order_v1', proposal, ...who, '--json')
  const { approval } = JSON.parse(out)
  return { id: approval.id, packet: approval.packet_hash }
}

describe('proviso keys', () => {
  it('shows a key once, lists it without its secret, and revokes it', async () => {
    const made = await run(
      'keys',
      'create',
      '--user',
      'dora',
      '--role',
      'operator',
      '--expires',
      '30d',
      '--tenant',
      'acme',
    )
    expect([made.code, made.out]).toEqual([0, expect.stringMatching(/^pvk_\w{12}_\w{44}_[0-9a-f]{8}\n$/)])
    const listed = await run('keys', 'list', '--tenant', 'acme', '--json')
    const [key] = JSON.parse(listed.out)
    expect(key).toMatchObject({ user: 'dora', kind: 'person', roles: ['operator'], status: 'valid' })
    expect(listed.out).not.toContain(made.out.trim().split('_')[2])
    expect((await run('keys', 'list')).out).toContain('dora')
    expect((await run('keys', 'revoke', key.id)).code).toBe(0)
    expect((await run('keys', 'revoke', key.id)).code).toBe(1)
    expect(JSON.parse((await run('keys', 'list', '--tenant', 'acme', '--json')).out)).toMatchObject([
      { status: 'revoked' },
    ])
  })

  it('keeps keys in a file of its own where no ledger is named', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'proviso-keys-'))
    const here = (...argv: string[]) => runProviso(argv, { cwd: folder, env: { PROVISO_LEDGER: '' } })
    expect((await here('keys', 'create', '--user', 'ann')).code).toBe(0)
    expect((await here('keys', 'list')).out).toContain('ann')
    expect(JSON.parse(await readFile(join(folder, '.proviso/keys.json'), 'utf8')).keys).toHaveLength(1)
    expect(await readFile(join(folder, '.proviso/.gitignore'), 'utf8')).toBe('*\n')
    await rm(folder, { recursive: true })
  })

  it.each([
    [['keys', 'create'], '--user NAME'],
    [['keys', 'create', '--user', 'x', '--kind', 'robot'], 'person, agent, service'],
    [['keys', 'create', '--user', 'x', '--kind', 'agent'], 'names the agent'],
    [['keys', 'create', '--user', 'x', '--expires', 'soon'], '--expires'],
    [['keys', 'revoke', 'nothing'], 'There is no key'],
    [['keys', 'destroy'], 'Known are create'],
  ])('refuses %j with 2', async (argv, says) => {
    const { code, err } = await run(...argv)
    expect([code, err]).toEqual([2, expect.stringContaining(says)])
    expect(err.split(says)).toHaveLength(2)
  })
})

describe('proviso approvals', () => {
  it('lists what waits, shows its card, and takes the votes of two people on exactly that', async () => {
    const { id, packet } = await ask('first')
    expect((await run('approvals', 'list')).out).toContain(id)
    const shown = await run('approvals', 'show', id)
    expect(shown.out).toContain('CONFIRMATION REQUEST REQUIRED')
    expect(shown.out).toContain('Cancels "ord_1001"')
    expect(shown.out).toContain(packet)
    expect((await as('ann', 'approvals', 'approve', id, '--packet', packet)).code).toBe(1)
    const first = await as('bob', 'approvals', 'approve', id, '--packet', packet, '--json')
    expect([first.code, JSON.parse(first.out)]).toMatchObject([0, { status: 'pending', taken: true }])
    expect((await as('bob', 'approvals', 'approve', id, '--packet', packet)).code).toBe(1)
    const second = await as('cleo', 'approvals', 'approve', id, '--packet', packet, '--reason', 'seen it')
    expect([second.code, second.out]).toEqual([0, expect.stringContaining('approved')])
    const json = JSON.parse((await run('approvals', 'show', id, '--json')).out)
    expect(json.packet.approvers.decisions.map(({ by }: { by: string }) => by)).toEqual(['bob', 'cleo'])
    expect(json.token.split('.')).toHaveLength(3)
  })

  it('takes no vote without a key, on another packet, or with a key that opens nothing', async () => {
    const { id, packet } = await ask('second')
    const nobody = await run('approvals', 'approve', id, '--packet', packet)
    expect([nobody.code, nobody.err]).toEqual([2, expect.stringContaining('PROVISO_KEY')])
    const unseen = await as('bob', 'approvals', 'approve', id)
    expect([unseen.code, unseen.err]).toEqual([2, expect.stringContaining('--packet HASH')])
    const other = await as('bob', 'approvals', 'approve', id, '--packet', 'ab'.repeat(32), '--json')
    expect([other.code, JSON.parse(other.out)]).toMatchObject([1, { error: { code: 'packet_changed' } }])
    const bob = keys.get('bob') ?? ''
    keys.set('eve', `${bob.slice(0, -1)}${bob.endsWith('0') ? '1' : '0'}`)
    const stranger = await as('eve', 'approvals', 'approve', id, '--packet', packet)
    expect([stranger.code, stranger.err]).toEqual([1, expect.stringContaining('opens nothing')])
    const open = join(cwd, 'open.key')
    await writeFile(open, keys.get('bob') ?? '')
    await chmod(open, 0o644)
    const careless = await run('approvals', 'approve', id, '--packet', packet, '--key-file', 'open.key')
    expect(careless.code).toBe(2)
    expect(JSON.parse((await run('approvals', 'show', id, '--json')).out).status).toBe('pending')
  })

  it('rejects with a reason, which the agent is told', async () => {
    const { id, packet } = await ask('third')
    expect((await as('bob', 'approvals', 'reject', id, '--packet', packet)).code).toBe(2)
    const said = await as('bob', 'approvals', 'reject', id, '--packet', packet, '--reason', 'wrong order')
    expect([said.code, said.out]).toEqual([0, expect.stringContaining('rejected')])
    expect(JSON.parse((await run('approvals', 'list', '--status', 'rejected', '--json')).out)).toMatchObject([{ id }])
  })

  it('asks for a standing approval from a file, lists it, and revokes it', async () => {
    const grant = {
      tool: 'cancel_order_v1',
      principal: 'ann',
      fields: { '/order_id': { enum: ['ord_1001', 'ord_1002'] }, '/reason': { const: 'duplicate' } },
      count: 5,
      expires_at: new Date(Date.now() + 86_400_000).toISOString(),
    }
    await writeFile(join(cwd, 'grant.json'), JSON.stringify(grant))
    const asked = await as('bob', 'approvals', 'grant', 'grant.json', '--json')
    const { id, packet_hash: packet, kind } = JSON.parse(asked.out)
    expect([asked.code, kind]).toEqual([0, 'grant'])
    keys.set(
      'dora',
      JSON.parse((await run('keys', 'create', '--user', 'dora', '--role', 'operator', '--json')).out).key,
    )
    expect((await as('bob', 'approvals', 'approve', id, '--packet', packet)).code).toBe(1)
    for (const user of ['cleo', 'dora'])
      expect((await as(user, 'approvals', 'approve', id, '--packet', packet)).code).toBe(0)
    expect(JSON.parse((await run('approvals', 'grants', '--json')).out)).toMatchObject([
      { id, status: 'in_force', count: 5, total: null, used_count: 0 },
    ])
    expect((await as('cleo', 'approvals', 'revoke', id, '--reason', 'enough')).code).toBe(0)
    expect((await run('approvals', 'grants')).out).toMatch(/revoked +0\/5 +- /)
    await writeFile(join(cwd, 'wide.json'), JSON.stringify({ ...grant, fields: { '/order_id': { any: true } } }))
    const wide = await as('bob', 'approvals', 'grant', 'wide.json')
    expect([wide.code, wide.err]).toEqual([2, expect.stringContaining('/reason')])
  })

  it.each([
    [['approvals', 'show'], 'Say which'],
    [['approvals', 'show', 'appr_none'], 'There is no approval'],
    [['approvals', 'list', '--status', 'maybe'], '--status is one of'],
    [['approvals', 'list', '--limit', '0'], '--limit'],
    [['approvals', 'list', 'more'], 'takes nothing more'],
    [['approvals', 'bless', 'x'], 'Known are list'],
  ])('refuses %j with 2', async (argv, says) => {
    const { code, err } = await run(...argv)
    expect([code, err]).toEqual([2, expect.stringContaining(says)])
  })
})
