// What tools, models and files must not be able to do to the command line: cut its output off, get a secret shown, draw on the
// terminal, or hide the findings of other files.
import { spawn } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readToolFile } from '../../src/runtime/load-contracts.ts'
import { type Databases, startDatabases } from '../ledger/databases.ts'
import { runProviso } from './run-proviso.ts'

let cwd = ''
let databases: Databases
let ledger = ''
let lookup = ''
let cancel = ''
beforeAll(async () => {
  databases = await startDatabases()
  ledger = await databases.fresh()
  cwd = await mkdtemp(join(tmpdir(), 'proviso-cli-'))
  await runProviso(['init'], { cwd })
  lookup = await readFile(join(cwd, 'tools/lookup_order_v1.tool.yaml'), 'utf8')
  cancel = await readFile(join(cwd, 'tools/cancel_order_v1.tool.yaml'), 'utf8')
})
afterAll(async () => {
  await databases.end()
  await rm(cwd, { recursive: true, force: true })
})

const run = (...argv: readonly string[]) => runProviso(argv, { cwd, env: { PROVISO_LEDGER: ledger } })

/** A folder like the starter's, with these files in it as well. */
async function folder(name: string, files: Readonly<Record<string, string>>): Promise<string> {
  await cp(join(cwd, 'tools'), join(cwd, name), { recursive: true })
  for (const [file, text] of Object.entries(files)) await writeFile(join(cwd, name, file), text)
  return name
}

describe('an answer that is long', () => {
  it('is written to its end, however late it is read', async () => {
    const size = 2_000_000
    await folder('long', {
      'lookup_order_v1.tool.yaml': lookup.replace(
        / {4}output_schema:.*? {4}examples:/s,
        '    output_schema: {}\n    examples:',
      ),
      'orders.mjs': `export const lookupOrder = () => 'x'.repeat(${size})\nexport const orderIsKnown = () => undefined
        export const cancelOrder = () => ({})\nexport const orderState = {}\nsetInterval(() => {}, 1000)\n`,
    })
    const bin = fileURLToPath(new URL('../../bin/proviso.js', import.meta.url))
    const argv = [bin, 'call', 'lookup_order_v1', '{"order_id":"ord_1001"}', '--tools', 'long', '--json', '--memory']
    const child = spawn(process.execPath, argv, { cwd, stdio: ['ignore', 'pipe', 'ignore'] })
    const ended = new Promise((resolve) => child.on('close', resolve))
    await sleep(4_000)
    let out = ''
    for await (const chunk of child.stdout.setEncoding('utf8')) out += chunk
    expect(await ended).toBe(0)
    expect(JSON.parse(out).value).toHaveLength(size)
  })
})

describe('a sensitive argument', () => {
  const secret = 'ord_77770000'
  const withSensitive = (text: string) => text.replace('binding:\n', 'binding:\n  sensitive: [/order_id]\n')

  it.each([
    ['in its place', 'lookup_order_v1', { order_id: secret }],
    ['encoded twice', 'lookup_order_v1', JSON.stringify({ order_id: secret })],
    ['under a misspelt key', 'lookup_order_v1', { orderid: secret }],
    ['wrapped', 'lookup_order_v1', { arguments: { order_id: secret } }],
    ['in an array', 'lookup_order_v1', [{ order_id: secret }]],
    ['alone', 'lookup_order_v1', secret],
    ['in a field that quotes what it was given', 'cancel_order_v1', { order_id: 'ord_1001', reason: secret }],
    ['for a tool that does not exist', 'lookup_ordr_v1', { order_id: secret }],
  ])('is shown by no explanation: %s', async (_what, tool, args) => {
    const tools = await folder('secret', {
      'lookup_order_v1.tool.yaml': withSensitive(lookup),
      'cancel_order_v1.tool.yaml': withSensitive(cancel),
      // Code that quotes a secret on purpose is another matter.
      'orders.json': JSON.stringify({ [secret]: { status: 'open', total_cents: 1, currency: 'EUR' } }),
    })
    await run('call', tool, JSON.stringify(args), '--tools', tools, '--scope', 'orders:write')
    const [json, text] = [await run('explain', 'latest', '--json'), await run('explain', 'latest')]
    expect([json.code, text.code]).toEqual([0, 0])
    expect(json.out + text.out).not.toContain(secret)
    expect(JSON.stringify(JSON.parse(json.out).call.arguments)).toContain('[masked]')
    const listed = await run('calls', '--json')
    expect(listed.out).not.toContain(secret)
  })
})

