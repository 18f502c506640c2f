// The map is true: what a call passes on a real Postgres is what the page on architecture shows, phase by phase.
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import type { Walked } from '../scripts/walk/walked.ts'
import { phaseNames } from '../src/contract/call/fact.ts'
import { projectRoot } from './source-files.ts'

const run = promisify(execFile)

async function walked(walk: string): Promise<Walked> {
  const { stdout } = await run(process.execPath, ['scripts/walk.ts', walk, '--json'], { cwd: projectRoot })
  return JSON.parse(stdout) as Walked
}

/** What the page shows of a walk: the files of each stretch that are passed there first. */
function shown(walk: string): ReadonlyMap<string, readonly string[]> {
  const page = readFileSync(`${projectRoot}docs/architecture.md`, 'utf8')
  const [, block = ''] = page.split(`<!-- npm run -s walk -- ${walk} -->\n\`\`\`text\n`)
  const [, ...stretches] = (block.split('```')[0] ?? '').split('\n\n')
  return new Map(
    stretches.map((text) => {
      const [name = '', ...files] = text.trim().split('\n')
      return [name, files.map((file) => file.trim()).filter((file) => !file.startsWith('('))] as const
    }),
  )
}

describe('a walk', () => {
  it('of a call passes every phase in the order of the list, and is what the page shows [map-is-true]', async () => {
    const { stretches } = await walked('call')
    const names = stretches.map(({ name }) => name)
    expect(names.filter((name) => (phaseNames as readonly string[]).includes(name))).toEqual([...phaseNames])
    const passed = new Set<string>()
    const page = shown('call')
    for (const { name, files } of stretches) {
      // What the driver does beside depends on the moment, so that only the phases are compared file by file.
      const first = files.filter((file) => !passed.has(file))
      for (const file of files) passed.add(file)
      if ((phaseNames as readonly string[]).includes(name)) expect([name, page.get(name)]).toEqual([name, first])
    }
  })

  it.each(['recovery', 'approval', 'saga'])('of %s comes to its end', async (walk) => {
    const { files, stretches } = await walked(walk)
    expect(files).toBeGreaterThan(20)
    expect(stretches.length).toBeGreaterThan(3)
  })

  it('that does not exist is refused with those that do', async () => {
    await expect(run(process.execPath, ['scripts/walk.ts', 'nowhere'], { cwd: projectRoot })).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringContaining('recovery'),
    })
  })
})
