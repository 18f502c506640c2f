// The way of a newcomer: init, check, call, explain, each in a process of its own, on the embedded Postgres of the folder.
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runProviso } from './run-proviso.ts'

let cwd = ''
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'proviso-cli-'))
  // So that the server's user can reach its folder, also where these tests run as root.
  await chmod(cwd, 0o755)
  expect(await runProviso(['init'], { cwd })).toMatchObject({ code: 0, err: '' })
})
afterAll(async () => {
  expect((await run('calls', '--no-stay')).code).toBe(0)
  expect(await stat(join(cwd, '.proviso/ledger/data/postmaster.pid')).catch(() => 'stopped')).toBe('stopped')
  await rm(cwd, { recursive: true, force: true })
})

const run = (...argv: readonly string[]) => runProviso(argv, { cwd })
const lookup = ['call', 'lookup_order_v1', '{"order_id":"ord_1001"}', '--tools', 'tools']
const cancel = ['call', 'cancel_order_v1', '--tools', 'tools', '--scope', 'orders:write']

describe('the starter', () => {
  it('begins its tool files with the schema for editors', async () => {
    const text = await readFile(join(cwd, 'tools/lookup_order_v1.tool.yaml'), 'utf8')
    expect(text.split('\n')[0]).toBe(
      '# yaml-language-server: $schema=../node_modules/proviso/schemas/tool-file.schema.json',
    )
  })

  it('passes check without a word, its code included [TC-405]', async () => {
    const { code, out } = await run('check', 'tools', '--load', '--strict', '--json')
    expect(code).toBe(0)
    expect(JSON.parse(out)).toMatchObject({ ok: true, counts: { files: 2, errors: 0, warnings: 0, infos: 0 } })
  })

  it('is not written over files that are there', async () => {
    await writeFile(join(cwd, 'tools/orders.mjs'), `${await readFile(join(cwd, 'tools/orders.mjs'), 'utf8')}// mine\n`)
    const { code, err } = await run('init')
    expect(code).toBe(2)
    expect(err).toContain('tools/orders.mjs')
    expect(await readFile(join(cwd, 'tools/orders.mjs'), 'utf8')).toContain('// mine')
  })

  it('says that nothing is on record before the first call, and makes no ledger for that', async () => {
    for (const argv of [['explain', 'latest'], ['calls'], ['calls', 'escalations'], ['approvals', 'list']]) {
      const { code, err } = await run(...argv)
      expect(code).toBe(2)
      expect(err).toContain('Nothing is on record here: there is no ledger in .proviso/ledger')
    }
    await expect(stat(join(cwd, '.proviso'))).rejects.toThrow('ENOENT')
  })

  it('answers a call, without colours in a pipe, and records it on a Postgres that stays when told to', async () => {
    const { code, out, err } = await run(...lookup, '--stay')
    expect(code).toBe(0)
    expect(out).toMatch(/^SUCCESS\n/)
    expect(out).toContain('"total_cents": 4200')
    expect(out + err).not.toContain('\u001b')
    expect(err).toMatch(/Recorded; see why with: proviso explain [0-9a-f-]{36}/)
    expect((await stat(join(cwd, '.proviso/ledger/data/postmaster.pid'))).isFile()).toBe(true)
    expect(await readFile(join(cwd, '.proviso/.gitignore'), 'utf8')).toBe('*\n')
  })

  it('takes the arguments from a file and from stdin, and prints one JSON object with the facts', async () => {
    await writeFile(join(cwd, 'arguments.json'), '{"order_id":"ord_1002"}')
    const fromFile = await run('call', 'lookup_order_v1', '@arguments.json', '--json', '--facts')
    const fromInput = await runProviso(['call', 'lookup_order_v1', '-', '--json', '--memory'], {
      cwd,
      input: '{"order_id":"ord_1002"}',
    })
    expect([fromFile.code, fromInput.code]).toEqual([0, 0])
    const answer = JSON.parse(fromFile.out)
    expect(Object.keys(answer)).toEqual(['observation', 'effect', 'response', 'result', 'value', 'facts'])
    expect(answer.facts).toHaveLength(21)
    expect(answer.facts[0]).toMatchObject({
      call_id: answer.observation.tool_identity.call_id,
      pass: 1,
      seq: 1,
      phase: 'resolve',
      verdict: { kind: 'pass' },
    })
    expect(JSON.parse(fromInput.out).value).toMatchObject({ status: 'shipped' })
    expect(fromInput.err).toBe('')
  })

  it('refuses arguments field by field, and ends with 1', async () => {
    const { code, out } = await run(...cancel, '{"order_id":"1001","reason":"because"}')
    expect(code).toBe(1)
    expect(out).toMatch(/^OUT_OF_BOUNDS/)
    expect(out).toMatch(/field +expected +actual +what to do/)
    expect(out).toContain('customer_request')
  })

  it('refuses what is no JSON, and ends with 1', async () => {
    const { code, out } = await run(...cancel, '{"order_id":')
    expect(code).toBe(1)
    expect(out).toMatch(/^SYNTACTIC_PARSE_FAIL/)
  })

  it('refuses an unknown tool and names the nearest', async () => {
    const { code, out } = await run('call', 'lookup_orders_v1', '{}', '--tools', 'tools')
    expect(code).toBe(1)
    expect(out).toContain('lookup_order_v1')
  })

  it('refuses a caller without the scope, and a state that does not allow it', async () => {
    const scope = await run('call', 'cancel_order_v1', '{"order_id":"ord_1001","reason":"duplicate"}')
    expect(scope.out).toContain('orders:write')
    const state = await run(...cancel, '{"order_id":"ord_1002","reason":"duplicate"}', '--json')
    expect(state.code).toBe(1)
    expect(JSON.parse(state.out)).toMatchObject({ effect: 'none', response: { error_code: 'STALE_STATE' } })
  })

  it('explains the latest call: who decided, what was promised, what to do', async () => {
    await run(...cancel, '{"order_id":"ord_1002","reason":"duplicate"}')
    const told = await run('explain', 'latest')
    expect(told.code).toBe(0)
    expect(told.out).toContain('phase 12, state: stop STALE_STATE')
    expect(told.out).toContain('at most once, and held when unknown')
    expect(told.out).toContain('{"order_id":"ord_1002","reason":"duplicate"}')
    expect(told.out).toMatch(/ 9 {2}permission +[\d,]+ µs {2}pass/)
    const json = await run('explain', 'latest', '--json')
    const explanation = JSON.parse(json.out)
    expect(explanation).toMatchObject({
      class: 'STALE_STATE',
      decided_by: { number: 12, phase: 'state' },
      next_action: 'refresh_state_and_replan',
    })
    for (const wanted of [explanation.call.id, explanation.call.id.slice(0, 18), explanation.call.id.toUpperCase()]) {
      const byId = await run('explain', wanted, '--json')
      expect(JSON.parse(byId.out).call.id).toBe(explanation.call.id)
    }
  })

  it('does what it is allowed to do', async () => {
    const done = await run(...cancel, '{"order_id":"ord_1001","reason":"customer_request"}', '--json')
    expect(JSON.parse(done.out)).toMatchObject({ effect: 'happened', value: { status: 'cancelled' } })
    const again = await run(...lookup, '--json')
    expect(JSON.parse(again.out).value).toMatchObject({ status: 'cancelled' })
  })

  it('answers the same call from the record, in another process, and does it again in another run', async () => {
    const args = '{"order_id":"ord_1001","reason":"customer_request"}'
    const again = JSON.parse((await run(...cancel, args, '--json', '--facts')).out)
    expect(again).toMatchObject({ effect: 'happened', observation: { execution_metadata: { idempotency_hit: true } } })
    // The facts are those of the call that was made, not of the one that did the work.
    expect(again.facts.map(({ phase }: { phase: string }) => phase)).toContain('recall')
    expect(again.facts[0].call_id).toBe(again.observation.tool_identity.call_id)
    expect(again.replay_of.call_id).not.toBe(again.facts[0].call_id)
    const other = JSON.parse((await run(...cancel, args, '--json', '--run', 'other')).out)
    expect(other).toMatchObject({ effect: 'none', response: { error_code: 'STALE_STATE' } })
  })

  it('lists the ids on record when asked for one that is not', async () => {
    const { code, err } = await run('explain', 'ffff')
    expect(code).toBe(2)
    expect(err).toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-7/)
  })
})
