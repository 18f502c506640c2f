// What a hostile path, or a process that swaps what a path leads to, tries against the root of a file tool.
import { execFileSync } from 'node:child_process'
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { readFile, realpath } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ToolError } from '../../src/contract/fault.ts'
import type { FileOptions, JsonObject } from '../../src/index.ts'
import { file } from '../../src/public/executors.ts'
import { executionContext } from './execution-context.ts'

let place = ''
let root = ''
let outside = ''
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'proviso-attack-'))
  root = join(place, 'root')
  outside = join(place, 'outside')
  mkdirSync(root)
  mkdirSync(outside)
  writeFileSync(join(outside, 'secret'), 'secret')
})
afterEach(() => rmSync(place, { recursive: true, force: true }))

const operations: readonly Omit<FileOptions, 'root'>[] = [
  { operation: 'read' },
  { operation: 'list' },
  { operation: 'write' },
  { operation: 'write', mode: 'put', createFolders: true },
  { operation: 'append' },
  { operation: 'delete' },
  { operation: 'move' },
]

async function codeOf(options: Omit<FileOptions, 'root'>, args: JsonObject): Promise<string> {
  try {
    await file({ root, ...options }).run(args, executionContext())
    return 'done'
  } catch (error) {
    expect(error).toBeInstanceOf(ToolError)
    expect((error as ToolError).effect).toBe('none')
    expect((error as ToolError).message).not.toContain(place)
    return (error as ToolError).code
  }
}

/** Another thread swaps a folder of the root and a link to the outside as fast as it can. */
async function whileSwapped(work: () => Promise<void>): Promise<void> {
  mkdirSync(join(root, 'a'))
  writeFileSync(join(root, 'a', 'secret'), 'inside')
  symlinkSync(outside, join(root, 'link'))
  const swap = `
    const { renameSync } = require('node:fs')
    const { workerData: root } = require('node:worker_threads')
    for (;;) {
      renameSync(root + '/a', root + '/t')
      renameSync(root + '/link', root + '/a')
      renameSync(root + '/t', root + '/link')
    }`
  const worker = new Worker(swap, { eval: true, workerData: root })
  try {
    await work()
  } finally {
    await worker.terminate()
  }
}

const names = operations.map((options) => [`${options.operation} ${options.mode ?? ''}`.trim(), options] as const)

describe.skipIf(process.platform !== 'linux').each(names)('no path leads out by %s', (_name, options) => {
  const attempt = (path: string) => codeOf(options, { path, content: 'x', to: 'moved' })

  it('with dots, slashes, NUL or tricks of spelling [paths-stay-in-root] [TC-282]', async () => {
    const paths = [
      '../outside/secret',
      'a/../../outside/secret',
      '/etc/passwd',
      'a\0b',
      '..\\outside',
      '.trash/x',
      '.TRASH/x',
    ]
    for (const path of paths) expect(await attempt(path)).toBe('path_refused')
    for (const path of ['%2e%2e/outside/secret', '..%2foutside', '\u2025/outside/secret'])
      expect(['not_found', 'done', 'not_a_folder']).toContain(await attempt(path))
    expect(readFileSync(join(outside, 'secret'), 'utf8')).toBe('secret')
  })

  it('through a link, to a folder or to a file [paths-stay-in-root] [TC-282]', async () => {
    symlinkSync(outside, join(root, 'folder'))
    symlinkSync(join(outside, 'secret'), join(root, 'file'))
    symlinkSync(join(outside, 'new'), join(root, 'dangling'))
    symlinkSync('file', join(root, 'chain'))
    for (const path of ['folder/secret', 'folder/new', 'file', 'chain', 'dangling'])
      expect(['symbolic_link', 'exists', 'not_a_folder']).toContain(await attempt(path))
    expect(readFileSync(join(outside, 'secret'), 'utf8')).toBe('secret')
    expect(existsSync(join(outside, 'new'))).toBe(false)
  })

  it('to a pipe, a device or a folder in place of a file', async () => {
    execFileSync('/usr/bin/mkfifo', [join(root, 'pipe')])
    mkdirSync(join(root, 'folder'))
    expect(['not_regular', 'exists', 'not_a_folder']).toContain(await attempt('pipe'))
    if (options.operation !== 'list') expect(['not_regular', 'exists']).toContain(await attempt('folder'))
  })
})

describe.skipIf(process.platform !== 'linux')('a root', () => {
  it('does not show a file that has a second name outside [paths-stay-in-root]', async () => {
    linkSync(join(outside, 'secret'), join(root, 'linked'))
    expect(await codeOf({ operation: 'read' }, { path: 'linked' })).toBe('hard_link')
    expect(await codeOf({ operation: 'append' }, { path: 'linked', content: 'x' })).toBe('hard_link')
    expect(await codeOf({ operation: 'write', mode: 'put' }, { path: 'linked', content: 'x' })).toBe('done')
    expect(readFileSync(join(outside, 'secret'), 'utf8')).toBe('secret')
  })

  it('whose trash is a link leads nowhere', async () => {
    symlinkSync(outside, join(root, '.trash'))
    writeFileSync(join(root, 'a'), '1')
    expect(await codeOf({ operation: 'delete' }, { path: 'a' })).toBe('symbolic_link')
    expect(await codeOf({ operation: 'write' }, { path: 'b', content: '' })).toBe('symbolic_link')
  })

  it('does not move into a link either', async () => {
    symlinkSync(outside, join(root, 'folder'))
    writeFileSync(join(root, 'a'), '1')
    expect(await codeOf({ operation: 'move' }, { path: 'a', to: 'folder/a' })).toBe('symbolic_link')
    expect(await codeOf({ operation: 'move' }, { path: 'a', to: '../a' })).toBe('path_refused')
  })

  it('holds while a folder is swapped for a link again and again [paths-stay-in-root] [TC-282]', async () => {
    const seen = new Map<string, number>()
    let leakedToNaive = 0
    await whileSwapped(async () => {
      for (let round = 0; round < 500 || (leakedToNaive === 0 && round < 20_000); round++) {
        // A reader that looks first and reads then: the swap must catch it, or the test proves nothing.
        const path = join(root, 'a', 'secret')
        const real = await realpath(path).catch(() => '')
        const naive = real.startsWith(root) ? await readFile(path, 'utf8').catch(() => '') : ''
        if (naive === 'secret') leakedToNaive++
        if (round >= 500) continue
        const read = file({ root, operation: 'read' }).run({ path: 'a/secret' }, executionContext())
        const found = await Promise.resolve(read).then(
          (value) => (value as { content: string }).content,
          (error: unknown) => (error as ToolError).code,
        )
        seen.set(found, (seen.get(found) ?? 0) + 1)
        const put = file({ root, operation: 'write', mode: 'put' })
        await Promise.resolve(put.run({ path: 'a/new', content: 'x' }, executionContext())).catch(() => undefined)
      }
    })
    expect(leakedToNaive).toBeGreaterThan(0)
    expect(seen.has('secret')).toBe(false)
    expect(seen.get('inside')).toBeGreaterThan(0)
    expect(existsSync(join(outside, 'new'))).toBe(false)
    expect(existsSync(join(outside, '.trash'))).toBe(false)
  })

  it('that is itself swapped or gone is said to be missing', async () => {
    renameSync(root, `${root}-gone`)
    expect(await codeOf({ operation: 'read' }, { path: 'a' })).toBe('root_missing')
    const problem = await file({ root, operation: 'read' }).preflight?.({ path: 'a' }, executionContext())
    expect(problem).toMatchObject({ reason: 'setup_required' })
  })
})
