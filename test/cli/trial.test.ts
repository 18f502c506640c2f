// Calls that people have to approve, tools that cannot be tried, and everything that can be wrong with what is typed or read.
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Databases, startDatabases } from '../ledger/databases.ts'
import { runProviso } from './run-proviso.ts'

let cwd = ''
let databases: Databases
let ledger = ''
beforeAll(async () => {
  databases = await startDatabases()
  ledger = await databases.fresh()
  cwd = await mkdtemp(join(tmpdir(), 'proviso-cli-'))
  await runProviso(['init'], { cwd })
  const write = await readFile(join(cwd, 'tools/cancel_order_v1.tool.yaml'), 'utf8')
  await cp(join(cwd, 'tools'), join(cwd, 'risky'), { recursive: true })
  const risky = write
    .replace('MEDIUM_RISK_WRITE', 'HIGH_RISK_EXTERNAL')
    .replace('confirmation_required: false', 'confirmation_required: true')
    .replace('post_action_verification_required: false', 'post_action_verification_required: true')
    .replace('resource: /order_id', 'resource: /order_id\n  sensitive: [/reason]\n  approval: { quorum: 2 }')
  await writeFile(join(cwd, 'risky/cancel_order_v1.tool.yaml'), risky)
  const critical = risky
    .replace('HIGH_RISK_EXTERNAL', 'CRITICAL_MUTATION')
    .replace('name: cancel_order_v1', 'name: wipe_orders_v1')
  await writeFile(join(cwd, 'risky/wipe_orders_v1.tool.yaml'), critical)
  for (const user of ['ann', 'bob']) {
    const made = await run('keys', 'create', '--user', user, '--role', 'approver', '--json')
    await writeFile(join(cwd, `${user}.key`), `${JSON.parse(made.out).key}\n`, { mode: 0o600 })
  }
  // A tool that keeps a handle open must not keep the command from ending.
  await writeFile(
    join(cwd, 'risky/orders.mjs'),
    `${await readFile(join(cwd, 'tools/orders.mjs'), 'utf8')}setInterval(() => {}, 1000)\n`,
  )
})
afterAll(async () => {
  await databases.end()
  await rm(cwd, { recursive: true, force: true })
})

const run = (...argv: readonly string[]) => runProviso(argv, { cwd, env: { PROVISO_LEDGER: ledger } })
const risky = [
  'call',
  'cancel_order_v1',
  '{"order_id":"ord_1001","reason":"fraud_review"}',
  '--tools',
  'risky',
  '--scope',
  'orders:write',
]

describe('a call that people have to approve', () => {
  it('shows what they are asked, waits, and ends with 1', async () => {
    const { code, out } = await run(...risky)
    expect(code).toBe(1)
    expect(out).toContain('| CONFIRMATION REQUEST REQUIRED')
    expect(out).toContain('CONFIRMATION_MISSING')
    expect(out).toContain('2 different people with the role approver or operator')
  })

  it('still waits when too few approve', async () => {
    const { code, out } = await run(...risky, '--approve', '--key-file', 'ann.key', '--json')
    expect(code).toBe(1)
    expect(JSON.parse(out)).toMatchObject({
      effect: 'pending',
      packet: { approvers: { demands: [{ quorum: 2 }] }, risk_class: { class: 'HIGH_RISK_EXTERNAL' } },
    })
  })

  it('runs once enough have approved, whichever process they spoke to, and is explained without its sensitive value', async () => {
    const { code, out } = await run(...risky, '--approve', '--key-file', 'bob.key', '--json', '--facts')
    expect(code).toBe(0)
    const answer = JSON.parse(out)
    expect(answer).toMatchObject({ effect: 'happened', response: { error_code: 'SUCCESS' } })
    expect(new Set(answer.facts.map((fact: { pass: number }) => fact.pass))).toEqual(new Set([1, 2]))
    const told = await run('explain', 'latest')
    expect(told.out).toContain('Phases, pass 2')
    expect(told.out).not.toContain('fraud_review')
    expect(told.out).toContain('"reason":"[masked]"')
    expect(told.out).toContain('approved by ann, approved by bob')
  })

  it('can be critical on a durable ledger, and is set aside in memory', async () => {
    const wipe = ['call', 'wipe_orders_v1', '{"order_id":"ord_1002","reason":"fraud_review"}', '--tools', 'risky']
    const asked = await run(...wipe, '--scope', 'orders:write', '--json')
    expect(JSON.parse(asked.out)).toMatchObject({ response: { error_code: 'STALE_STATE' } })
    const { code, err } = await run(...wipe, '--memory')
    expect(code).toBe(2)
    expect(err).toContain('survives a crash')
    expect((await run(...risky, '--memory')).err).toContain('durable ledger: wipe_orders_v1')
  })
})

