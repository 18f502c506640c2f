// `npm run -s walk -- call | recovery | approval | saga [--json]`: the files of src/ that such a thing really passes, phase by phase.
import { mkdtemp, readFile, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { startEmbedded } from '../src/ledger/embedded/start-embedded.ts'
import { watchBoundaries } from './walk/boundaries.ts'
import { walks } from './walk/walks.ts'
import { watchLedger, watchPhases } from './walk/watched.ts'

const { values, positionals } = parseArgs({
  options: { json: { type: 'boolean', default: false } },
  allowPositionals: true,
})
const walk = walks.find(({ name }) => name === positionals[0])
if (walk === undefined || positionals.length > 1) {
  process.stderr.write('npm run -s walk -- WALK [--json], where WALK is one of\n')
  for (const { name, does } of walks) process.stderr.write(`  ${name.padEnd(10)}${does}\n`)
  process.exit(2)
}

const dir = await mkdtemp(join(tmpdir(), 'proviso-walk-'))
const server = await startEmbedded({ dir })
const boundaries = watchBoundaries('outside the phases')
watchPhases(boundaries)
const scene = await walk.stage(server.url, (ledger) => watchLedger(ledger, boundaries))
boundaries.begin()
await scene.act()
const stretches = boundaries.stretches()
boundaries.stop()
await scene.end()
await server.release()
// As root the server's files may lie elsewhere, and the link in its folder says where.
const home = await realpath(join(dir, 'home')).catch(() => dir)
for (const folder of [home, dir]) await rm(folder, { recursive: true, force: true })

const files = [...new Set(stretches.flatMap(({ files }) => files))].sort()
const lines = await Promise.all(
  files.map(
    async (file) => (await readFile(resolve(import.meta.dirname, '../src', file), 'utf8')).split('\n').length - 1,
  ),
)
const total = lines.reduce((sum, count) => sum + count, 0)
if (values.json) {
  process.stdout.write(
    `${JSON.stringify({ walk: walk.name, files: files.length, lines: total, longest: Math.max(...lines), stretches })}\n`,
  )
} else {
  process.stdout.write(`${walk.does}: ${files.length} files, ${total} lines\n`)
  for (const stretch of stretches) {
    process.stdout.write(`\n${stretch.name}\n${stretch.files.map((file) => `  ${file}\n`).join('')}`)
  }
}
