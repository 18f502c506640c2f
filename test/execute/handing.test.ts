// What a program inherits of a process whose own parent has left descriptors open: nothing.
import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { expect, it } from 'vitest'

const handing = new URL('../../src/execute/executors/process/handing.ts', import.meta.url).href
const transport = new URL('../../src/execute/executors/mcp/transport.ts', import.meta.url).href

/** Runs this in a process that was started with the root of the file system open as 60, and a file as 12. */
function underLeakyParent(code: string): string {
  const holder = 'exec 60</ 12</etc/hostname; exec "$0" "$@"'
  const { stdout, stderr } = spawnSync(
    '/bin/bash',
    ['-c', holder, process.execPath, '--input-type=module', '-e', code],
    {
      encoding: 'utf8',
    },
  )
  return stdout === '' ? stderr : stdout
}

it.skipIf(process.platform !== 'linux')('a program inherits no descriptor of ours, nor of our parent', () => {
  const listing = (last: number) => `
    import { spawnSync } from 'node:child_process'
    import { handing } from '${handing}'
    const list = { file: '/bin/ls', argv: ['-l', '/proc/self/fd'], last: ${last}, ownKeys: false }
    const bare = spawnSync(list.file, list.argv, { encoding: 'utf8' }).stdout
    const handed = handing(list)
    console.log(JSON.stringify([bare, spawnSync(handed.file, handed.argv, { encoding: 'utf8' }).stdout]))`
  const [bare = '', handed = ''] = JSON.parse(underLeakyParent(listing(2))) as string[]
  // The check is checked: without it the descriptor gets through.
  expect(bare).toContain('60 -> /\n')
  expect(handed).not.toContain('60 -> ')
  expect(
    handed
      .trim()
      .split('\n')
      .slice(1)
      .map((line) => / ([0-9]+) -> /.exec(line)?.[1]),
  ).toEqual(['0', '1', '2', '3'])
})

it.skipIf(process.platform !== 'linux')('a server of MCP inherits none either', () => {
  const code = `
    import { transportTo } from '${transport}'
    const command = { kind: 'program', command: '/bin/sh', args: ['-c', 'ls /proc/$$/fd | tr "\\\\n" " " > "$OUT"'], env: { OUT: process.env.OUT }, cwd: undefined }
    const egress = { policy: 'none', domains: [], connections: { ports: [], loopback: false, plain: false } }
    const { transport } = await transportTo({ ...command, revision: '2025' }, egress, 1000)
    const { readFileSync, mkdtempSync } = await import('node:fs')
    transport.onclose = () => { console.log(readFileSync(process.env.OUT, 'utf8')); process.exit() }
    await transport.start()`
  process.env.OUT = `/tmp/proviso-handing-${process.pid}`
  const seen = underLeakyParent(code).trim().split(' ')
  rmSync(process.env.OUT, { force: true })
  delete process.env.OUT
  expect(seen).not.toContain('60')
  expect(seen.slice(0, 3)).toEqual(['0', '1', '2'])
})
