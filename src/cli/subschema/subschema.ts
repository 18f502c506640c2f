// `proviso subschema`: is every value of R a value of L? With `score`, the same for files of published pairs, against their labels.
import { dialects } from '../../schema/normal.ts'
import { isSubschema, type Proof } from '../../subschema/is-subschema.ts'
import { type CommandBody, type CommandIo, type CommandResult, jsonOption, misuse, unanswered } from '../command.ts'
import { safeText, shortJson } from '../plain-text.ts'
import { fieldTable, printResult } from '../print.ts'
import { readJsonFile } from '../read-input.ts'
import type { Colours } from '../terminal.ts'

export const subschemaCommand: CommandBody = {
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
  run: async (io) => (io.words[0] === 'score' ? (await import('./score.ts')).runScore(io) : runProof(io)),
}

/** Well above what the prover takes, so that a large schema is answered by the prover and not by us. */
const maxSchemaBytes = 32 * 2 ** 20

async function runProof(io: CommandIo): Promise<CommandResult> {
  const [first = '', second = '', ...more] = io.words
  if (more.length > 0) return misuse('Two schemas are compared, R and L.', ['See proviso subschema --help.'])
  if (first === '-' && second === '-') return misuse('Only one of the two schemas can come from stdin.')
  if (io.option('rows') !== undefined) return misuse('--rows belongs to proviso subschema score.')
  const dialect = dialects.find((name) => name === (io.option('dialect') ?? '2020-12'))
  if (dialect === undefined) return misuse('There is no such dialect.', [`Known are ${dialects.join(', ')}.`])
  const mode = io.option('formats') ?? 'annotate'
  if (mode !== 'assert' && mode !== 'annotate') return misuse('--formats takes assert or annotate.')
  const r = await readJsonFile(first, io, maxSchemaBytes)
  if (!r.ok) return r.result
  const l = await readJsonFile(second, io, maxSchemaBytes)
  if (!l.ok) return l.result
  const proof = isSubschema(r.value, l.value, { dialect, formats: { r: mode, l: mode } })
  const names = { r: `R (${safeText(first)})`, l: `L (${safeText(second)})` }
  const result = printResult(io, wireProof(proof), proofText(proof, names, io.colours), proof.verdict === 'proven')
  return proof.verdict === 'unsupported' ? unanswered : result
}

/** The same with the names of the wire. */
function wireProof(proof: Proof): object {
  if (proof.verdict !== 'refuted') return proof
  const { verdict, witness, instancePath, rPointer, lPointer, reason } = proof
  return { verdict, witness, instance_path: instancePath, r_pointer: rPointer, l_pointer: lPointer, reason }
}

const witnessLength = 2_000

function proofText(proof: Proof, names: { readonly r: string; readonly l: string }, colours: Colours): string {
  const { bold, dim, green, red, yellow } = colours
  switch (proof.verdict) {
    case 'proven':
      return [
        `${green(bold('proven'))}  every value of ${names.r} is a value of ${names.l}`,
        ...(proof.assumes ?? []).map((assumption) => `  ${dim('assuming')} ${safeText(assumption)}`),
      ].join('\n')
    case 'refuted':
      return [
        `${red(bold('refuted'))}  ${safeText(proof.reason)}`,
        fieldTable(
          [
            ['witness', shortJson(proof.witness, witnessLength)],
            ['at', pointerText(proof.instancePath, 'the whole value')],
            ['allowed by', `${names.r}, at ${pointerText(proof.rPointer, 'its root')}`],
            ['refused by', `${names.l}, at ${pointerText(proof.lPointer, 'its root')}`],
          ],
          colours,
          { indent: '  ' },
        ),
      ].join('\n')
    case 'unsupported':
      return [
        `${yellow(bold('unsupported'))}  ${safeText(proof.construct)}: ${safeText(proof.reason)}`,
        `  ${dim('at')} ${pointerText(proof.pointer, 'the root')} of ${names[proof.side]}`,
      ].join('\n')
  }
}

function pointerText(pointer: string, root: string): string {
  return pointer === '' ? root : safeText(pointer)
}
