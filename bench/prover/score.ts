// Scores the prover on files of pairs: node bench/prover/score.ts FILES… [--json] [--rows FILE] [--confirm].
// Exit 0: nothing unsound, nothing incomplete, no bad witness; 1: something is; 2: no file.
import { readFileSync, writeFileSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { type Pair, type PairScore, scorePair, sumUp } from '../../src/subschema/score.ts'
import { nothingJudged, report, say } from '../arguments.ts'
import { type Opinion, secondOpinion } from './second-opinion.ts'

const { values: flags, positionals: files } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: 'boolean', default: false },
    rows: { type: 'string' },
    /** Ask the second validator about every witness. */
    confirm: { type: 'boolean', default: false },
  },
})
if (files.length === 0) {
  say('NOT JUDGED: name at least one file of pairs')
  process.exit(nothingJudged)
}

const all: PairScore[] = []
const byFile: Record<string, object> = {}
const opinions: Record<Opinion, string[]> = { confirmed: [], denied: [], 'cannot read the schema': [] }
for (const file of files) {
  const pairs = JSON.parse(readFileSync(resolve(file), 'utf8')) as readonly Pair[]
  const scores = pairs.map((pair) => scorePair(pair, { now: () => performance.now() }))
  byFile[basename(file)] = sumUp(scores)
  say(`${basename(file)}: ${JSON.stringify(byFile[basename(file)])}`)
  all.push(...scores)
  if (flags.confirm) await confirmAll(pairs, scores)
}
if (flags.rows !== undefined) writeFileSync(flags.rows, all.map((score) => `${JSON.stringify(score)}\n`).join(''))
const totals = sumUp(all)
const confirmation = {
  confirmed: opinions.confirmed.length,
  denied: opinions.denied,
  unread: opinions['cannot read the schema'],
}
report({ ...totals, files: byFile, ...(flags.confirm ? { second_validator: confirmation } : {}) }, flags.json)
process.exitCode = totals.unsound + totals.incomplete + totals.witnesses_bad === 0 ? 0 : 1

async function confirmAll(pairs: readonly Pair[], scores: readonly PairScore[]): Promise<void> {
  for (const [index, { id, proof }] of scores.entries()) {
    if (proof.verdict !== 'refuted') continue
    opinions[await secondOpinion(pairs[index] as Pair, proof.witness)].push(id)
  }
}
