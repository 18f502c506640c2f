// On a Node that is too old every entry says which one is needed, in one line.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { projectRoot } from './source-files.ts'

/** Lets a process take itself for an older Node. */
const pretending = `data:text/javascript,Object.defineProperty(process.versions, 'node', { value: '20.20.2' })`
const onOldNode = (...args: readonly string[]) =>
  spawnSync(process.execPath, ['--import', pretending, ...args], { cwd: projectRoot, encoding: 'utf8' })

const engines = (JSON.parse(readFileSync(`${projectRoot}package.json`, 'utf8')) as { engines: { node: string } })
  .engines
const line = `needs Node ${engines.node.replace('>=', '')} or later; this is Node 20.20.2.`

it('the command says so and ends with 2', () => {
  const { status, stdout, stderr } = onOldNode('bin/proviso.js', 'gates')
  expect([status, stdout, stderr.split('\n')]).toEqual([2, '', [expect.stringContaining(line), '']])
})

it.each(['index.ts', 'public/executors.ts', 'ledger/index.ts', 'subschema/index.ts', 'adapters/ai-sdk.ts'])(
  'an import of %s says so',
  (file) => {
    const { status, stderr } = onOldNode('--input-type=module', '--eval', `import '${projectRoot}src/${file}'`)
    expect(status).toBe(1)
    expect(stderr).toContain(`Proviso ${line}`)
    expect(stderr).not.toContain('    at ')
  },
)
