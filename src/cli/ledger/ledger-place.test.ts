import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hideFromGit } from './ledger-place.ts'

let place = ''
beforeAll(() => {
  place = mkdtempSync(join(tmpdir(), 'proviso-hidden-'))
})
afterAll(() => rmSync(place, { recursive: true, force: true }))

describe.skipIf(process.platform !== 'linux')('a folder of ours', () => {
  it('is hidden from git when it is made, and left as it is when it was there', async () => {
    const folder = join(place, 'new', '.proviso')
    await hideFromGit(folder)
    expect(readFileSync(join(folder, '.gitignore'), 'utf8')).toBe('*\n')
    const own = join(place, 'own')
    mkdirSync(own)
    await hideFromGit(own)
    expect(existsSync(join(own, '.gitignore'))).toBe(false)
  })

  it('is not used where it cannot be hidden, however often it is tried', async () => {
    // The longest path that Linux takes has no room for another name in it.
    const parts = Array.from({ length: 41 }, () => 'a'.repeat(100))
    const folder = join(place, ...parts).slice(0, 4_090)
    for (let time = 0; time < 2; time++)
      await expect(hideFromGit(folder)).rejects.toMatchObject({ code: 'ENAMETOOLONG' })
    expect(existsSync(folder)).toBe(false)
  })
})
