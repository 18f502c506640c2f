// Which processes are ended with a call, and how often they are looked for: by what a machine shows from one look to the next.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, it } from 'vitest'
import { endStrays, type ProcessState, type ProcessTable, processState } from './processes.ts'

const marked = 'A=1\0PROVISO_CALL=c1\0B=2\0'
const young: ProcessState = { runs: true, kernel: false, startedAt: 100 }

/** Shows one list of environments after the other, and then nothing; all processes have one state. */
function machine(shown: readonly Readonly<Record<number, string>>[], state: ProcessState | 'gone' = young) {
  const ended: number[] = []
  let looks = 0
  const its: ProcessTable = {
    environments: () => Object.entries(shown[looks++] ?? {}).map(([pid, text]) => ({ pid: Number(pid), text })),
    stateOf: () => (state === 'gone' ? undefined : state),
    end: (pid) => void ended.push(pid),
  }
  return { its, ended, looks: () => looks }
}

it('ends what carries the mark of its call, and nothing else', async () => {
  const { its, ended } = machine([
    { 1: marked, 2: marked.replace('c1', 'c11'), 3: 'XPROVISO_CALL=c1\0', 4: 'PROVISO_CALL=c1\0' },
  ])
  await endStrays('c1', 0, its)
  expect(ended).toEqual([1, 4])
})

it('looks again for what it has ended, and for what has no environment yet', async () => {
  const { its, ended, looks } = machine([{ 1: marked }, { 2: '' }, { 2: marked }, {}])
  await endStrays('c1', 100, its)
  expect(ended).toEqual([1, 2])
  expect(looks()).toBe(4)
})

it.each<readonly [string, ProcessState | 'gone']>([
  ['is older than the program', { ...young, startedAt: 99 }],
  ['waits for its parent', { ...young, runs: false }],
  ['is of the kernel', { ...young, kernel: true }],
  ['has ended', 'gone'],
])('looks once where what has no environment %s', async (_, standing) => {
  const { its, looks } = machine(
    Array.from({ length: 30 }, () => ({ 1: '' })),
    standing,
  )
  await endStrays('c1', 100, its)
  expect(looks()).toBe(1)
})

it('gives up on what never gets an environment', async () => {
  const { its, looks } = machine(Array.from({ length: 30 }, () => ({ 1: '' })))
  await endStrays('c1', 100, its)
  expect(looks()).toBe(20)
})

it.runIf(process.platform === 'linux')('reads of a process whether it runs and when it was started', async () => {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1_000)'], { stdio: 'ignore' })
  await once(child, 'spawn')
  try {
    const [mine, its] = [processState(process.pid), processState(child.pid ?? 0)]
    expect(its).toMatchObject({ runs: true, kernel: false })
    expect(its?.startedAt).toBeGreaterThanOrEqual(mine?.startedAt ?? Number.NaN)
  } finally {
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  expect(processState(child.pid ?? 0)?.runs ?? false).toBe(false)
})
