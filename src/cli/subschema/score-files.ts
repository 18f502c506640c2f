// Runs the prover over files of pairs: totals, totals by file, one row per pair. Witnesses are tried again as they are written down.
import { type FileHandle, open } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { JsonValue } from '../../json/value.ts'
import type { Dialect } from '../../schema/normal.ts'
import { preprocess } from '../../schema/preprocess.ts'
import { compileValidator } from '../../schema/validator.ts'
import { disputedLabels } from '../../subschema/verdict/disputed-labels.ts'
import {
  dialectOfDraft,
  type Pair,
  type PairScore,
  type ScoreTotals,
  scorePair,
  sumUp,
} from '../../subschema/verdict/score.ts'
import { plainText } from '../plain-text.ts'
import type { Terminal } from '../terminal.ts'
import { readPairs } from './pairs-file.ts'
import { progressBar } from './progress-bar.ts'

export interface ScoreReport extends ScoreTotals {
  readonly files: readonly ({ readonly file: string } & ScoreTotals)[]
  /** Published labels that are wrong; these pairs count by what is true. */
  readonly disputed: readonly { readonly id: string; readonly expected: boolean; readonly reason: string }[]
  /** What needs a look: every pair that is not decided as it should be. */
  readonly not_correct: readonly { readonly id: string; readonly standing: PairScore['standing'] }[]
}

export type ScoreRun =
  | { readonly ok: true; readonly report: ScoreReport }
  | { readonly ok: false; readonly message: string }

export interface ScoreInput {
  readonly files: readonly string[]
  readonly terminal: Terminal
  /** Where one JSON line per pair goes. */
  readonly rows?: string
}

export async function scoreFiles({ files, terminal, rows }: ScoreInput): Promise<ScoreRun> {
  const read: { readonly file: string; readonly pairs: readonly Pair[] }[] = []
  for (const file of files) {
    const own = await readPairs(file, terminal)
    if (!own.ok) return own
    read.push({ file, pairs: own.pairs })
  }
  let out: FileHandle | undefined
  try {
    if (rows !== undefined) out = await open(resolve(terminal.folder, rows), 'w')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unwritable'
    return { ok: false, message: `The rows cannot be written to ${rows} (${code}).` }
  }
  try {
    const bar = progressBar(
      read.reduce((sum, { pairs }) => sum + pairs.length, 0),
      terminal,
    )
    const scored: { readonly file: string; readonly scores: readonly PairScore[] }[] = []
    for (const { file, pairs } of read) {
      const scores = pairs.map((pair) => {
        const score = scorePair(pair, { now: () => performance.now(), confirms })
        bar.step(plainText(file))
        return score
      })
      const lines = scores.map((score, index) => `${JSON.stringify(rowOf(file, pairs[index] as Pair, score))}\n`)
      for (const line of lines) await out?.write(line)
      scored.push({ file, scores })
    }
    bar.end()
    return { ok: true, report: reportOn(scored) }
  } finally {
    await out?.close()
  }
}

function reportOn(scored: readonly { readonly file: string; readonly scores: readonly PairScore[] }[]): ScoreReport {
  const all = scored.flatMap(({ scores }) => scores)
  return {
    ...sumUp(all),
    files: scored.map(({ file, scores }) => ({ file, ...sumUp(scores) })),
    disputed: all.flatMap(({ id }) => {
      const label = disputedLabels.get(id)
      return label === undefined ? [] : [{ id, ...label }]
    }),
    not_correct: all.filter((score) => !isCorrect(score)).map(({ id, standing }) => ({ id, standing })),
  }
}

function isCorrect({ standing, witnessIsBad }: PairScore): boolean {
  return (standing === 'proven' || standing === 'refuted') && !witnessIsBad
}

/** `expected` is the published label; `label_is_wrong` says where it does not count. */
function rowOf(file: string, { id, draft, expected }: Pair, score: PairScore): object {
  const { proof } = score
  return {
    id,
    file,
    draft,
    expected,
    verdict: proof.verdict,
    ...(proof.verdict === 'refuted' ? { witness: proof.witness } : {}),
    ...(proof.verdict === 'unsupported'
      ? { reason: `${proof.construct} at ${proof.side}${proof.pointer}: ${proof.reason}` }
      : {}),
    ...(proof.verdict === 'refuted' ? { reason: proof.reason } : {}),
    ms: score.ms,
    correct: isCorrect(score),
    ...(score.labelIsWrong ? { label_is_wrong: true } : {}),
  }
}

/** The witness as a reader of the rows gets it: written down, read again, and judged under freshly read schemas. */
function confirms({ lhs, rhs, draft }: Pair, witness: JsonValue): boolean {
  const value = JSON.parse(JSON.stringify(witness)) as JsonValue
  const dialect = dialectOfDraft(draft) ?? '2020-12'
  return accepts(lhs, dialect, value) === true && accepts(rhs, dialect, value) === false
}

function accepts(schema: JsonValue, dialect: Dialect, value: JsonValue): boolean | undefined {
  const read = preprocess(schema, { dialect, formats: 'annotate' })
  return read.ok ? compileValidator(read.schema).matches(value) : undefined
}
