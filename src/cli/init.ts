// `proviso init`: writes a small starter. It never overwrites: where one file is in the way, none is written.
import { mkdir, stat, writeFile } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import { type CommandRow, done, flag, jsonOption, misuse } from './command.ts'

export const init: CommandRow = {
  name: 'init',
  group: 'Start:',
  summary: 'write two example tools with their code, to try and to change',
  arguments: [{ syntax: '[folder]', about: 'where to (default: here)' }],
  options: [jsonOption],
  examples: ['proviso init', 'proviso init my-agent'],
  exits: ['written', 'does not occur', 'a file is in the way; nothing was written'],
  async run(given, terminal) {
    const { starterFiles } = await import('./init/starter.ts')
    const folder = resolve(terminal.folder, given.words[0] ?? '.')
    const files = starterFiles.map(({ path, text }) => ({ path: join(folder, path), text }))
    const shown = (path: string) => relative(terminal.folder, path) || path
    const inTheWay: string[] = []
    for (const { path } of files) if (await exists(path)) inTheWay.push(shown(path))
    if (inTheWay.length > 0) return misuse('These files are in the way; nothing was written.', inTheWay)
    for (const { path, text } of files) {
      await mkdir(dirname(path), { recursive: true })
      // wx: a file that appeared since is not overwritten either.
      await writeFile(path, text, { flag: 'wx' })
    }
    const written = files.map(({ path }) => shown(path))
    if (flag(given, 'json')) {
      terminal.out(JSON.stringify({ folder, written }, null, 2))
      return done(true)
    }
    for (const path of written) terminal.out(`${terminal.colours.green('wrote')} ${path}`)
    const tools = shown(join(folder, 'tools'))
    terminal.out(`\nTry:\n  proviso check ${tools}`)
    terminal.out(`  proviso call lookup_order_v1 '{"order_id":"ord_1001"}' --tools ${tools}`)
    terminal.out('  proviso explain latest')
    return done(true)
  },
}

const exists = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  )
