// Changes of one file that come at once, from one process and from several: one after the other, and what is reported done is there.
import { type ChildProcess, spawn } from 'node:child_process'
import { linkSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ExecutionContext, FileOptions, JsonObject } from '../../src/index.ts'
import { sha256 } from '../../src/json/hash.ts'
import { file } from '../../src/public/executors.ts'
import { executionContext } from './execution-context.ts'
import { failureOf } from './run-executor.ts'

let root = ''
const children: ChildProcess[] = []
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'proviso-locks-'))
})
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  rmSync(root, { recursive: true, force: true })
})

const at = (path: string) => join(root, path)
const textAt = (path: string) => readFileSync(at(path), 'utf8')
const linesAt = (path: string) => textAt(path).split('\n').filter(Boolean)

async function run(options: Partial<FileOptions>, args: JsonObject, changes: Partial<ExecutionContext> = {}) {
  const executor = file({ root, operation: 'append', ...options })
  return (await executor.run(args, executionContext(changes))) as JsonObject
}

const replacing = { operation: 'write', mode: 'replace', expect: '/sha256' } as const
const others = (length: number) => Array.from({ length }, (_, index) => index)

/** All that the trash holds of contents. */
const kept = () =>
  readdirSync(at('.trash'))
    .filter((name) => !name.includes('.'))
    .map((name) => textAt(`.trash/${name}`))

const program = fileURLToPath(new URL('./writing-process.ts', import.meta.url))

async function beside(job: string, name: string, count = 0) {
  const child = spawn(process.execPath, [program, job, root, name, String(count)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  children.push(child)
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const said = async () => String((await lines.next()).value)
  expect(await said()).toBe('ready')
  return { child, said, go: () => child.stdin.write('go\n') }
}

describe.skipIf(process.platform !== 'linux')('changes of one file at once', () => {
  it('by one version: one replaces it, the others are told that it is stale [one-change-at-a-time]', async () => {
    writeFileSync(at('a.txt'), 'old')
    const ends = await Promise.allSettled(
      others(8).map((index) =>
        run(
          replacing,
          { path: 'a.txt', content: `new ${index}`, sha256: sha256('old') },
          { idempotencyKey: `key-${index}` },
        ),
      ),
    )
    expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const end of ends)
      if (end.status === 'rejected') expect(end.reason).toMatchObject({ class: 'STALE_STATE', effect: 'none' })
    expect(kept()).toEqual(['old'])
  })

  it('without a version lose none of what was replaced', async () => {
    const writing = others(8).map((index) =>
      run(
        { operation: 'write', mode: 'put' },
        { path: 'a.txt', content: `new ${index}` },
        { idempotencyKey: `${index}` },
      ),
    )
    await Promise.all(writing)
    expect([...kept(), textAt('a.txt')].sort()).toEqual(others(8).map((index) => `new ${index}`))
  })

  it('lose no line, also where their roots are not the same', async () => {
    mkdirSync(at('sub'))
    const adding = others(20).map((index) =>
      index % 2 === 0
        ? run({}, { path: 'sub/a.txt', content: `${index}\n` }, { idempotencyKey: `${index}` })
        : run({ root: at('sub') }, { path: 'a.txt', content: `${index}\n` }, { idempotencyKey: `${index}` }),
    )
    // Two of them may both want to make it: one has to come again, and says so.
    const ends = await Promise.allSettled(adding)
    expect(ends.filter(({ status }) => status === 'rejected')).toEqual([])
    expect(linesAt('sub/a.txt').sort()).toEqual(others(20).map(String).sort())
  })

  it('of several processes lose none of the lines that were reported as written [one-change-at-a-time]', async () => {
    const processes = await Promise.all(['a', 'b', 'c'].map((name) => beside('append', name, 25)))
    for (const { go } of processes) go()
    const reported = (await Promise.all(processes.map(({ said }) => said()))).flatMap((line) => JSON.parse(line))
    expect(reported).toHaveLength(75)
    expect(linesAt('a.txt').sort()).toEqual(reported.sort())
  })

  it('of several processes, each by the version it has read, lose none that was reported as written', async () => {
    writeFileSync(at('a.txt'), '')
    const processes = await Promise.all(['a', 'b'].map((name) => beside('replace', name, 30)))
    for (const { go } of processes) go()
    const reported = (await Promise.all(processes.map(({ said }) => said()))).flatMap((line) => JSON.parse(line))
    expect(linesAt('a.txt').sort()).toEqual(reported.sort())
  })

  it('wait for a process that stands still, and go on at once when it is gone', async () => {
    writeFileSync(at('a.txt'), 'old\n')
    const holder = await beside('hold', 'holder')
    holder.go()
    expect(await holder.said()).toBe('held')
    const controller = new AbortController()
    const given = failureOf(run({}, { path: 'a.txt', content: 'given up\n' }, { signal: controller.signal }))
    const waiting = run({}, { path: 'a.txt', content: 'waited\n' }, { idempotencyKey: 'key-2' })
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(textAt('a.txt')).toBe('old\n')
    controller.abort()
    expect(await given).toMatchObject({ effect: 'none' })
    holder.child.kill('SIGKILL')
    await waiting
    expect(textAt('a.txt')).toBe('old\nwaited\n')
  })

  it('to two names from one: one is moved, and none has two names', async () => {
    for (const round of others(5)) {
      writeFileSync(at('a.txt'), `old ${round}`)
      const ends = await Promise.allSettled(
        ['b', 'c'].map((to) =>
          run({ operation: 'move' }, { path: 'a.txt', to: `${to}${round}` }, { idempotencyKey: `${to}${round}` }),
        ),
      )
      expect(ends.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
      expect(readdirSync(root).filter((name) => name.endsWith(String(round)))).toHaveLength(1)
    }
  })

  it('of a name to itself, or to another name of the same file, change nothing', async () => {
    writeFileSync(at('a.txt'), 'old')
    linkSync(at('a.txt'), at('b.txt'))
    for (const to of ['a.txt', 'b.txt'])
      expect(await failureOf(run({ operation: 'move' }, { path: 'a.txt', to }))).toMatchObject({
        code: 'exists',
        effect: 'none',
      })
    expect([textAt('a.txt'), textAt('b.txt')]).toEqual(['old', 'old'])
  })
})
