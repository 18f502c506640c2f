// The score as a table: one line per file, the totals below, and what was not decided as it should be.
import type { ScoreTotals } from '../../subschema/verdict/score.ts'
import { plainText } from '../plain-text.ts'
import type { Colours } from '../terminal.ts'
import { textTable } from '../text-table.ts'
import type { ScoreReport } from './score-files.ts'

const columns = ['pairs', 'proven', 'refuted', 'unsound', 'incomplete', 'unsupported', 'witnesses_bad'] as const
const shownPairs = 20

export function showScore(report: ScoreReport, { bold, dim, red }: Colours): string {
  const line = (name: string, totals: ScoreTotals): readonly string[] => [
    name,
    ...columns.map((column) => String(totals[column])),
    `${(totals.correct_share * 100).toFixed(2)} %`,
    `${totals.median_ms} / ${totals.p99_ms} / ${totals.max_ms} ms`,
  ]
  const table = textTable([
    ['file', ...columns, 'correct', 'median / p99 / longest'].map((head) => dim(head)),
    ...report.files.map((totals) => line(plainText(totals.file), totals)),
    line(bold('all'), report),
  ])
  const missed = report.not_correct
    .slice(0, shownPairs)
    .map(({ id, standing }) => `  ${standing === 'unsupported' ? standing : red(standing)}  ${plainText(id)}`)
  const more = report.not_correct.length - missed.length
  return [
    table,
    ...(missed.length === 0 ? [] : ['', 'Not decided as they should be:', ...missed]),
    ...(more > 0 ? [`  and ${more} more: --json and --rows name them all`] : []),
    ...(report.disputed.length === 0 ? [] : ['', 'Counted by what is true, because the published label is wrong:']),
    ...report.disputed.map(({ id, reason }) => `  ${plainText(id)}: ${reason}`),
  ].join('\n')
}
