// `proviso init`: writes a small starter. It never overwrites: where one file is in the way, none is written.
import { mkdir, stat, writeFile } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import { type CommandBody, jsonOption, misuse } from '../command.ts'
import { printResult } from '../print.ts'
import { starterFiles } from './starter.ts'

export const initCommand: CommandBody = {
  arguments: [{ syntax: '[folder]', about: 'where to (default: here)' }],
  options: [jsonOption],
  examples: ['proviso init', 'proviso init my-agent'],
  exits: ['written', 'does not occur', 'a file is in the way; nothing was written'],
  async run(io) {
    const folder = resolve(io.folder, io.words[0] ?? '.')
    const files = starterFiles.map(({ path, text }) => ({ path: join(folder, path), text }))
    const shown = (path: string) => relative(io.folder, path) || path
    const inTheWay: string[] = []
    for (const { path } of files) if (await exists(path)) inTheWay.push(shown(path))
    if (inTheWay.length > 0) return misuse('These files are in the way; nothing was written.', inTheWay)
    for (const { path, text } of files) {
      await mkdir(dirname(path), { recursive: true })
      // wx: a file that appeared since is not overwritten either.
      await writeFile(path, text, { flag: 'wx' })
    }
    const written = files.map(({ path }) => shown(path))
    const tools = shown(join(folder, 'tools'))
    return printResult(io, { folder, written }, [
      ...written.map((path) => `${io.colours.green('wrote')} ${path}`),
      `\nTry:\n  proviso check ${tools}`,
      `  proviso call lookup_order_v1 '{"order_id":"ord_1001"}' --tools ${tools}`,
      '  proviso explain latest',
    ])
  },
}

const exists = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  )
