import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { withLock } from './lock.ts'
import { isAlive, nameOfThisProcess } from './process-identity.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'proviso-lock-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** How many were inside at once, at most, when this many callers came together. */
async function crowd(path: string, callers: number): Promise<number> {
  let inside = 0
  let most = 0
  const enter = () =>
    withLock(path, async () => {
      inside += 1
      most = Math.max(most, inside)
      for (let i = 0; i < 5; i += 1) await turn()
      inside -= 1
    })
  await Promise.all(Array.from({ length: callers }, enter))
  return most
}

function nameOfDeadProcess(): string {
  const { pid } = spawnSync(process.execPath, ['--version'])
  return `${pid}.12345-abcdef01.${'0'.repeat(12)}`
}

test('only one holds the lock at a time', async () => {
  expect(await crowd(join(folder, 'lock'), 20)).toBe(1)
  expect(readdirSync(folder)).toEqual([])
})

test('many that find a dead holder break its lock once and still come in one by one', async () => {
  symlinkSync(nameOfDeadProcess(), join(folder, 'lock'))
  expect(await crowd(join(folder, 'lock'), 20)).toBe(1)
  expect(readdirSync(folder)).toEqual([])
})

test('a breaker that died while breaking is broken in turn', async () => {
  symlinkSync(nameOfDeadProcess(), join(folder, 'lock'))
  symlinkSync(nameOfDeadProcess(), join(folder, `lock.${'0'.repeat(12)}`))
  expect(await crowd(join(folder, 'lock'), 5)).toBe(1)
  expect(readdirSync(folder)).toEqual([])
})

test('the lock is free again when the work throws', async () => {
  const work = withLock(join(folder, 'lock'), () => Promise.reject(new Error('no')))
  await expect(work).rejects.toThrow('no')
  expect(readdirSync(folder)).toEqual([])
})

test('a process is known by its pid and its start, and a pid alone proves nothing', () => {
  const name = nameOfThisProcess()
  expect(isAlive(name)).toBe(true)
  expect(isAlive(`${process.pid}.1-abcdef01.${'0'.repeat(12)}`)).toBe(false)
  expect(isAlive('')).toBe(false)
  expect(isAlive('anything else')).toBe(false)
})
