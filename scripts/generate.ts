// Writes the generated files; with --check it only compares, and fails where one is stale.
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { generatedFiles, projectRoot, readProjectFile } from './generated-files.ts'

const checking = process.argv.includes('--check')
const files = await generatedFiles()
const stale = files.filter(({ path, text }) => readProjectFile(path) !== text)
const problems = files.flatMap(({ path, problems: own }) => own.map((problem) => `${path}: ${problem}`))

if (!checking) {
  for (const { path, text } of stale) {
    mkdirSync(dirname(projectRoot + path), { recursive: true })
    writeFileSync(projectRoot + path, text)
    console.log(`wrote ${path}`)
  }
}

const complaints = [...problems, ...(checking ? stale.map(({ path }) => `${path} is stale: run npm run generate`) : [])]
for (const complaint of complaints) console.error(complaint)
process.exitCode = complaints.length === 0 ? 0 : 1
