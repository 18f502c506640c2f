// Writes the generated files; with --check it only compares, and fails where one is stale. The rules of the ledger come first: the examples
// in the docs need a ledger, whose functions may call a rule that is new.
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { type GeneratedFile, generatedFiles, projectRoot, readProjectFile, rulesFile } from './generated-files.ts'

const checking = process.argv.includes('--check')
const complaints: string[] = []

function refresh({ path, text, problems }: GeneratedFile): void {
  complaints.push(...problems.map((problem) => `${path}: ${problem}`))
  if (readProjectFile(path) === text) return
  if (checking) {
    complaints.push(`${path} is stale: run npm run generate`)
    return
  }
  mkdirSync(dirname(projectRoot + path), { recursive: true })
  writeFileSync(projectRoot + path, text)
  console.log(`wrote ${path}`)
}

refresh(rulesFile())
// On stale rules the examples would fail, and say nothing of why.
if (complaints.length === 0) for (const file of await generatedFiles()) refresh(file)

for (const complaint of complaints) console.error(complaint)
process.exitCode = complaints.length === 0 ? 0 : 1