describe('what is wrong is said in a sentence, without a stack', () => {
  const expectMisuse = async (argv: readonly string[], said: string) => {
    const { code, err } = await run(...argv)
    expect(err).toContain(said)
    expect(err).not.toMatch(/^\s+at /m)
    expect(code).toBe(2)
  }

  it('when a path is missing', async () => {
    await expectMisuse(['check', 'nowhere'], 'no such file or folder')
    await expectMisuse(['call', 'x', '{}', '--tools', 'nowhere'], 'no such file or folder')
    await expectMisuse(['call', 'x', '@nowhere.json', '--tools', 'tools'], 'nowhere.json')
    await expectMisuse(['explain', 'x', '--ledger', 'nowhere'], 'there is no ledger in nowhere')
  })

  it('when a folder holds no tools', async () => {
    await mkdir(join(cwd, 'empty'), { recursive: true })
    await expectMisuse(['check', 'empty'], 'holds no tool files')
    await expectMisuse(['call', 'x', '{}', '--tools', 'empty'], 'no tools')
  })

  it('when a tool file is broken, with the line', async () => {
    await mkdir(join(cwd, 'broken'), { recursive: true })
    await writeFile(join(cwd, 'broken/a.tool.yaml'), 'contract:\n  identity: { name: [ }\n')
    await expectMisuse(['call', 'x', '{}', '--tools', 'broken'], 'line 2')
    const { code, out } = await run('check', 'broken')
    expect(code).toBe(1)
    expect(out).toContain('tool-file-invalid')
    expect(out).toContain('line 2')
    expect(out).toContain('1 error')
  })

  it('when there is no such call', async () => {
    await expectMisuse(['explain', 'other.json'], 'There is no call other.json on record')
    await expectMisuse(['explain', '00000000-0000-7000-8000-000000000000'], 'There is no call')
  })

  it('when nothing was said to check', async () => {
    await expectMisuse(['check'], 'Say what to check')
  })
})

describe('gates and rules', () => {
  it('prints the 21 phases as one JSON array', async () => {
    const { code, out } = await run('gates', '--json')
    expect(code).toBe(0)
    const phases: readonly { readonly number: number; readonly name: string }[] = JSON.parse(out)
    expect(phases).toHaveLength(21)
    expect(phases.map(({ number }) => number)).toEqual(Array.from({ length: 21 }, (_, index) => index + 1))
    expect(phases[0]).toMatchObject({
      name: 'resolve',
      kind: 'gate',
      stops_with: [{ class: 'STRUCTURAL_VIOLATION', reasons: ['unknown_tool', 'schema_not_loaded'] }, {}],
    })
    expect(phases[20]).toMatchObject({ name: 'emit', kind: 'act', stops_with: [] })
  })

  it('prints the phases for people too', async () => {
    const { out } = await run('gates')
    expect(out).toMatch(/^ 1 {2}resolve +gate {2}\S/)
    expect(out).toContain('PERMISSION_DENIED · ')
  })

  it('prints the rules of check', async () => {
    const { code, out } = await run('check', '--rules')
    expect(code).toBe(0)
    expect(out).toMatch(/^error +tool-file-invalid/)
    const json = await run('check', '--rules', '--json')
    expect(JSON.parse(json.out).rules[0]).toMatchObject({ id: 'tool-file-invalid', level: 'error' })
  })

  it('counts warnings as errors only when told to be strict', async () => {
    await mkdir(join(cwd, 'warned'), { recursive: true })
    const text = await readFile(join(cwd, 'tools/lookup_order_v1.tool.yaml'), 'utf8')
    await writeFile(
      join(cwd, 'warned/lookup_order_v1.tool.yaml'),
      text.replaceAll('./orders.mjs', '../tools/orders.mjs').replace('currency: EUR', 'currency: euro'),
    )
    expect(await run('check', 'warned')).toMatchObject({ code: 0, out: expect.stringContaining('1 warning') })
    expect((await run('check', 'warned', '--strict')).code).toBe(1)
  })
})

describe('the demo', () => {
  it('runs the billing example to its end', async () => {
    const { code, out } = await run('demo', '--json')
    expect(code).toBe(0)
    expect(JSON.parse(out)).toMatchObject({ surprises: [] })
  })
})
