// One way of the four: runs the hostile program as this process's user, beside a call of another tenant, and says what it has reached, and
// what it has left. Run as a process of its own, so that it can be another user, and be handed a descriptor by its parent.
import { execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { systemProgram } from '../../../src/execute/executors/process/program.ts'
import { runProcess } from '../../../src/public/executors.ts'
import { executionContext } from '../execution-context.ts'

export interface AttackInput {
  readonly isolation: 'bubblewrap' | 'none'
  /** The folder of an embedded server's data, and its processes and socket. */
  readonly ledger: string
  readonly ledgerPids: readonly number[]
  readonly ledgerSocket: string
  /** A file that only root may read. */
  readonly secretFile: string
}

/** For each attack how it has reached its aim, or null. */
export interface AttackReport {
  readonly user: number
  readonly isolation: 'bubblewrap' | 'none'
  readonly reached: Readonly<Record<string, string | null>>
}

const mebibyte = 1024 * 1024
const limits = {
  memoryBytes: 64 * mebibyte,
  fileBytes: 32 * mebibyte,
  processes: 12,
  cpuSeconds: 60,
  stderrBytes: mebibyte,
} as const

let calls = 0
const callId = () =>
  `01890000-0000-7000-a000-${String(++calls).padStart(4, '0')}${process.pid.toString().padStart(8, '0')}`

async function attack(input: AttackInput): Promise<AttackReport> {
  const { isolation } = input
  const folder = mkdtempSync(join(tmpdir(), 'proviso-hostile-'))
  chmodSync(folder, 0o755)
  const program = join(folder, 'hostile')
  copyFileSync(new URL('./hostile.py', import.meta.url), program)
  chmodSync(program, 0o755)
  const victim = join(folder, 'victim')
  mkdirSync(victim, { mode: 0o700 })
  writeFileSync(join(victim, 'precious'), 'precious')
  const [run, otherSecret] = [randomBytes(8).toString('hex'), randomBytes(8).toString('hex')]
  const hostSecret = process.env.PROVISO_HOSTILE_SECRET ?? ''
  const server = createServer((socket) => socket.end()).listen(0, '127.0.0.1')
  const local = createServer((socket) => socket.end()).listen(`\0proviso-${run}`)
  await Promise.all([server, local].map((one) => new Promise((resolve) => one.once('listening', resolve))))
  const address = server.address()
  const other = otherTenant(isolation, folder, otherSecret)
  try {
    const otherPids = await until(
      () => running('other-tenant'),
      (pids) => pids.length > 0,
    )
    const strayName = `stray-${run}`
    const world = {
      run,
      hostSecret,
      otherSecret,
      otherPids,
      hostPid: process.pid,
      temporary: realpathSync(tmpdir()),
      guessed: keyFiles(),
      secretFile: input.secretFile,
      ledger: input.ledger,
      ledgerPids: input.ledgerPids,
      ledgerSocket: input.ledgerSocket,
      victim,
      program,
      memoryBytes: limits.memoryBytes,
      fileBytes: limits.fileBytes,
      processes: limits.processes,
      hoardMib: 200,
      port: typeof address === 'object' && address !== null ? address.port : 0,
      abstract: `proviso-${run}`,
      strayName,
      segmentKey: Number.parseInt(run.slice(0, 7), 16),
    }
    const reports: Readonly<Record<string, string | null>>[] = []
    const warnings: string[] = []
    // Twice, as two tenants: the second one looks for what the first one has left.
    for (const [tenant, programUser] of [
      ['acme', 200_001],
      ['globex', 200_002],
    ] as const) {
      const executor = runProcess({
        program,
        stdin: '',
        output: 'json',
        isolation,
        limits,
        credentials: { own: { file: 'KEY_FILE' } },
      })
      const credentials = new Map([['own', 'own-secret']])
      const context = {
        tenant,
        programUser,
        credentials,
        callId: callId(),
        warn: (text: string) => void warnings.push(text),
      }
      const before = keyFiles()
      const report = await Promise.resolve(executor.run(world, executionContext(context))).then(
        (value) => value as Record<string, string | null>,
        (error: unknown) => ({ call_failed: `${error}` }),
      )
      reports.push({ ...report, ...(await leftBehind({ strayName, world, before, warnings })) })
    }
    const [first = {}, second = {}] = reports
    const reached = Object.fromEntries(
      Object.entries({ ...first, ...second }).map(([id]) => [id, second[id] ?? first[id] ?? null]),
    )
    return { user: process.geteuid?.() ?? 0, isolation, reached }
  } finally {
    other.end()
    await other.ended
    for (const one of [server, local]) one.close()
    for (const pid of running(`stray-${run}`)) process.kill(pid, 'SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  }
}

/** A call of a third tenant that goes on meanwhile, with a secret in its environment and one in a file. */
function otherTenant(isolation: 'bubblewrap' | 'none', folder: string, secret: string) {
  const program = join(folder, 'other-tenant')
  writeFileSync(program, '#!/bin/bash\nwhile :; do sleep 0.2; done\n')
  chmodSync(program, 0o755)
  const controller = new AbortController()
  const executor = runProcess({
    program,
    isolation,
    limits: { graceMs: 100 },
    credentials: { key: { env: 'KEY' }, disk: { file: 'KEY_FILE' } },
  })
  const credentials = new Map(['key', 'disk'].map((name) => [name, secret]))
  const context = { tenant: 'initech', programUser: 200_003, credentials, callId: callId(), signal: controller.signal }
  const ended = Promise.resolve(executor.run({}, executionContext(context))).catch(() => undefined)
  return { end: () => controller.abort(), ended }
}

interface Left {
  readonly strayName: string
  readonly world: { readonly victim: string; readonly segmentKey: number; readonly temporary: string }
  readonly before: readonly string[]
  readonly warnings: readonly string[]
}

/** What is still there once the call has ended. */
async function leftBehind({ strayName, world, before, warnings }: Left): Promise<Record<string, string | null>> {
  const strays = await until(
    () => running(strayName),
    (pids) => pids.length === 0,
  )
  for (const pid of strays) end(pid)
  const segments = readFileSync('/proc/sysvipc/shm', 'latin1')
    .split('\n')
    .filter((row) => Number(row.trim().split(/\s+/)[0]) === world.segmentKey)
  for (const row of segments) execFileSync(systemProgram('ipcrm') ?? '', ['-m', row.trim().split(/\s+/)[1] ?? ''])
  const shared = join('/dev/shm', strayName)
  const isShared = existsSync(shared)
  rmSync(shared, { force: true })
  const files = keyFiles().filter((path) => !before.includes(path))
  return {
    stray_survives: strays.length > 0 ? `${strays.length} processes` : null,
    segment_survives: segments.length > 0 ? 'a segment of System V' : null,
    shared_file_survives: isShared ? shared : null,
    scratch_survives: files.length > 0 ? files.join(', ') : null,
    cleaning_warned: warnings.length > 0 ? warnings.join(', ') : null,
    victim_harmed: existsSync(join(world.victim, 'precious')) ? null : 'what lay in it is gone',
  }
}

/** Everything in the scratch folders of this process's calls; tests beside us have calls of their own. */
function keyFiles(): readonly string[] {
  const place = realpathSync(tmpdir())
  return readdirSync(place)
    .filter((name) => name.startsWith('proviso-call-') && name.includes(`-${process.pid}.`))
    .flatMap((name) => {
      try {
        return readdirSync(join(place, name), { recursive: true, encoding: 'utf8' }).map((path) =>
          join(place, name, path),
        )
      } catch {
        return []
      }
    })
}

function running(name: string): readonly number[] {
  return readdirSync('/proc')
    .filter((pid) => /^[0-9]+$/.test(pid))
    .map(Number)
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'latin1')
          .split('\0')
          .some((part) => part === name || part.endsWith(`/${name}`))
      } catch {
        return false
      }
    })
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // Gone already.
  }
}

