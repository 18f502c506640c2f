// A sandbox of bubblewrap: new namespaces for users, processes, shared memory, hosts and network, a filter of system calls, a root that
// holds little and cannot be written, a private /tmp. All that starts inside ends with it. Whether it works here is tried once, not assumed.
import { spawnSync } from 'node:child_process'
import { existsSync, lstatSync, readlinkSync } from 'node:fs'
import { findProgram, systemProgram } from './program.ts'
import { runAs } from './run-as.ts'
import type { ProcessLimits } from './settings.ts'
import { noFilter, systemCallFilter } from './system-calls.ts'

export interface SandboxView {
  readonly network: boolean
  /** What can be read inside besides the system's own programs. */
  readonly readable: readonly string[]
  readonly root: { readonly path: string; readonly writable: boolean } | undefined
  /** Where it starts. */
  readonly folder: string
  readonly fileBytes: ProcessLimits['fileBytes']
}

/** Of /etc only what programs need to start, to know the time, and to connect where that is allowed. */
const settingsOfTheSystem = ['ld.so.cache', 'alternatives', 'localtime', 'nsswitch.conf', 'passwd', 'group']
const settingsOfNetworks = ['resolv.conf', 'hosts', 'ssl', 'ca-certificates', 'pki']

/** Everything before the command that runs inside. */
export function sandboxArguments({ network, readable, root, folder, fileBytes }: SandboxView): readonly string[] {
  const etc = [...settingsOfTheSystem, ...(network ? settingsOfNetworks : [])].map((name) => `/etc/${name}`)
  const size = String(fileBytes)
  return [
    ...['--unshare-all', '--unshare-user', '--disable-userns', '--die-with-parent', '--cap-drop', 'ALL'],
    ...(network ? ['--share-net'] : []),
    ...['--hostname', 'sandbox', '--ro-bind', '/usr', '/usr'],
    ...['/bin', '/sbin', '/lib', '/lib32', '/lib64'].flatMap(asOnHost),
    ...etc.flatMap((path) => ['--ro-bind-try', path, path]),
    ...['--proc', '/proc', '--dev', '/dev', '--size', size, '--tmpfs', '/dev/shm', '--remount-ro', '/dev'],
    ...['--size', size, '--perms', '1777', '--tmpfs', '/tmp'],
    ...readable.flatMap((path) => ['--ro-bind', path, path]),
    ...(root === undefined ? [] : [root.writable ? '--bind' : '--ro-bind', root.path, root.path]),
    ...['--remount-ro', '/', '--chdir', folder],
  ]
}

/** On most systems these are links into /usr, on some folders of their own. */
function asOnHost(path: string): readonly string[] {
  if (!existsSync(path)) return []
  return lstatSync(path).isSymbolicLink() ? ['--symlink', readlinkSync(path), path] : ['--ro-bind', path, path]
}

export type SandboxFinding =
  | { readonly ok: true; readonly bubblewrap: string }
  | { readonly ok: false; readonly message: string }

const findings = new Map<string, SandboxFinding>()

/** Runs a program that does nothing, as every call will run its own; about 20 ms, once for a process. */
export function findSandbox(path: string | undefined): SandboxFinding {
  const bubblewrap = path ?? systemProgram('bwrap')
  if (bubblewrap === undefined || !existsSync(bubblewrap))
    return { ok: false, message: 'bubblewrap is not installed, and this tool runs nowhere else than inside it.' }
  // What holds the sandbox is judged like what runs in it. On some systems it is setuid.
  const judged = findProgram(bubblewrap, { setuid: true })
  if (!judged.ok) return { ok: false, message: `bubblewrap is not used here. ${judged.message}` }
  const found = findings.get(bubblewrap) ?? tryOut(bubblewrap)
  findings.set(bubblewrap, found)
  return found
}

function tryOut(bubblewrap: string): SandboxFinding {
  const prlimit = systemProgram('prlimit')
  const nothing = systemProgram('true')
  if (prlimit === undefined || nothing === undefined)
    return { ok: false, message: 'prlimit of util-linux is not installed; without it nothing is limited.' }
  const filter = systemCallFilter(false)
  if (filter === undefined) return { ok: false, message: noFilter }
  const view = { network: false, readable: [], root: undefined, folder: '/tmp', fileBytes: 65_536 }
  const { status, stderr, error } = spawnSync(
    bubblewrap,
    ['--seccomp', '0', ...sandboxArguments(view), '--', prlimit, '--nproc=8', '--', nothing],
    { ...runAs(undefined), env: {}, cwd: '/', timeout: 10_000, input: filter, stdio: ['pipe', 'ignore', 'pipe'] },
  )
  if (status === 0) return { ok: true, bubblewrap }
  const why = error?.message ?? stderr?.toString('utf8').split('\n')[0]?.slice(0, 200) ?? 'it ended badly'
  return { ok: false, message: `bubblewrap is installed and does not work here: ${why}` }
}
