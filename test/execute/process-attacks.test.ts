// What a hostile program, or a hostile argument to a harmless one, tries against us, and how each ends.
import { spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ToolError } from '../../src/contract/fault.ts'
import type { JsonObject, ProcessOptions } from '../../src/index.ts'
import { runProcess } from '../../src/public/executors.ts'
import { executionContext } from './execution-context.ts'
import { hasSandbox, isRunning, makePrograms, runningAtOnce, runningOf } from './programs.ts'

const programs = makePrograms()
afterAll(() => programs.remove())

const sandbox = hasSandbox()
const root = process.geteuid?.() === 0
const ways = [
  { isolation: 'none', title: 'beside us' },
  ...(sandbox ? [{ isolation: 'bubblewrap', title: 'inside bubblewrap' } as const] : []),
] as const

let calls = 0
const newCall = () =>
  `01890000-0000-7000-9000-${String(++calls).padStart(4, '0')}${process.pid.toString().padStart(8, '0')}`

interface Ran {
  readonly value: { readonly text: string } | undefined
  readonly error: ToolError | undefined
  readonly callId: string
  readonly ms: number
}

async function run(options: ProcessOptions, args: JsonObject = {}, signal?: AbortSignal): Promise<Ran> {
  const callId = newCall()
  const context = executionContext({ callId, ...(signal === undefined ? {} : { signal }) })
  const start = performance.now()
  const outcome = await Promise.resolve(runProcess(options).run(args, context)).then(
    (value) => ({ value: value as { text: string }, error: undefined }),
    (error: unknown) => {
      if (!(error instanceof ToolError)) throw error
      return { value: undefined, error }
    },
  )
  return { ...outcome, callId, ms: performance.now() - start }
}

it.skipIf(sandbox)('bubblewrap does not work here: what only a sandbox holds is not tested', () => undefined)

