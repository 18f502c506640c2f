import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { isWholeCopy, takeInventory } from './binaries.ts'

let native = ''
beforeEach(() => {
  native = mkdtempSync(join(tmpdir(), 'proviso-inventory-'))
  for (const top of ['bin', 'lib', 'share']) mkdirSync(join(native, top))
  writeFileSync(join(native, 'bin/postgres'), 'program')
  writeFileSync(join(native, 'lib/libpq.so.5.18'), 'library')
  writeFileSync(join(native, 'lib/libpq.a'), 'archive')
  const links = [{ source: 'native/lib/libpq.so.5.18', target: 'native/lib/libpq.so.5' }]
  writeFileSync(join(native, 'pg-symlinks.json'), JSON.stringify(links))
})
afterEach(() => rmSync(native, { recursive: true, force: true }))

test('an inventory has the files that run, and the links whether or not the install script made them', () => {
  const expected = {
    files: [
      { path: 'bin/postgres', size: 7, executable: true },
      { path: 'lib/libpq.so.5.18', size: 7, executable: true },
    ],
    links: [{ path: 'lib/libpq.so.5', target: 'libpq.so.5.18' }],
  }
  expect(takeInventory(native)).toEqual(expected)
  symlinkSync('libpq.so.5.18', join(native, 'lib/libpq.so.5'))
  expect(takeInventory(native)).toEqual(expected)
})

test('a copy without its links, or with a file cut short, is not whole', () => {
  const inventory = takeInventory(native)
  expect(isWholeCopy(native, inventory)).toBe(false)
  symlinkSync('libpq.so.5.18', join(native, 'lib/libpq.so.5'))
  expect(isWholeCopy(native, inventory)).toBe(true)
  truncateSync(join(native, 'bin/postgres'), 0)
  expect(isWholeCopy(native, inventory)).toBe(false)
})
