// `npm run -s walk -- call | recovery | approval | saga [--json]`: the files of src/ that such a thing really passes, phase by phase.
// `--write` puts what all walks print into docs/architecture.md.
import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { startServer } from './walk/server.ts'
import { printWalk, type Walked, walkOn } from './walk/walked.ts'
import { walks } from './walk/walks.ts'

const page = resolve(import.meta.dirname, '../docs/architecture.md')

const { values, positionals } = parseArgs({
  options: { json: { type: 'boolean', default: false }, write: { type: 'boolean', default: false } },
  allowPositionals: true,
})
const [name, ...more] = positionals
const chosen = walks.filter((walk) => values.write || walk.name === name)
if (chosen.length === 0 || more.length > 0) {
  process.stderr.write('npm run -s walk -- WALK [--json], where WALK is one of\n')
  for (const walk of walks) process.stderr.write(`  ${walk.name.padEnd(10)}${walk.does}\n`)
  process.exit(2)
}

const server = await startServer()
const walked: Walked[] = []
for (const walk of chosen) walked.push(await walkOn(await server.database(walk.name), walk))
await server.stop()

for (const one of walked) process.stdout.write(values.json ? `${JSON.stringify(one)}\n` : printWalk(one))
if (values.write) {
  let text = readFileSync(page, 'utf8')
  for (const one of walked) {
    const block = new RegExp(`(<!-- npm run -s walk -- ${one.walk} -->\\n\`\`\`text\\n)[\\s\\S]*?(\`\`\`)`)
    text = text.replace(block, (_, before: string, after: string) => `${before}${printWalk(one)}${after}`)
  }
  writeFileSync(page, text)
}