describe.skipIf(process.platform !== 'linux').each(ways)('an attack $title', ({ isolation }) => {
  it('by a fork bomb is contained, and nothing of it is left [programs-are-limited]', async () => {
    const program = programs.program('bomb', 'bomb() { bomb | bomb & }; bomb; while :; do sleep 0.1; done')
    const limits = { processes: 20, graceMs: 200 }
    let peak = 0
    const callId = newCall()
    const watch = setInterval(() => {
      peak = Math.max(peak, runningAtOnce(callId))
    }, 50)
    const context = executionContext({ callId, signal: AbortSignal.timeout(1_500) })
    await expect(runProcess({ program, isolation, limits }).run({}, context)).rejects.toBeInstanceOf(ToolError)
    clearInterval(watch)
    // Its own limit, bubblewrap's two inside and the one outside.
    expect(peak).toBeGreaterThan(5)
    expect(peak).toBeLessThanOrEqual(23)
    await expect.poll(() => runningOf(callId)).toBe(0)
  })

  it('by endless output is cut off, and the program killed [programs-are-limited]', async () => {
    const program = programs.program('flood', 'head -c 1G /dev/zero')
    const errors = programs.program('flood-errors', 'head -c 1G /dev/zero >&2')
    for (const path of [program, errors]) {
      const before = process.memoryUsage().rss
      const { error, callId } = await run({ program: path, isolation })
      expect([error?.code, error?.effect, error?.class]).toEqual(['output_too_large', 'unknown', 'OUT_OF_BOUNDS'])
      expect(error?.message).toMatch(/^The program wrote more than \d+ bytes to (stdout|stderr), which is the most/)
      expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 * 1024)
      await expect.poll(() => runningOf(callId)).toBe(0)
    }
  })

  it('by a spinning processor is ended by its limit [programs-are-limited] [TC-285]', async () => {
    const program = programs.program('spin', 'while :; do :; done')
    const { error, ms } = await run({ program, isolation, limits: { cpuSeconds: 1 } })
    expect(error?.code).toBe('cpu_limit')
    expect(ms).toBeLessThan(30_000)
  })

  it('by hoarding memory fails in the program, not in us [programs-are-limited] [TC-285]', async () => {
    const program = programs.program('hoard', 'x=$(head -c 1G /dev/zero | tr "\\0" a); wc -c <<< "$x"')
    const { value, error } = await run({ program, isolation, limits: { memoryBytes: 64 * 1024 * 1024 } })
    expect(value).toBeUndefined()
    expect(error?.code).toMatch(/^(?:exit_|sig)/)
  })

  it('by a file without end is stopped at its limit [programs-are-limited]', async () => {
    const program = programs.program('fill', 'cd "$TMPDIR" && head -c 1G /dev/zero > big; stat -c %s big')
    const { value } = await run({ program, isolation, limits: { fileBytes: 1024 * 1024 } })
    expect(Number(value?.text)).toBeLessThanOrEqual(1024 * 1024)
  })

  it('by a daemon that leaves its group is ended with the call [nothing-outlives-its-call]', async () => {
    const program = programs.program(
      'daemon',
      '(setsid bash -c "sleep 300 & sleep 300" </dev/null >/dev/null 2>&1 &); exit 0',
    )
    const { value, callId } = await run({ program, isolation })
    expect(value).toEqual({ text: '' })
    await expect.poll(() => runningOf(callId)).toBe(0)
  })

  it('by a child that keeps the output open does not hold the answer back', async () => {
    const program = programs.program('holds', 'echo done; (env -i setsid sleep 20 &)')
    const { value, ms } = await run({ program, isolation })
    expect(value).toEqual({ text: 'done\n' })
    expect(ms).toBeLessThan(15_000)
  })

  it('by looking for our secrets in environments finds none [clean-environment] [TC-284]', async ({ skip }) => {
    // Beside us and as the same user, a program can read the environment of our own process.
    if (isolation === 'none' && !root) skip()
    process.env.PROVISO_TEST_SECRET = 'the-secret-of-the-host'
    const program = programs.program('peek', 'env; cat /proc/*/environ /proc/self/environ 2>/dev/null | tr "\\0" "\\n"')
    const { value } = await run({ program, isolation })
    expect(value?.text).toContain('PROVISO_CALL=')
    expect(value?.text).not.toContain('the-secret-of-the-host')
    delete process.env.PROVISO_TEST_SECRET
  })

  it.each([
    ['--exec=id', '{pattern}'],
    ['-exec', '{pattern}'],
    ['-o/tmp/x', '{pattern}'],
  ])('by the argument %s is refused before anything starts [argv-never-split]', async (value, item) => {
    const { error } = await run({ program: '/usr/bin/printf', arguments: [item], isolation }, { pattern: value })
    expect([error?.code, error?.effect]).toEqual(['invalid_arguments', 'none'])
    const problem = await runProcess({ program: '/usr/bin/printf', arguments: [item], isolation }).preflight?.(
      { pattern: value },
      executionContext(),
    )
    expect(problem).toMatchObject({ reason: 'invalid_arguments', field: '/pattern' })
  })

  it('by a path that leads upwards is refused where the argument is declared as one', async () => {
    const options = { program: '/usr/bin/cat', arguments: ['--', '{path}'], paths: ['/path'], isolation } as const
    for (const path of ['../../etc/passwd', '/etc/passwd', 'a/../../b']) {
      const problem = await runProcess(options).preflight?.({ path }, executionContext())
      expect(problem).toMatchObject({ reason: 'sandbox_violation', field: '/path' })
    }
  })

  it('by gaining rights comes to nothing', async () => {
    const program = programs.program('rights', 'grep -E "^(NoNewPrivs|CapEff|CapPrm)" /proc/self/status; id -u')
    const { value } = await run({ program, isolation })
    expect(value?.text).toMatch(/NoNewPrivs:\t1/)
    expect(value?.text).toMatch(/CapEff:\t0+\n/)
    if (root) expect(value?.text).toMatch(/\n200001\n$/)
  })

  it('by raising its own limits is refused by the kernel', async () => {
    const program = programs.program('raise', 'ulimit -u 100000; ulimit -v unlimited; ulimit -f unlimited; ulimit -u')
    const { value } = await run({ program, isolation, limits: { processes: 20 } })
    expect(Number(value?.text)).toBeLessThan(100_000)
  })
})

describe.skipIf(process.platform !== 'linux').each(ways)('a program $title', ({ isolation }) => {
  it('ends when our own process is killed [nothing-outlives-its-call]', async () => {
    // Beside us the program itself ends with us; what it has started in turn is held by the sandbox alone.
    const program = programs.program('waits', isolation === 'none' ? 'exec sleep 300' : 'sleep 300; true')
    const callId = newCall()
    const [executor, context] = ['../../src/public/executors.ts', './execution-context.ts'].map(
      (path) => new URL(path, import.meta.url).href,
    )
    const code = `
      import { runProcess } from '${executor}'
      import { executionContext } from '${context}'
      await runProcess(${JSON.stringify({ program, isolation })}).run({}, executionContext({ callId: '${callId}' }))`
    const host = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: 'ignore' })
    // It is bound to us before it starts; bubblewrap binds the process that watches over it beside that, a moment later.
    await expect.poll(() => isRunning(callId, 'sleep')).toBe(true)
    await sleep(isolation === 'none' ? 0 : 200)
    host.kill('SIGKILL')
    await expect.poll(() => runningOf(callId)).toBe(0)
  })
})