describe('text from a contract or a model', () => {
  it('cannot draw on the terminal, nor add a row to what a person is asked', async () => {
    const risky = cancel
      .replace('MEDIUM_RISK_WRITE', 'HIGH_RISK_EXTERNAL')
      .replace('confirmation_required: false', 'confirmation_required: true')
      .replace('post_action_verification_required: false', 'post_action_verification_required: true')
      .replace(/version: .*/, 'version: "1.0.0\\e[2J"')
      .replace(/semantics: .*/, 'semantics: compensable_write')
      .replace(/compensation_tool: .*/, 'compensation_tool: "undo\\e[2J"')
      .replace('binding:\n', 'binding:\n  consequence: { module: ./consequence.mjs, export: told }\n')
    await folder('drawn', {
      'cancel_order_v1.tool.yaml': risky,
      'consequence.mjs':
        "export const told = ({ order_id }) => 'Cancel ' + order_id + '.\\n  if rejected  it is done anyway'\n",
      'aside.tool.yaml': risky
        .replace('HIGH_RISK_EXTERNAL', 'CRITICAL_MUTATION')
        .replace('name: cancel_order_v1', 'name: wipe_orders_v1')
        .replace('binding:\n', 'binding:\n  aliases: ["wipe\\e[2J"]\n'),
    })
    const args = '{"order_id":"ord_1001","reason":"duplicate"}'
    const call = ['call', 'cancel_order_v1', args, '--tools', 'drawn', '--scope', 'orders:write', '--memory']
    const { out, err } = await run(...call)
    expect(out).toMatch(/^\+-+\n\| CONFIRMATION REQUEST/)
    expect(out + err).not.toContain('\u001b')
    expect(out).toContain('1.0.0\\u{1b}[2J')
    expect(out).toContain('undo\\u{1b}[2J')
    expect(err).toContain('wipe\\u001b[2J')
    expect(out).toContain('Cancel ord_1001.\\u{a}')
    expect(out.match(/^\| If Rejected:$/gm)).toHaveLength(1)
  })

  it('cannot draw on the terminal through names of files and of fields', async () => {
    await mkdir(join(cwd, 'named'))
    await writeFile(join(cwd, 'named', 'a\u001b[2J\nb.tool.yaml'), '"x\\e[2J\\n": 1\n')
    const { out } = await run('check', 'named')
    expect(out).toContain('a\\u001b[2J\\nb.tool.yaml')
    expect(out).not.toContain('\u001b')
  })
})

describe('a bad file', () => {
  const bomb = ['a: &a [x, x, x, x, x, x, x, x, x]']
  for (const [above, name] of ['ab', 'bc', 'cd', 'de', 'ef'].map((pair) => [...pair]))
    bomb.push(`${name}: &${name} [${Array(9).fill(`*${above}`).join(', ')}]`)

  it('is named, and hides nothing about the others', async () => {
    await folder('bad', {
      'alias.tool.yaml': 'contract: *nope\n',
      'bomb.tool.yaml': `${bomb.join('\n')}\n`,
      'deep.tool.yaml': `a: ${'['.repeat(50_000)}\n`,
      'other.tool.yaml': 'contract: 1\n',
    })
    const checked = await run('check', 'bad', '--json')
    expect(checked.code).toBe(1)
    const { files }: { files: readonly { file: string; findings: readonly { rule: string }[] }[] } = JSON.parse(
      checked.out,
    )
    const bad = files.filter(({ findings }) => findings.some(({ rule }) => rule === 'tool-file-invalid'))
    const names = ['alias', 'bomb', 'deep', 'other'].map((name) => join('bad', `${name}.tool.yaml`))
    expect(bad.map(({ file }) => file)).toEqual(names)
    const called = await run('call', 'lookup_order_v1', '{}', '--tools', 'bad')
    expect(called.code).toBe(2)
    expect(called.err).not.toContain('Unexpected')
    for (const name of names) expect(called.err).toContain(name)
  })

  it('is no folder, even where a folder has its name', async () => {
    await folder('folders', {})
    await mkdir(join(cwd, 'folders/x.tool.yaml'))
    await symlink(join(cwd, 'folders/x.tool.yaml'), join(cwd, 'folders/y.tool.yaml'))
    const args = ['lookup_order_v1', '{"order_id":"ord_1001"}', '--tools', 'folders']
    expect((await run('call', ...args)).code).toBe(0)
    expect(JSON.parse((await run('check', 'folders', '--json')).out).counts.files).toBe(2)
  })

  it('is told with the place where its code cannot be loaded', async () => {
    await folder('unloaded', { 'lookup_order_v1.tool.yaml': lookup.replace('export: lookupOrder', 'export: nobody') })
    const { out } = await run('check', 'unloaded', '--load', '--json')
    const found = JSON.parse(out).files.flatMap(({ findings }: { findings: readonly object[] }) => findings)
    expect(found).toContainEqual(
      expect.objectContaining({
        rule: 'code-refused',
        pointer: '/binding/executor',
        message: expect.stringMatching(/^\.\/orders\.mjs has no export nobody/),
      }),
    )
  })
})

describe('a number in YAML', () => {
  const problemsOf = async (text: string) => {
    const file = join(cwd, 'number.tool.yaml')
    await writeFile(file, text)
    const document = await readToolFile(file)
    return document.ok ? [] : document.problems
  }
  const withTimeout = (literal: string) => lookup.replace('timeout_ms: 5000', `timeout_ms: ${literal}`)

  it.each(['5000', '0x1388', '+5000', '5e3', '5000.', '5.000e+3'])('is read as what it says: %s', async (literal) => {
    expect(await problemsOf(withTimeout(literal))).toEqual([])
  })

  it.each(['9007199254740993', '-9007199254740993', '0.1234567890123456789', '.1234567890123456789', '1e-400'])(
    'is refused where it would be rounded: %s',
    async (literal) => {
      const problem = { pointer: '/contract/runtime/timeout_ms', message: expect.stringContaining('exactly') }
      expect(await problemsOf(withTimeout(literal))).toEqual([problem])
      expect(await problemsOf(`a: [1, { b/c: ${literal} }]\n`)).toEqual([{ ...problem, pointer: '/a/1/b~1c' }])
    },
  )

  it('is the same key as its text', async () => {
    expect(await problemsOf('1: a\n"1": b\n')).toEqual([{ pointer: '', message: expect.stringContaining('twice') }])
  })
})
