// Counts judged rows. What is missed is listed by id, so that every figure can be looked into.
import type { JudgedRow } from './judge-row.ts'

export interface Summary {
  readonly right_calls: number
  readonly false_refusals: number
  readonly false_refusals_sample: number
  readonly false_refusals_elsewhere: number
  readonly wrong_calls: number
  readonly let_through: number
  readonly right_class_share: number
  readonly right_path_share: number
  readonly every_path_share: number
  readonly unknown_tool: {
    readonly calls: number
    readonly right: number
    readonly let_through: number
    /** Answers that name at least one offered tool as the one meant. */
    readonly suggested: number
    /** An offered name differs only in case, separators or namespace, so it has to be suggested. */
    readonly near: number
    readonly near_suggested: number
  }
  readonly labels_disputed: readonly string[]
  readonly by_class: Readonly<Record<string, number>>
  readonly misses: readonly Miss[]
}

interface Miss
  extends Pick<JudgedRow, 'file' | 'line' | 'id' | 'expected' | 'verdict' | 'class' | 'expected_class' | 'right_path'> {
  readonly places: readonly string[]
}

const listed = 40

export function summarize(rows: readonly JudgedRow[]): Summary {
  const isUnknown = (row: JudgedRow) => row.file.endsWith('unknown_tool.jsonl')
  const right = rows.filter(({ expected }) => expected === 'accept')
  const refusedWrongly = right.filter(({ verdict, same_value }) => verdict === 'refuse' || !same_value)
  const inFile = (name: string) => refusedWrongly.filter(({ file }) => file.endsWith(name)).length
  const inCalls = inFile('bfcl/calls.jsonl')
  const inSample = inFile('valid_sample.jsonl')
  const wrong = rows.filter((row) => row.expected === 'refuse')
  const letThrough = wrong.filter(({ verdict }) => verdict === 'accept')
  const unknown = wrong.filter(isUnknown)
  const hits = (test: (row: JudgedRow) => boolean) => share(wrong.filter(test).length, wrong.length)
  const named = (row: JudgedRow) => row.verdict === 'refuse' && row.right_class === true && row.right_path === true
  const misses = [...refusedWrongly, ...wrong.filter((row) => !named(row))]
  return {
    right_calls: right.length,
    false_refusals: inCalls,
    false_refusals_sample: inSample,
    false_refusals_elsewhere: refusedWrongly.length - inCalls - inSample,
    wrong_calls: wrong.length,
    let_through: letThrough.length,
    right_class_share: hits(({ right_class }) => right_class === true),
    right_path_share: hits(named),
    every_path_share: hits((row) => named(row) && row.every_path === true),
    unknown_tool: {
      calls: unknown.length,
      right: unknown.filter(named).length,
      let_through: unknown.filter(({ verdict }) => verdict === 'accept').length,
      suggested: unknown.filter(({ suggested }) => suggested.length > 0).length,
      near: unknown.filter(({ near }) => near !== undefined).length,
      near_suggested: unknown.filter(({ near, suggested }) => near !== undefined && suggested.includes(near)).length,
    },
    labels_disputed: rows.filter((row) => row.label_disputed).map(({ file, line, id }) => `${file}:${line} ${id}`),
    by_class: countBy(wrong.map((row) => row.class)),
    misses: misses.slice(0, listed).map(missOf),
  }
}

const missOf = ({
  file,
  line,
  id,
  expected,
  verdict,
  class: found,
  expected_class,
  right_path,
  fields,
}: JudgedRow): Miss => ({
  file,
  line,
  id,
  expected,
  verdict,
  class: found,
  expected_class,
  right_path,
  places: fields.map(({ pointer, keyword }) => `${pointer} ${keyword}`).slice(0, 5),
})

const share = (part: number, whole: number): number => (whole === 0 ? 1 : part / whole)

function countBy(names: readonly string[]): Readonly<Record<string, number>> {
  return Object.fromEntries(
    Object.entries(Object.groupBy(names, (name) => name)).map(([name, own]) => [name, own?.length ?? 0]),
  )
}