describe.skipIf(!sandbox)('inside bubblewrap', () => {
  const isolation = 'bubblewrap'
  let port = 0
  let connected = 0
  const server = createServer((socket) => {
    connected++
    socket.end('hello')
  })
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    port = typeof address === 'object' && address !== null ? address.port : 0
  })
  afterAll(() => void server.close())

  it('a program connects to no host, unless it has a network [sandbox-has-no-network] [TC-285]', async () => {
    const program = programs.program('connect', 'exec 3<>/dev/tcp/127.0.0.1/$1 && cat <&3')
    const options = { program, arguments: ['{port}'], isolation } as const
    expect((await run(options, { port })).error?.code).toBe('exit_1')
    expect(connected).toBe(0)
    expect((await run({ ...options, network: true }, { port })).value).toEqual({ text: 'hello' })
    expect(connected).toBe(1)
  })

  it('the root cannot be written, and only /tmp and a writable root can', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'proviso-box-'))
    chmodSync(folder, 0o777)
    const lines = `for p in / /usr /etc /dev /proc /root /home ${folder} /tmp; do touch $p/proviso-x 2>/dev/null && echo $p; done; true`
    const program = programs.program('touch-all', lines)
    expect((await run({ program, root: folder, isolation })).value).toEqual({ text: '/tmp\n' })
    const written = await run({ program, root: folder, writable: true, isolation })
    expect(written.value).toEqual({ text: `${folder}\n/tmp\n` })
    expect(readdirSync(folder)).toEqual(['proviso-x'])
    rmSync(folder, { recursive: true })
  })

  it('files of the host are not there, and our processes are not seen [TC-284]', async () => {
    const secret = join(programs.folder, 'secret-of-the-host')
    writeFileSync(secret, 'secret', { mode: 0o644 })
    const program = programs.program(
      'look',
      `cat ${secret} /etc/shadow /etc/hostname /etc/machine-id 2>/dev/null; ls /home /root /var 2>/dev/null; ls /proc | grep -c "^[0-9]"; hostname`,
    )
    const { value } = await run({ program, isolation })
    const [processes, host] = value?.text.trim().split('\n') ?? []
    expect(Number(processes)).toBeLessThan(8)
    expect(host).toBe('sandbox')
    expect(readFileSync(secret, 'utf8')).toBe('secret')
  })

  it('a link in the root leads nowhere outside', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'proviso-box-'))
    chmodSync(folder, 0o755)
    const { symlinkSync } = await import('node:fs')
    symlinkSync('/etc/hostname', join(folder, 'link'))
    const options = { program: '/usr/bin/cat', arguments: ['--', '{path}'], root: folder, isolation } as const
    expect((await run(options, { path: 'link' })).error?.code).toBe('exit_1')
    rmSync(folder, { recursive: true })
  })

  it('no namespace of users can be made to gain rights in', async () => {
    const program = programs.program('nest', 'unshare --user true && echo nested; true')
    expect((await run({ program, isolation })).value).toEqual({ text: '' })
  })

  it('a daemon that wiped its environment ends too [nothing-outlives-its-call]', async () => {
    const marker = `${280 + calls}.${process.pid}`
    const program = programs.program(
      'hidden-daemon',
      `(env -i setsid sleep ${marker} </dev/null >/dev/null 2>&1 &); sleep 0.2`,
    )
    await run({ program, isolation })
    const commands = () =>
      readdirSync('/proc').filter((name) => {
        try {
          return readFileSync(`/proc/${name}/cmdline`, 'latin1').includes(`sleep\0${marker}`)
        } catch {
          return false
        }
      })
    await expect.poll(commands).toEqual([])
  })

  it('a sandbox that cannot be set up has run nothing', async () => {
    const { error } = await run({ program: '/usr/bin/true', readable: ['/nonexistent/place'], isolation })
    expect([error?.code, error?.effect, error?.class]).toEqual(['setup_required', 'none', 'DEPENDENCY_UNAVAILABLE'])
  })
})
