// What a ledger or a Proviso is opened with is held to its table before anything is opened: no folder, no connection, no file.
import { existsSync } from 'node:fs'
import net from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openProviso, type ProvisoOptions } from '../../src/index.ts'
import { embedded, memory, type PostgresOptions, postgres } from '../../src/ledger/index.ts'

/** A server that answers nothing, and counts who comes. */
async function listener(): Promise<{ readonly url: string; came(): number }> {
  let came = 0
  const server = net.createServer((socket) => {
    came++
    socket.destroy()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as net.AddressInfo
  return { url: `postgres://app:geheim@127.0.0.1:${port}/app`, came: () => came }
}

const refusals: readonly (readonly [options: object, says: string])[] = [
  [{ leaseMS: 30_000 }, 'There is no option leaseMS. Did you mean leaseMs?'],
  [{ leaseMs: '30s' }, 'leaseMs is the text "30s". Give a whole number of milliseconds'],
  [{ leaseMs: Number.NaN }, 'leaseMs is NaN'],
  [{ leaseMs: -1 }, 'leaseMs is -1'],
  [{ leaseMs: 0 }, 'leaseMs is 0'],
  [{ leaseMs: Number.POSITIVE_INFINITY }, 'leaseMs is Infinity'],
  [{ patienceMs: 1.5 }, 'patienceMs is 1.5'],
  [{ connections: 0 }, 'connections is 0'],
  [{ connections: 2.5 }, 'connections is 2.5'],
  [{ connections: '10' }, 'connections is the text "10"'],
  [{ retentionDays: 0 }, 'retentionDays is 0. Give a whole number of days from 1 to 36,500.'],
  [{ make: 'no' }, 'make is the text "no". Give true or false.'],
  [{ log: { keyfile: 'x' } }, 'There is no option log.keyfile. Did you mean log.keyFile?'],
  [{ log: { sequence: 0 } }, 'log.sequence is 0'],
  [{ driver: { max: 5 } }, 'driver.max is 5. Leave it out, and say with connections'],
  [{ driver: { query_timeout: 5 } }, 'answerMs'],
  [{ toolUrl: '' }, 'toolUrl is an empty text'],
  [{ clock: Date }, 'clock is a function. Give a clock, with now() and monotonic().'],
]

describe('what a ledger is opened with', () => {
  it.each(refusals)('Postgres refuses %o, and opens no connection [options-are-refused]', async (options, says) => {
    const { url, came } = await listener()
    const opening = postgres(url, options as PostgresOptions)
    await expect(opening).rejects.toMatchObject({ code: 'bad_options', message: expect.stringContaining(says) })
    expect(came()).toBe(0)
  })

  it.each(refusals)('an embedded server refuses %o, and makes no folder', async (options, says) => {
    const dir = join(tmpdir(), `proviso-options-${process.pid}`)
    const opening = embedded({ dir, ...(options as PostgresOptions) })
    await expect(opening).rejects.toMatchObject({ code: 'bad_options', message: expect.stringContaining(says) })
    expect(existsSync(dir)).toBe(false)
  })

  it.each<[unknown, string]>([
    [undefined, 'is undefined. Give one such as postgres://'],
    ['', 'is empty. Is a variable of the environment not set?'],
    [' ', 'is empty'],
    [null, 'is null'],
    [{ connectionString: 'postgres://u:geheim@h/d' }, 'is object'],
    ['localhost:5432/geheim', 'does not begin with postgres://'],
    ['mysql://app:geheim@db/app', 'does not begin with postgres://'],
    ['postgres://app:ge/heim@db:x/app', 'cannot be read. A password in it'],
  ])('no URL: %o', async (url, says) => {
    const message = await postgres(url as string).then(
      () => 'opened',
      (error: Error) => String(error.stack) + JSON.stringify(error),
    )
    expect(message).toContain(says)
    expect(message).not.toMatch(/geheim|ge\/heim/)
  })

  it('an embedded server is told its folder, and settings that are texts', async () => {
    await expect(embedded({} as { dir: string })).rejects.toThrow('dir is not given. Give the path of a folder')
    await expect(embedded({ dir: '' })).rejects.toThrow('dir is an empty text')
    const settings = { work_mem: 5 } as unknown as Record<string, string>
    await expect(embedded({ dir: '/nowhere/x', settings })).rejects.toThrow('settings is an object. Give settings')
    await expect(embedded({ dir: '/nowhere/x', onClose: async () => {} } as { dir: string })).rejects.toThrow(
      'There is no option onClose',
    )
  })

  it('a ledger in memory refuses what it cannot keep to', () => {
    expect(() => memory({ maxCall: 1 } as object)).toThrow('memory: There is no option maxCall. Did you mean maxCalls?')
    expect(() => memory({ maxCalls: 0 })).toThrow('maxCalls is 0')
    expect(() => memory({ maxBytes: Number.NaN })).toThrow('maxBytes is NaN')
    expect(() => memory({ maxBytes: Number.POSITIVE_INFINITY })).toThrow('maxBytes is Infinity')
  })
})

describe('what a Proviso is opened with', () => {
  it.each<[object, string]>([
    [{ sweepMS: 10 }, 'There is no option sweepMS. Did you mean sweepMs?'],
    [{ sweepMs: '1s' }, 'sweepMs is the text "1s"'],
    [{ sweepMs: 0 }, 'sweepMs is 0'],
    [{ ledger: '' }, 'ledger is an empty text. Give a ledger, or the URL of a Postgres database'],
    [{ ledger: undefined }, 'ledger is undefined. Is a variable of the environment not set?'],
    [{ ledger: 'db.example.com' }, 'The URL of the database does not begin with postgres://'],
    [{ tenants: 'acme' }, 'tenants is a text. Give a list.'],
    [{ budgets: { writes: 3 } }, 'budgets: There is no option writes. Did you mean write?'],
    [{ budgets: { limits: [{ id: 'a', kind: 'write', per: 'run', max: 1, windowSecs: 5 }] } }, 'limits[0].windowSecs'],
    [{ limits: { maxbytes: 1 } }, 'There is no option limits.maxbytes. Did you mean limits.maxBytes?'],
    [{ limits: { maxDepth: Number.NaN } }, 'limits.maxDepth is NaN'],
    [{ versions: { pay: { curent: '1.0.0' } } }, 'Did you mean versions[pay].current?'],
    [{ pins: '' }, 'pins is an empty text'],
    [{ identity: 'ann' }, 'identity is a text. Give an identity, with verify().'],
    [{ onFault: console }, 'onFault is an object. Give a function.'],
  ])('refuses %o, and opens nothing [options-are-refused]', async (options, says) => {
    const { url, came } = await listener()
    const opening = openProviso({ ledger: url, ...options } as ProvisoOptions)
    await expect(opening).rejects.toMatchObject({ code: 'bad_options', message: expect.stringContaining(says) })
    expect(came()).toBe(0)
  })
})
