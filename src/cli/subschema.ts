// `proviso subschema`: is every value of R a value of L? With `score`, the same for files of published pairs, against their labels.
import {
  type CommandRow,
  done,
  flag,
  type Given,
  jsonOption,
  misuse,
  type Outcome,
  text,
  undecided,
} from './command.ts'
import type { Terminal } from './terminal.ts'

export const subschema: CommandRow = {
  name: 'subschema',
  group: 'Tools:',
  summary: 'prove that every value of one JSON Schema is a value of another, or show one that is not',
  arguments: [
    { syntax: '<R>', about: 'the file of schema R, - for stdin, or the word score' },
    { syntax: '<L...>', about: 'the file of schema L, - for stdin; after score: files of pairs' },
  ],
  options: [
    { flags: '--dialect <name>', about: 'for schemas without $schema (default: 2020-12)' },
    { flags: '--formats <mode>', about: 'whether format refuses values: assert or annotate (default: annotate)' },
    { flags: '--rows <file>', about: 'with score: write one JSON line per pair to this file' },
    jsonOption,
  ],
  examples: [
    'proviso subschema new.json old.json',
    'curl -s https://example.com/tool.json | proviso subschema - mine.json --json',
    'proviso subschema score pairs/*.json --rows rows.jsonl --json',
  ],
  exits: [
    'proven; with score: nothing unsound, no bad witness',
    'refuted, with a witness; with score: something unsound, or a bad witness',
    'unsupported, wrong usage, or a file that cannot be read',
  ],
  run: (given, terminal) => (given.words[0] === 'score' ? runScore(given, terminal) : runProof(given, terminal)),
}

async function runProof(given: Given, terminal: Terminal): Promise<Outcome> {
  const [first = '', second = '', ...more] = given.words
  if (more.length > 0) return misuse('Two schemas are compared, R and L.', ['See proviso subschema --help.'])
  if (first === '-' && second === '-') return misuse('Only one of the two schemas can come from stdin.')
  if (text(given, 'rows') !== undefined) return misuse('--rows belongs to proviso subschema score.')
  const [{ dialects }, { maxSchemaBytes, readJsonFile }] = await Promise.all([
    import('../schema/normal.ts'),
    import('./subschema/read-json-file.ts'),
  ])
  const dialect = dialects.find((name) => name === (text(given, 'dialect') ?? '2020-12'))
  if (dialect === undefined) return misuse('There is no such dialect.', [`Known are ${dialects.join(', ')}.`])
  const mode = text(given, 'formats') ?? 'annotate'
  if (mode !== 'assert' && mode !== 'annotate') return misuse('--formats takes assert or annotate.')
  const r = await readJsonFile(first, terminal, maxSchemaBytes)
  if (!r.ok) return misuse(r.message)
  const l = await readJsonFile(second, terminal, maxSchemaBytes)
  if (!l.ok) return misuse(l.message)
  const [{ isSubschema }, { showProof, wireProof }] = await Promise.all([
    import('../subschema/is-subschema.ts'),
    import('./subschema/show-proof.ts'),
  ])
  const proof = isSubschema(r.value, l.value, { dialect, formats: { r: mode, l: mode } })
  terminal.out(
    flag(given, 'json') ? JSON.stringify(wireProof(proof), null, 2) : showProof(proof, first, second, terminal.colours),
  )
  return proof.verdict === 'unsupported' ? undecided : done(proof.verdict === 'proven')
}

async function runScore(given: Given, terminal: Terminal): Promise<Outcome> {
  for (const option of ['dialect', 'formats']) {
    if (text(given, option) !== undefined) {
      return misuse(`--${option} does not go with score: each pair names its own draft, and formats annotate.`)
    }
  }
  const { scoreFiles } = await import('./subschema/score-files.ts')
  const rows = text(given, 'rows')
  const run = await scoreFiles({ files: given.words.slice(1), terminal, ...(rows === undefined ? {} : { rows }) })
  if (!run.ok) return misuse(run.message)
  if (flag(given, 'json')) {
    terminal.out(JSON.stringify(run.report, null, 2))
  } else {
    const { showScore } = await import('./subschema/show-score.ts')
    terminal.out(showScore(run.report, terminal.colours))
  }
  return done(run.report.unsound === 0 && run.report.witnesses_bad === 0)
}
