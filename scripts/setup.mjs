// Makes a checkout ready: installs what package-lock.json names, once per change. Runs on any Node from 18, because the project's
// own Node 24 is itself one of the packages installed here. `npm ci` is not used: it refuses a lock file made on another platform.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const stamp = join(root, 'node_modules', '.proviso-setup')
const wanted = createHash('sha256')
  .update(readFileSync(join(root, 'package.json')))
  .update(readFileSync(join(root, 'package-lock.json')))
  .update(`${process.platform}-${process.arch}`)
  .digest('hex')

const ready = () =>
  existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted && existsSync(join(root, 'node_modules', '.bin', 'node'))

if (!ready()) {
  process.stderr.write('Setting up: npm install (once; skipped until package.json or package-lock.json changes)\n')
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm'
  const result = spawnSync(npm, ['install', '--no-audit', '--no-fund', '--no-save', '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: process.platform === 'win32',
  })
  if (result.status !== 0) {
    process.stderr.write(
      'Setting up failed: `npm install` did not succeed. Is a package registry reachable? Run it by hand to see why.\n',
    )
    process.exit(result.status ?? 1)
  }
  writeFileSync(stamp, wanted)
}
