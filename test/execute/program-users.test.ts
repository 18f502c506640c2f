// Whose programs are run, as whom, and what they leave: what the hostile program does not show, or shows only among other things.
import { spawn } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { defineTool, openProviso, type ProcessOptions } from '../../src/index.ts'
import { runProcess } from '../../src/public/executors.ts'
import { executionContext } from './execution-context.ts'
import { hasSandbox, makePrograms } from './programs.ts'

const programs = makePrograms()
afterAll(() => programs.remove())

const isRoot = process.geteuid?.() === 0
const linux = process.platform === 'linux'
const input = { type: 'object', additionalProperties: false } as const
const toolOf = (options: ProcessOptions) =>
  defineTool({ name: 'run_it_v1', description: 'Runs it.', effect: 'READ_ONLY', input, executor: runProcess(options) })
const beside = { isolation: 'none', network: false } as const

describe.skipIf(!(linux && isRoot))('as root', () => {
  it('a program without a sandbox is refused unless its tenant has a user of its own, with what to write [tenants-run-as-their-own-users]', async () => {
    const tools = [toolOf({ program: '/usr/bin/id', arguments: ['-u'], ...beside })]
    await expect(openProviso({ tools })).rejects.toThrow('program-without-user')
    await expect(openProviso({ tools })).rejects.toThrow('programs: { users: { TENANT: 200001 } }')
    const proviso = await openProviso({ tools, programs: { users: { acme: 200_001, globex: 200_002 } } })
    const call = (tenant: string) => proviso.call({ tool: 'run_it_v1', arguments: '{}' }, { tenant, run: 'r' })
    expect((await call('acme')).value).toEqual({ text: '200001\n' })
    expect((await call('globex')).value).toEqual({ text: '200002\n' })
    const without = await call('initech')
    expect([without.observation.status.taxonomy_class, without.effect]).toEqual(['DEPENDENCY_UNAVAILABLE', 'none'])
    expect(JSON.stringify(without)).toContain('programs: { users:')
    await proviso.close()
  })

  it.each([
    ['root', { acme: 0 }, 'never run as root'],
    ['nobody', { acme: 65_534 }, 'the account nobody'],
    ['the account of a service', { acme: 1 }, 'is the account'],
    ['no number', { acme: 1.5 }, 'whole number'],
    ['a number that is too large', { acme: 2 ** 31 }, 'whole number'],
    ['one user for two tenants', { acme: 200_001, globex: 200_001 }, 'a number of its own'],
  ])('a table of users is refused that names %s', async (_name, users, why) => {
    await expect(openProviso({ programs: { users } })).rejects.toThrow(why)
  })

  it('a program in a folder that another user owns, or that a group may write, is not run [program-judged-at-each-start]', async () => {
    for (const change of [
      (folder: string) => chownSync(folder, 200_001, 200_001),
      (folder: string) => {
        chownSync(folder, 0, 200_001)
        chmodSync(folder, 0o775)
      },
    ]) {
      const folder = join(programs.folder, 'theirs')
      mkdirSync(folder)
      const program = join(folder, 'tool')
      writeFileSync(program, '#!/bin/bash\necho ours\n', { mode: 0o755 })
      chmodSync(program, 0o755)
      const executor = runProcess({ program, ...beside })
      expect(await executor.run({}, executionContext())).toEqual({ text: 'ours\n' })
      // Judged once is not judged for ever: the folder is given away after the first call, and the file swapped.
      change(folder)
      renameSync(program, `${program}-old`)
      writeFileSync(program, '#!/bin/bash\necho theirs\n', { mode: 0o755 })
      await expect(executor.run({}, executionContext())).rejects.toMatchObject({
        code: 'setup_required',
        effect: 'none',
      })
      rmSync(folder, { recursive: true })
    }
  })

  it('a link on the way counts by the folder that it stands in', async () => {
    const folder = join(programs.folder, 'links')
    mkdirSync(folder)
    chownSync(folder, 200_001, 200_001)
    const { symlinkSync } = await import('node:fs')
    symlinkSync('/usr/bin/id', join(folder, 'tool'))
    const problem = await runProcess({ program: join(folder, 'tool'), ...beside }).preflight?.({}, executionContext())
    expect(problem).toMatchObject({ reason: 'setup_required', message: expect.stringContaining('another user') })
  })

  it('a program whose leavings cannot be removed has done its work; they are named, and removed later', async () => {
    const program = programs.program(
      'waits-for-it',
      'touch "$TMPDIR/ready"; until [ -e "$TMPDIR/theirs/file" ]; do sleep 0.02; done; echo done',
    )
    const proviso = await openProviso({
      tools: [toolOf({ program, ...beside })],
      programs: { users: { default: 200_001 } },
    })
    const call = () => proviso.call({ tool: 'run_it_v1', arguments: '{}' }, { run: 'r' })
    const first = call()
    const work = () => scratchFolders().find((folder) => existsSync(join(folder, 'work/ready')))
    await expect.poll(work).toBeDefined()
    const top = work() ?? ''
    // What the program's user cannot remove: a folder of another user with something in it.
    mkdirSync(join(top, 'work/theirs'))
    writeFileSync(join(top, 'work/theirs/file'), '')
    const answer = await first
    expect([answer.observation.status.taxonomy_class, answer.value]).toEqual(['SUCCESS', { text: 'done\n' }])
    expect(JSON.stringify(answer.observation)).toContain('program_left_files')
    expect(existsSync(top)).toBe(true)
    rmSync(join(top, 'work/theirs'), { recursive: true })
    const second = call()
    await expect.poll(work).toBeDefined()
    const now = work() ?? ''
    expect(existsSync(top)).toBe(false)
    mkdirSync(join(now, 'work/theirs'))
    writeFileSync(join(now, 'work/theirs/file'), '')
    await second
    await proviso.close()
    for (const folder of scratchFolders()) rmSync(folder, { recursive: true, force: true })
  })
})

