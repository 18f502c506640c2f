// Files below a root as tools: every operation, what is kept of what was there, and what the verifier reads back.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { promiseOf } from '../../src/execute/attempt/recovery.ts'
import { defineTool, type FileOptions, type JsonObject, loadContracts, openProviso } from '../../src/index.ts'
import { sha256 } from '../../src/json/hash.ts'
import { file } from '../../src/public/executors.ts'
import { executionContext } from './execution-context.ts'

let root = ''
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'proviso-files-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const at = (path: string) => join(root, path)
const textAt = (path: string) => readFileSync(at(path), 'utf8')

async function run(options: Omit<FileOptions, 'root'>, args: JsonObject, changes = {}): Promise<JsonObject> {
  return (await file({ root, ...options }).run(args, executionContext(changes))) as JsonObject
}

function verify(options: Omit<FileOptions, 'root'>, args: JsonObject, changes = {}) {
  return file({ root, ...options }).verifier?.(args, null, executionContext(changes))
}

describe.skipIf(process.platform !== 'linux')('a file', () => {
  it('is read with the hash of its version', async () => {
    writeFileSync(at('a.txt'), 'héllo')
    const found = await run({ operation: 'read' }, { path: 'a.txt' })
    expect(found).toMatchObject({ path: 'a.txt', bytes: 6, sha256: sha256('héllo'), content: 'héllo' })
    expect((await run({ operation: 'read', encoding: 'base64' }, { path: 'a.txt' })).content).toBe('aMOpbGxv')
    writeFileSync(at('b.bin'), Buffer.from([0xff, 0xfe]))
    await expect(run({ operation: 'read' }, { path: 'b.bin' })).rejects.toMatchObject({ code: 'not_text' })
    await expect(run({ operation: 'read', maxBytes: 5 }, { path: 'a.txt' })).rejects.toMatchObject({
      code: 'too_large',
      effect: 'none',
      message: 'The file has 6 bytes. This tool handles 5 at most.',
    })
    await expect(run({ operation: 'read' }, { path: 'none' })).rejects.toMatchObject({
      code: 'not_found',
      effect: 'none',
    })
  })

  it('is listed with its neighbours, and the trash is not', async () => {
    mkdirSync(at('sub/.trash'), { recursive: true })
    mkdirSync(at('.trash'))
    writeFileSync(at('b'), '12')
    writeFileSync(at('a'), '')
    const { entries } = (await run({ operation: 'list' }, { path: '.' })) as { entries: JsonObject[] }
    expect(entries.map(({ name, kind, bytes }) => [name, kind, bytes])).toEqual([
      ['a', 'file', 0],
      ['b', 'file', 2],
      ['sub', 'folder', undefined],
    ])
    expect(await run({ operation: 'list', maxEntries: 1 }, { path: '.' })).toMatchObject({ truncated: true })
  })

  it('is created whole or not at all, and never in place of another', async () => {
    const options = { operation: 'write', createFolders: true } as const
    const args = { path: 'x/y/a.txt', content: 'new' }
    expect(await run(options, args)).toEqual({ path: 'x/y/a.txt', bytes: 3, sha256: sha256('new') })
    expect([textAt('x/y/a.txt'), statSync(at('x/y/a.txt')).nlink]).toEqual(['new', 1])
    expect(readdirSync(at('.trash'))).toEqual([])
    await expect(run(options, { ...args, content: 'other' })).rejects.toMatchObject({ code: 'exists', effect: 'none' })
    expect(textAt('x/y/a.txt')).toBe('new')
    expect(await verify(options, args)).toEqual({ status: 'verified' })
    expect(await verify(options, { path: 'z', content: '' })).toMatchObject({ status: 'absent' })
  })

  it('is replaced only in the version that was named, and the old one is kept', async () => {
    writeFileSync(at('a.txt'), 'one')
    chmodSync(at('a.txt'), 0o640)
    const options = { operation: 'write', mode: 'replace', expect: '/sha256' } as const
    const args = { path: 'a.txt', content: 'two', sha256: sha256('one') }
    expect(await run(options, args)).toMatchObject({ sha256: sha256('two'), replaced: sha256('one') })
    expect([textAt('a.txt'), statSync(at('a.txt')).mode & 0o777]).toEqual(['two', 0o640])
    expect(await verify(options, args)).toEqual({ status: 'verified' })
    const [kept] = readdirSync(at('.trash')).filter((name) => !name.includes('.'))
    expect(textAt(`.trash/${kept}`)).toBe('one')
    expect(JSON.parse(textAt(`.trash/${kept}.json`))).toMatchObject({ operation: 'write', path: 'a.txt', user: 'ada' })
    await expect(run(options, args)).rejects.toMatchObject({ code: 'changed', class: 'STALE_STATE', effect: 'none' })
    for (const hash of [null, '', sha256('two').toUpperCase()])
      await expect(run(options, { ...args, sha256: hash })).rejects.toMatchObject({ code: 'changed' })
    await expect(run(options, { path: 'a.txt', content: '' })).rejects.toMatchObject({ code: 'changed' })
    await expect(run(options, { path: 'none', content: '', sha256: 'x' })).rejects.toMatchObject({ code: 'not_found' })
  })

  it('that was to be written is told apart from one that was not, and from one that others changed since', async () => {
    writeFileSync(at('a.txt'), 'one')
    const options = { operation: 'write', mode: 'put' } as const
    const args = { path: 'a.txt', content: 'two' }
    expect(await verify(options, args)).toMatchObject({ status: 'absent' })
    await run(options, args)
    writeFileSync(at('a.txt'), 'one')
    expect(await verify(options, args)).toMatchObject({ status: 'absent' })
    writeFileSync(at('a.txt'), 'three')
    expect(await verify(options, args)).toMatchObject({ status: 'failed' })
  })

  it('is said to be absent only where it could be looked for', async () => {
    mkdirSync(at('d'))
    const options = { operation: 'write' } as const
    const args = { path: 'd/a.txt', content: 'one' }
    await run(options, args)
    renameSync(at('d'), at('e'))
    expect(await verify(options, args)).toMatchObject({ status: 'absent' })
    symlinkSync('e', at('d'))
    await expect(verify(options, args)).rejects.toMatchObject({ code: 'symbolic_link' })
    const move = { operation: 'move' } as const
    await expect(verify(move, { path: 'd/a.txt', to: 'e/a.txt' })).rejects.toMatchObject({ code: 'symbolic_link' })
  })

  it('is appended to, and what others add later changes nothing about that', async () => {
    const options = { operation: 'append' } as const
    expect(await run(options, { path: 'log', content: 'a\n' })).toMatchObject({ bytes: 2 })
    expect(await run(options, { path: 'log', content: 'b\n' }, { idempotencyKey: 'key-2' })).toMatchObject({ bytes: 4 })
    expect(textAt('log')).toBe('a\nb\n')
    expect(await verify(options, { path: 'log', content: 'a\n' })).toEqual({ status: 'verified' })
    expect(await verify(options, { path: 'log', content: 'b\n' }, { idempotencyKey: 'key-2' })).toEqual({
      status: 'verified',
    })
    await expect(run({ ...options, maxBytes: 4 }, { path: 'log', content: 'c' })).rejects.toMatchObject({
      code: 'too_large',
    })
  })

  it('is deleted into the trash and comes back from there [deletes-are-soft] [TC-283]', async () => {
    mkdirSync(at('d'))
    writeFileSync(at('d/a.txt'), 'precious')
    expect(await verify({ operation: 'delete' }, { path: 'd/a.txt' })).toMatchObject({ status: 'absent' })
    const { trash_id } = await run({ operation: 'delete' }, { path: 'd/a.txt' })
    expect([existsSync(at('d/a.txt')), textAt(`.trash/${trash_id}`)]).toEqual([false, 'precious'])
    expect(await verify({ operation: 'delete' }, { path: 'd/a.txt' })).toEqual({ status: 'verified' })
    const restore = { operation: 'restore' } as const
    const args = { trash_id: trash_id as string }
    expect(await verify(restore, args)).toMatchObject({ status: 'absent' })
    await expect(run(restore, args, { tenant: 'other' })).rejects.toMatchObject({ code: 'not_found' })
    rmSync(at('d'), { recursive: true })
    expect(await run(restore, args)).toMatchObject({ path: 'd/a.txt', bytes: 8 })
    expect([textAt('d/a.txt'), statSync(at('d/a.txt')).nlink]).toEqual(['precious', 1])
    expect(await verify(restore, args)).toEqual({ status: 'verified' })
    await expect(run(restore, args)).rejects.toMatchObject({ code: 'not_found', effect: 'none' })
    for (const id of ['../a', '', 'x'.repeat(32), null])
      await expect(run(restore, { trash_id: id })).rejects.toMatchObject({ code: 'not_found' })
  })

  it('is moved, never over another', async () => {
    writeFileSync(at('a'), '1')
    writeFileSync(at('b'), '2')
    const options = { operation: 'move' } as const
    await expect(run(options, { path: 'a', to: 'b' })).rejects.toMatchObject({ code: 'exists', effect: 'none' })
    expect(await verify(options, { path: 'a', to: 'c' })).toMatchObject({ status: 'absent' })
    expect(await run(options, { path: 'a', to: 'c' })).toEqual({ path: 'c', from: 'a', bytes: 1 })
    expect([existsSync(at('a')), textAt('c'), textAt('b')]).toEqual([false, '1', '2'])
    expect(await verify(options, { path: 'a', to: 'c' })).toEqual({ status: 'verified' })
  })

  it('of one tenant is not a file of another, where each has a folder', async () => {
    const options = { operation: 'write', tenantFolders: true } as const
    await run(options, { path: 'a', content: 'acme' })
    await run(options, { path: 'a', content: 'evil' }, { tenant: '../acme' })
    expect(textAt('acme/a')).toBe('acme')
    const read = { operation: 'read', tenantFolders: true } as const
    expect((await run(read, { path: 'a' }, { tenant: '../acme' })).content).toBe('evil')
    await expect(run(read, { path: 'a' }, { tenant: 'third' })).rejects.toMatchObject({ code: 'not_found' })
  })

  it('is not touched once the call was given up', async () => {
    const signal = AbortSignal.abort()
    const given = { signal, idempotencyKey: 'given-up' }
    writeFileSync(at('a'), '1')
    const put = { operation: 'write', mode: 'put' } as const
    await expect(run(put, { path: 'a', content: '2' }, given)).rejects.toMatchObject({ effect: 'none' })
    await expect(run({ operation: 'delete' }, { path: 'a' }, given)).rejects.toMatchObject({ effect: 'none' })
    await expect(run({ operation: 'move' }, { path: 'a', to: 'b' }, given)).rejects.toMatchObject({ effect: 'none' })
    expect([textAt('a'), existsSync(at('b'))]).toEqual(['1', false])
  })

  it('can still be read when an attempt was lost between its last two steps', async () => {
    const { linkSync } = await import('node:fs')
    await run({ operation: 'write' }, { path: 'a', content: '1' })
    linkSync(at('a'), at('.trash/0123.new'))
    expect((await run({ operation: 'read' }, { path: 'a' })).content).toBe('1')
  })
})