/** Looks until it is as wanted, for three seconds at most; gives what was seen last. */
async function until<T>(look: () => T, wanted: (seen: T) => boolean): Promise<T> {
  for (let left = 60; left > 0 && !wanted(look()); left--) await sleep(50)
  return look()
}

/**
 * A parent of Proviso that leaves descriptors open, a folder of the whole machine among them, and a keyring, as a log-in does.
 */
const holder = `
import ctypes, os, platform, sys
for number, path in ((60, '/'), (61, '/etc/hostname')):
    os.dup2(os.open(path, os.O_RDONLY), number)
ctypes.CDLL(None).syscall(219 if platform.machine() == 'aarch64' else 250, 1, None)
os.execv(sys.argv[1], sys.argv[1:])
`

/** Runs the attack in a process of its own, as this user, with a folder of the whole machine open in it. */
export function attackAs(user: number | undefined, input: AttackInput): Promise<AttackReport> {
  const argv = [process.execPath, new URL(import.meta.url).pathname, JSON.stringify(input)]
  const child = spawn('/usr/bin/python3', ['-c', holder, ...argv], {
    cwd: '/',
    env: { ...process.env, PROVISO_HOSTILE_SECRET: randomBytes(8).toString('hex') },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(user === undefined ? {} : { uid: user, gid: user }),
  })
  const [out, error] = [child.stdout, child.stderr].map((stream) => {
    const chunks: Buffer[] = []
    stream.on('data', (chunk: Buffer) => chunks.push(chunk))
    return () => Buffer.concat(chunks).toString('utf8')
  })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => {
      if (code === 0) resolve(JSON.parse(out?.() ?? '') as AttackReport)
      else reject(new Error(`The attack itself ended with ${code}: ${error?.()}`))
    })
  })
}

if (process.argv[1] === new URL(import.meta.url).pathname)
  process.stdout.write(JSON.stringify(await attack(JSON.parse(process.argv[2] ?? '') as AttackInput)))
