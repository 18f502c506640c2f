// The group that counts the memory of a whole call. Where the kernel gives none, a folder stands for it: then it is shown that a program joins
// before it begins, and that nothing of it is handed on; that the kernel counts is not shown.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { runChild } from '../../src/execute/executors/process/child.ts'
import { planLaunch } from '../../src/execute/executors/process/launch.ts'
import { memoryBase } from '../../src/execute/executors/process/memory-group.ts'
import { findProgram } from '../../src/execute/executors/process/program.ts'
import { runAs } from '../../src/execute/executors/process/run-as.ts'
import { processSettings } from '../../src/execute/executors/process/settings.ts'
import { runProcess } from '../../src/public/executors.ts'
import { executionContext } from './execution-context.ts'
import { hasSandbox, makePrograms } from './programs.ts'

const programs = makePrograms()
afterAll(() => programs.remove())

const ways = [
  { isolation: 'none', title: 'beside us', files: 0 },
  ...(hasSandbox() ? [{ isolation: 'bubblewrap', title: 'inside bubblewrap', files: 2 * 64 } as const] : []),
] as const
const mebibyte = 1024 * 1024

describe.skipIf(process.platform !== 'linux').each(ways)('a program $title', ({ isolation, files }) => {
  it('joins the group of its call before it begins, with the sum of its limits, and inherits nothing of it', async () => {
    const base = mkdtempSync(join(tmpdir(), 'proviso-group-'))
    const path = programs.program('says-who', 'echo $$; ls /proc/$$/fd')
    const program = findProgram(path)
    if (!program.ok) throw new Error(program.message)
    const limits = { memoryBytes: 64 * mebibyte, processes: 4 }
    const settings = processSettings({ program: path, isolation, limits })
    const user = runAs(200_001)
    const folder = { inside: '/tmp', outside: '/' }
    const planned = planLaunch({
      settings,
      program,
      user,
      argv: [],
      env: { PATH: '/usr/bin:/bin' },
      folder,
      readable: [],
    })
    const { signal } = new AbortController()
    const launch = { ...planned, memoryBase: base }
    const ending = await runChild({ launch, stdin: undefined, signal, mayAct: () => true, callId: 'c' })
    expect(ending).toMatchObject({ kind: 'ended', code: 0 })
    const [pid, ...descriptors] = ending.kind === 'ended' ? ending.stdout.toString('utf8').trim().split('\n') : []
    // bash opens its own file as 255.
    expect(descriptors).toEqual(['0', '1', '2', '255'])
    const group = join(base, readdirSync(base)[0] ?? '')
    const saidOf = (file: string) => readFileSync(join(group, file), 'utf8').trim()
    expect(saidOf('memory.max')).toBe(String((4 * 64 + files) * mebibyte))
    const joined = Number(saidOf('cgroup.procs'))
    if (isolation === 'none') expect(joined).toBe(Number(pid))
    else expect(joined).toBeGreaterThan(2)
    expect(saidOf('cgroup.kill')).toBe('1')
    rmSync(base, { recursive: true })
  })
})

it('is counted as a whole by the kernel [limits-count-all-memory]', async ({ skip }) => {
  if (memoryBase() === undefined) {
    console.warn('Skipped: no control group with a count of memory can be made here (cgroup v2).')
    skip('no control group with a count of memory can be made here')
  }
  const hoard =
    'python3 -c "import os; f = os.memfd_create(chr(120)); [os.write(f, b\\"x\\" * 1048576) for _ in range(400)]"'
  const program = programs.program('hoards-in-files', `${hoard}; echo held`)
  const limits = {
    memoryBytes: 32 * mebibyte,
    addressSpaceBytes: 512 * mebibyte,
    processes: 4,
    fileBytes: 1024 * mebibyte,
  }
  const ran = Promise.resolve(runProcess({ program, isolation: 'none', limits }).run({}, executionContext()))
  await expect(ran.then((value) => JSON.stringify(value))).resolves.not.toContain('held')
})
