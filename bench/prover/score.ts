// Scores the prover on files of pairs: node bench/prover/score.ts FILES… [--json] [--rows FILE].
// Exit 0: nothing unsound, nothing incomplete, no bad witness; 1: something is; 2: no file.
import { readFileSync, writeFileSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { type Pair, type PairScore, scorePair, sumUp } from '../../src/subschema/score.ts'
import { nothingJudged, report, say } from '../arguments.ts'

const { values: flags, positionals: files } = parseArgs({
  allowPositionals: true,
  options: { json: { type: 'boolean', default: false }, rows: { type: 'string' }, only: { type: 'string' } },
})
if (files.length === 0) {
  say('NOT JUDGED: name at least one file of pairs')
  process.exit(nothingJudged)
}

const all: PairScore[] = []
const byFile: Record<string, object> = {}
for (const file of files) {
  const pairs = (JSON.parse(readFileSync(resolve(file), 'utf8')) as Pair[]).filter(
    ({ id }) => flags.only === undefined || id.includes(flags.only),
  )
  const scores = pairs.map((pair) => scorePair(pair, { now: () => performance.now() }))
  byFile[basename(file)] = sumUp(scores)
  say(`${basename(file)}: ${JSON.stringify(byFile[basename(file)])}`)
  all.push(...scores)
}
if (flags.rows !== undefined) writeFileSync(flags.rows, all.map((score) => `${JSON.stringify(score)}\n`).join(''))
const totals = sumUp(all)
report({ ...totals, files: byFile }, flags.json)
process.exitCode = totals.unsound + totals.incomplete + totals.witnesses_bad === 0 ? 0 : 1
