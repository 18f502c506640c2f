// The hostile program in all ways that this machine lets us try: as root and as a user, inside bubblewrap and beside us. Where this process is
// root, the server of an embedded ledger runs meanwhile, so that there is one to reach.
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findSandbox } from '../../../src/execute/executors/process/sandbox.ts'
import { startEmbedded } from '../../../src/ledger/embedded/start-embedded.ts'
import { type AttackInput, type AttackReport, attackAs } from './attack.ts'
import { attacks, type Way, ways } from './attacks.ts'

/** Of no account: the user that is not root, where this process is. */
const someUser = 65_432

export interface WayReport {
  readonly way: Way
  readonly user: number
  /** Why it was not tried; the others are empty then. */
  readonly skipped: string | undefined
  readonly reached: AttackReport['reached']
  /** What it has reached although it may not. */
  readonly faults: readonly string[]
}

const isRoot = process.geteuid?.() === 0

/** Why the four ways cannot be tried in full; undefined where they can. */
export function reasonToSkip(way: Way): string | undefined {
  if (process.platform !== 'linux') return 'programs are run on Linux alone'
  if (spawnSync('/usr/bin/python3', ['-c', 'import ctypes'], { cwd: '/' }).status !== 0)
    return 'the hostile program wants /usr/bin/python3'
  if (way.startsWith('root') && !isRoot) return 'this process is not root'
  if (way.endsWith('bubblewrap') && !findSandbox(undefined).ok) return 'bubblewrap does not work here'
  if (way.startsWith('user') && isRoot && !readsUs(someUser))
    return 'no other user can read this checkout or run this Node'
  return undefined
}

const readsUs = (uid: number) =>
  spawnSync(process.execPath, ['-e', `fs.accessSync(new URL('${import.meta.url}'))`], { uid, gid: uid, cwd: '/' })
    .status === 0

export async function attackEveryWay(tell: (report: WayReport) => void): Promise<readonly WayReport[]> {
  const folder = mkdtempSync('/tmp/proviso-attacked-')
  chmodSync(folder, 0o755)
  const secretFile = join(folder, 'secret')
  writeFileSync(secretFile, 'secret', { mode: 0o600 })
  const server = isRoot ? await startEmbedded({ dir: join(folder, 'ledger') }) : undefined
  const reports: WayReport[] = []
  try {
    const ledger = server === undefined ? undefined : serverIn(server.connection.host)
    for (const way of ways) {
      const report = await attackOneWay(way, { secretFile, ...(ledger ?? noLedger) })
      reports.push(report)
      tell(report)
    }
  } finally {
    await server?.release()
    rmSync(folder, { recursive: true, force: true })
  }
  return reports
}

type Victims = Omit<AttackInput, 'isolation'>

async function attackOneWay(way: Way, victims: Victims): Promise<WayReport> {
  const skipped = reasonToSkip(way)
  if (skipped !== undefined) return { way, user: -1, skipped, reached: {}, faults: [] }
  const isolation = way.endsWith('bubblewrap') ? 'bubblewrap' : 'none'
  const { user, reached } = await attackAs(way.startsWith('user') && isRoot ? someUser : undefined, {
    ...victims,
    isolation,
  })
  const known = Object.entries(attacks).flatMap(([id, { lets }]) => {
    if (!(id in reached)) return [`${id}: it was not tried`]
    return reached[id] === null || lets.includes(way) ? [] : [`${id}: ${reached[id]}`]
  })
  const unknown = Object.keys(reached).filter((id) => !(id in attacks))
  return { way, user, skipped: undefined, reached, faults: [...known, ...unknown.map((id) => `${id}: ${reached[id]}`)] }
}

const noLedger = { ledger: '/nonexistent', ledgerPids: [], ledgerSocket: '/nonexistent/socket' } as const

/** The data and the processes of the server that has its socket here. */
function serverIn(socketFolder: string): Pick<AttackInput, 'ledger' | 'ledgerPids' | 'ledgerSocket'> {
  const pids = readdirSync('/proc').filter((name) => /^[0-9]+$/.test(name) && commandOf(name).includes(socketFolder))
  const ledger = /-D\0([^\0]+)\0/.exec(commandOf(pids[0] ?? ''))?.[1] ?? ''
  return { ledger, ledgerPids: pids.map(Number), ledgerSocket: join(socketFolder, '.s.PGSQL.5432') }
}

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1')
  } catch {
    return ''
  }
}