describe('the options of a file tool', () => {
  it.each([
    ['a relative root', { root: 'data', operation: 'read' }],
    ['replacing without naming the version', { root: '/data', operation: 'write', mode: 'replace' }],
    ['no pointer', { root: '/data', operation: 'read', path: 'path' }],
    ['a trash elsewhere', { root: '/data', operation: 'read', trash: '../trash' }],
    ['no size', { root: '/data', operation: 'read', maxBytes: 0 }],
  ] as const)('are refused for %s', (_name, options) => {
    expect(() => file(options)).toThrow('file:')
  })
})

describe.skipIf(process.platform !== 'linux')('a file tool', () => {
  const properties = { path: { type: 'string' }, content: { type: 'string' } } as const
  const input = { type: 'object', properties, required: ['path'], additionalProperties: false } as const
  const base = { name: 'note_v1', description: 'Keeps notes.', input } as const

  it('promises its effect once beyond the horizon, because it can be read back', () => {
    const executor = file({ root, operation: 'write' })
    const tool = defineTool({ ...base, effect: 'LOW_RISK_INTERNAL', executor })
    expect(promiseOf(tool)).toMatchObject({ kind: 'once_beyond_horizon' })
  })

  it('is never declared as less than it does', async () => {
    const open = (operation: FileOptions['operation'], effect: 'READ_ONLY' | 'EPHEMERAL_WRITE' | 'LOW_RISK_INTERNAL') =>
      openProviso({ tools: [defineTool({ ...base, effect, executor: file({ root, operation }) })] })
    await expect(open('write', 'EPHEMERAL_WRITE')).rejects.toThrow('effect-below-executor')
    await expect(open('delete', 'LOW_RISK_INTERNAL')).rejects.toThrow('effect-below-executor')
    await expect(open('read', 'LOW_RISK_INTERNAL')).rejects.toThrow('change-by-a-read')
  })

  it('writes once, is verified, and refuses what leads out before a person is asked [TC-282]', async () => {
    const executor = file({ root, operation: 'write' })
    const proviso = await openProviso({ tools: [defineTool({ ...base, effect: 'LOW_RISK_INTERNAL', executor })] })
    const call = (args: JsonObject) => proviso.call({ tool: 'note_v1', arguments: JSON.stringify(args) }, { run: 'r' })
    const written = await call({ path: 'a.txt', content: 'hi' })
    expect([written.observation.status.taxonomy_class, written.effect]).toEqual(['SUCCESS', 'happened'])
    const out = await call({ path: '../a.txt', content: 'hi' })
    expect([out.observation.status.taxonomy_class, out.effect]).toEqual(['POLICY_VIOLATION', 'none'])
    await proviso.close()
  })

  it('is declared in a tool file, with a root beside it', async () => {
    mkdirSync(at('data'))
    const { contract } = defineTool({
      ...base,
      effect: 'LOW_RISK_INTERNAL',
      executor: file({ root, operation: 'write' }),
    })
    const executor = { kind: 'file', root: './data', operation: 'write', mode: 'put', max_bytes: 100 }
    writeFileSync(at('note.tool.json'), JSON.stringify({ contract, binding: { executor } }))
    const proviso = await openProviso({ tools: await loadContracts(root) })
    const answer = await proviso.call({ tool: 'note_v1', arguments: '{"path":"a","content":"x"}' }, { run: 'r' })
    expect([answer.observation.status.taxonomy_class, textAt('data/a')]).toEqual(['SUCCESS', 'x'])
    await proviso.close()
  })
})