describe.skipIf(!linux)('the private folder of a call', () => {
  it('is gone although the program made it unchangeable, as Go does with its module cache', async () => {
    const program = programs.program(
      'unchangeable',
      'mkdir -p "$TMPDIR/a/b"; touch "$TMPDIR/a/b/c"; chmod 555 "$TMPDIR/a/b" "$TMPDIR/a"; echo "$TMPDIR"',
    )
    const warnings: string[] = []
    const context = executionContext({ warn: (text) => void warnings.push(text) })
    const { text } = (await runProcess({ program, isolation: 'none' }).run({}, context)) as { text: string }
    expect([existsSync(text.trim()), warnings]).toEqual([false, []])
  })

  it('of a process that was killed is removed by the next one, with the secret that lies in it', async () => {
    const program = programs.program('waits-long', 'touch "$TMPDIR/ready"; exec sleep 60')
    const [executor, context] = ['../../src/public/executors.ts', './execution-context.ts'].map(
      (path) => new URL(path, import.meta.url).href,
    )
    const code = (what: string) => `
      import { runProcess } from '${executor}'
      import { executionContext } from '${context}'
      const credentials = new Map([['key', 'a secret']])
      await runProcess({ program: '${what}', isolation: 'none', credentials: { key: { file: 'KEY' } } }).run({}, executionContext({ credentials }))`
    const host = (what: string) =>
      spawn(process.execPath, ['--input-type=module', '-e', code(what)], { stdio: 'ignore' })
    const before = scratchFolders()
    const killed = host(program)
    const its = () =>
      scratchFolders().find((folder) => !before.includes(folder) && existsSync(join(folder, 'work/ready')))
    await expect.poll(its).toBeDefined()
    const folder = its() ?? ''
    expect(existsSync(join(folder, 'secrets/KEY'))).toBe(true)
    killed.kill('SIGKILL')
    await new Promise((resolve) => killed.once('exit', resolve))
    const next = host('/usr/bin/true')
    expect(await new Promise((resolve) => next.once('exit', resolve))).toBe(0)
    expect(existsSync(folder)).toBe(false)
  })
})

describe.skipIf(!hasSandbox())('inside bubblewrap', () => {
  it('memory files are there for a program that declares them, and for no other [limits-count-all-memory]', async () => {
    const call = process.arch === 'arm64' ? 279 : 319
    const program = join(programs.folder, 'memory-file')
    writeFileSync(
      program,
      `#!/usr/bin/perl\nmy $name = "x\\0"; print syscall(${call}, $name, 0) < 0 ? "refused" : "made";\n`,
    )
    chmodSync(program, 0o755)
    expect(await runProcess({ program }).run({}, executionContext())).toEqual({ text: 'refused' })
    expect(await runProcess({ program, sharedMemory: true }).run({}, executionContext())).toEqual({ text: 'made' })
  })

  it.runIf(isRoot)('a bubblewrap that another user can change holds nothing', async () => {
    const folder = join(programs.folder, 'bin')
    mkdirSync(folder)
    const bubblewrap = join(folder, 'bwrap')
    writeFileSync(bubblewrap, '#!/bin/bash\nexec "$@"\n', { mode: 0o755 })
    chownSync(folder, 200_001, 200_001)
    const failing = Promise.resolve(runProcess({ program: '/usr/bin/true', bubblewrap }).run({}, executionContext()))
    await expect(failing).rejects.toMatchObject({ effect: 'none', message: expect.stringContaining('another user') })
  })
})

const scratchFolders = () => {
  const place = realpathSync(tmpdir())
  return readdirSync(place).flatMap((name) => (name.startsWith('proviso-call-') ? [join(place, name)] : []))
}
