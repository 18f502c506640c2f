// `proviso subschema score`: runs the prover over files of published pairs { id, draft, lhs, rhs, expected }: totals, totals by file, one row
// per pair. Witnesses are tried again as they are written down. A row that is no pair is refused, never skipped: a score over fewer pairs
// than there are would look better than it is.
import { type FileHandle, open } from 'node:fs/promises'
import { resolve } from 'node:path'
import { isObject, type JsonValue } from '../../json/value.ts'
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
import { available, type CommandIo, type CommandResult, missing, misuse, type Needed } from '../command.ts'
import { safeText } from '../plain-text.ts'
import { listLines, printResult } from '../print.ts'
import { progressBar } from '../progress-bar.ts'
import { readJsonFile } from '../read-input.ts'
import type { Colours } from '../terminal.ts'

export async function runScore(io: CommandIo): Promise<CommandResult> {
  for (const option of ['dialect', 'formats']) {
    if (io.option(option) !== undefined) {
      return misuse(`--${option} does not go with score: each pair names its own draft, and formats annotate.`)
    }
  }
  const read: FilePairs[] = []
  for (const file of io.words.slice(1)) {
    const pairs = await readPairs(file, io)
    if (!pairs.ok) return pairs.result
    read.push({ file, pairs: pairs.value })
  }
  const rows = io.option('rows')
  let out: FileHandle | undefined
  try {
    if (rows !== undefined) out = await open(resolve(io.folder, rows), 'w')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unwritable'
    return misuse(`The rows cannot be written to ${rows} (${code}).`)
  }
  try {
    const report = reportOn(await scorePairs(read, io, out))
    return printResult(io, report, scoreText(report, io.colours), report.unsound === 0 && report.witnesses_bad === 0)
  } finally {
    await out?.close()
  }
}

interface FilePairs {
  readonly file: string
  readonly pairs: readonly Pair[]
}

interface FileScores {
  readonly file: string
  readonly scores: readonly PairScore[]
}

interface ScoreReport extends ScoreTotals {
  readonly files: readonly ({ readonly file: string } & ScoreTotals)[]
  /** Published labels that are wrong; these pairs count by what is true. */
  readonly disputed: readonly { readonly id: string; readonly expected: boolean; readonly reason: string }[]
  /** What needs a look: every pair that is not decided as it should be. */
  readonly not_correct: readonly { readonly id: string; readonly standing: PairScore['standing'] }[]
}

const maxBytes = 256 * 2 ** 20

async function readPairs(file: string, io: CommandIo): Promise<Needed<readonly Pair[]>> {
  const read = await readJsonFile(file, io, maxBytes)
  if (!read.ok) return read
  if (!Array.isArray(read.value)) return missing(`${file} holds no array of pairs.`)
  const pairs: Pair[] = []
  for (const [index, row] of (read.value as readonly JsonValue[]).entries()) {
    const pair = pairOf(row)
    if (typeof pair === 'string') return missing(`${file}: row ${index + 1} is no pair: ${pair}.`)
    pairs.push(pair)
  }
  return available(pairs)
}

function pairOf(row: JsonValue): Pair | string {
  if (!isObject(row)) return 'it is no object'
  const { id, draft, lhs, rhs, expected } = row
  if (typeof id !== 'string') return 'id is missing'
  if (typeof draft !== 'string' || dialectOfDraft(draft) === undefined) return 'draft is missing or not known'
  if (lhs === undefined || rhs === undefined) return 'lhs or rhs is missing'
  if (typeof expected !== 'boolean') return 'expected is neither true nor false'
  return { id, draft, lhs, rhs, expected }
}

/** Scores all pairs, and writes one JSON line for each where a file is open for them. */
async function scorePairs(
  read: readonly FilePairs[],
  io: CommandIo,
  out: FileHandle | undefined,
): Promise<readonly FileScores[]> {
  const total = read.reduce((sum, { pairs }) => sum + pairs.length, 0)
  const bar = progressBar(total, io)
  const scored: FileScores[] = []
  for (const { file, pairs } of read) {
    const scores = pairs.map((pair) => {
      const score = scorePair(pair, { now: () => performance.now(), confirms })
      bar.step(safeText(file))
      return score
    })
    const lines = scores.map((score, index) => `${JSON.stringify(rowOf(file, pairs[index] as Pair, score))}\n`)
    for (const line of lines) await out?.write(line)
    scored.push({ file, scores })
  }
  bar.end()
  return scored
}

function reportOn(scored: readonly FileScores[]): ScoreReport {
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

const totalNames = ['pairs', 'proven', 'refuted', 'unsound', 'incomplete', 'unsupported', 'witnesses_bad'] as const
const shownPairs = 20

/** One line for each file, the totals below, and what was not decided as it should be. */
function scoreText(report: ScoreReport, colours: Colours): readonly string[] {
  const { bold, red } = colours
  const isSum = (totals: ScoreTotals) => totals === report
  const columns = [
    {
      title: 'file',
      text: (totals: ScoreTotals & { readonly file?: string }) => totals.file ?? 'all',
      shade: (totals: ScoreTotals) => (isSum(totals) ? bold : undefined),
    },
    ...totalNames.map((title) => ({ title, text: (totals: ScoreTotals) => String(totals[title]) })),
    { title: 'correct', text: (totals: ScoreTotals) => `${(totals.correct_share * 100).toFixed(2)} %` },
    {
      title: 'median / p99 / longest',
      text: ({ median_ms, p99_ms, max_ms }: ScoreTotals) => `${median_ms} / ${p99_ms} / ${max_ms} ms`,
    },
  ]
  const missed = report.not_correct
    .slice(0, shownPairs)
    .map(({ id, standing }) => `  ${standing === 'unsupported' ? standing : red(standing)}  ${safeText(id)}`)
  const more = report.not_correct.length - missed.length
  return [
    ...listLines([...report.files, report], { columns }, colours),
    ...(missed.length === 0 ? [] : ['', 'Not decided as they should be:', ...missed]),
    ...(more > 0 ? [`  and ${more} more: --json and --rows name them all`] : []),
    ...(report.disputed.length === 0 ? [] : ['', 'Counted by what is true, because the published label is wrong:']),
    ...report.disputed.map(({ id, reason }) => `  ${safeText(id)}: ${reason}`),
  ]
}
