// The package as its users get it: packed, installed into an empty folder, and run on the oldest Node it supports. Needs `npm run build`
// first, which `npm test` does; says so and goes on where no package registry can be reached.
import { execFile } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import packageJson from '../package.json' with { type: 'json' }
import { probeImport } from '../scripts/import-probe.ts'
import { installNode, type PackedPackage, packAndInstall } from '../scripts/packed-package.ts'
import { projectRoot } from './source-files.ts'

const run = promisify(execFile)
const oldestNode = '22.18.0'
/** The first snippet that needs nothing but this package. */
const firstSnippet = /<!-- examples\/quick-start\/\S+ -->\n```ts\n([\s\S]*?)```/

interface Installed {
  readonly packed: PackedPackage
  /** Runs a program in the consumer's folder on the oldest Node. */
  readonly inConsumer: (file: string, args: readonly string[]) => Promise<{ readonly stdout: string }>
  readonly node: string
}

let installed: Installed | undefined
let reason = ''

beforeAll(async () => {
  if (!existsSync(`${projectRoot}dist/src/index.js`))
    throw new Error('There is no build to pack: run npm run build first.')
  const packing = await packAndInstall()
  if (!packing.ok) {
    reason = packing.reason
    return
  }
  const packed = packing.package
  const runtime = await installNode(join(packed.consumer, '..'), oldestNode)
  if (!runtime.ok) {
    reason = runtime.reason
    await packed.remove()
    return
  }
  const env = { ...process.env, PATH: `${runtime.bin}${delimiter}${process.env.PATH}` }
  installed = {
    packed,
    node: join(runtime.bin, 'node'),
    inConsumer: (file, args) => run(file, args, { cwd: packed.consumer, env }),
  }
}, 300_000)

afterAll(() => installed?.packed.remove())

/** A test of the installed package; visibly skipped where it could not be installed. */
const installedTest = (title: string, body: (it: Installed) => Promise<void>) =>
  test(title, async ({ skip }) => {
    if (installed === undefined) return skip(reason)
    await body(installed)
  })

describe(`the packed package on Node ${oldestNode}`, () => {
  installedTest('runs on that Node and no other', async ({ inConsumer }) => {
    const { stdout } = await inConsumer('node', ['--version'])
    expect(stdout.trim()).toBe(`v${oldestNode}`)
  })

  installedTest("runs the README's first snippet [package-installs-and-runs]", async ({ packed, inConsumer }) => {
    const readme = readFileSync(join(packed.consumer, 'node_modules/proviso/README.md'), 'utf8')
    const snippet = firstSnippet.exec(readme)?.[1] ?? ''
    expect(snippet).toContain("from 'proviso'")
    writeFileSync(join(packed.consumer, 'snippet.ts'), snippet)
    const { stdout } = await inConsumer('node', ['--disable-warning=ExperimentalWarning', 'snippet.ts'])
    expect(readme).toContain(`\`\`\`text\n${stdout}\`\`\``)
  })

  installedTest('prints the 21 phases by its binary [package-installs-and-runs]', async ({ inConsumer }) => {
    const { stdout } = await inConsumer('npx', ['--no-install', 'proviso', 'gates', '--json'])
    expect(JSON.parse(stdout)).toHaveLength(21)
  })

  installedTest('plays its demo to a good end [package-installs-and-runs]', async ({ inConsumer }) => {
    const { stdout } = await inConsumer('npx', ['--no-install', 'proviso', 'demo'])
    expect(stdout).not.toBe('')
  })

  installedTest('takes at most 8 MB with all its dependencies [package-is-light]', async ({ packed }) => {
    expect(packed.installedBytes).toBeLessThanOrEqual(8_000_000)
  })

  installedTest('imports without side effects and without heavy parts [package-is-light]', async ({ packed, node }) => {
    const { loaded, sideEffects } = await probeImport(packed.consumer, node, true)
    expect(sideEffects).toEqual([])
    expect(loaded.some((path) => path.startsWith('proviso/'))).toBe(true)
    const packages = new Set(
      loaded.map((path) =>
        path
          .split('/')
          .slice(0, path.startsWith('@') ? 2 : 1)
          .join('/'),
      ),
    )
    expect([...packages].filter((name) => name !== 'proviso' && !name.startsWith('node:'))).toEqual([])
    const timed = await probeImport(packed.consumer, node, false)
    console.log(
      `importing proviso took ${timed.ms.toFixed(0)} ms (one sample; npm run measure:weight takes the median of several)`,
    )
  })

  installedTest('offers every subpath it names [package-installs-and-runs]', async ({ inConsumer }) => {
    const subpaths = Object.entries(packageJson.exports).flatMap(([subpath, target]) =>
      typeof target === 'string' || subpath.startsWith('./adapters/') ? [] : [`proviso${subpath.slice(1)}`],
    )
    const program = subpaths.map((name) => `console.log(Object.keys(await import('${name}')).length > 0)`).join('\n')
    const { stdout } = await inConsumer('node', ['--input-type=module', '--eval', program])
    expect(stdout.trim().split('\n')).toEqual(subpaths.map(() => 'true'))
  })

  installedTest('has nothing that publint objects to', async ({ packed }) => {
    const tarball = readFileSync(packed.tarball)
    const { messages } = await publint({
      strict: true,
      pack: { tarball: new Uint8Array(tarball).buffer },
    })
    expect(messages.map((message) => formatMessage(message, packageJson))).toEqual([])
  })
})
