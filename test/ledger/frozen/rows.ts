// The frozen verdicts as data: one row is one line, one combination of record, request and clock, and what came of it.
import { readFileSync } from 'node:fs'
import type { Place, Stage } from './stage.ts'

/** What makes one combination, by the names of its dimensions. */
export type Given = Readonly<Record<string, string>>

/** What was seen, as plain text and numbers. */
export type Verdict = Readonly<Record<string, string | number>>

/** Both engines come to `verdict`, or each to its own, `because` of what is said; an engine that is not named cannot come there. */
export interface Row {
  readonly given: Given
  readonly verdict?: Verdict
  readonly memory?: Verdict
  readonly postgres?: Verdict
  readonly because?: string
}

export interface Family {
  /** Of its file in `data/`. */
  readonly name: string
  /** Every combination there is, from the dimensions alone. */
  readonly combinations: () => readonly Given[]
  readonly play: (given: Given, place: Place) => Promise<Verdict>
  /** Played one after another: which statement decides depends on what else is in its batch. */
  readonly alone?: boolean
}

export const rowsOf = (family: Pick<Family, 'name'>): readonly Row[] =>
  linesOf(family).map((line) => JSON.parse(line) as Row)

export const linesOf = ({ name }: Pick<Family, 'name'>): readonly string[] =>
  readFileSync(new URL(`./data/${name}.jsonl`, import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line !== '')

/** `id unseen, hash equal, …`: what names a row. */
export const keyOf = (given: Given): string =>
  Object.entries(given)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ')

export interface Difference {
  readonly row: string
  readonly frozen: Verdict
  readonly seen: Verdict
}

/** Plays the rows of a family and gives those that came to something else than what is frozen. */
export const differences = (family: Family, stage: Stage): Promise<readonly Difference[]> =>
  differencesIn(family, stage, rowsOf(family))

/** Whether any row differs: found sooner, where many would. */
export async function tells(family: Family, stage: Stage): Promise<boolean> {
  const rows = rowsOf(family)
  const parts = 8
  for (let part = 0; part < parts; part++) {
    const some = rows.filter((_, index) => index % parts === part)
    if ((await differencesIn(family, stage, some)).length > 0) return true
  }
  return false
}

async function differencesIn(family: Family, stage: Stage, rows: readonly Row[]): Promise<readonly Difference[]> {
  const frozen = rows.flatMap((row) => {
    const verdict = row.verdict ?? row[stage.engine]
    return verdict === undefined ? [] : [{ given: row.given, verdict }]
  })
  const plays = frozen.map(
    ({ given }) =>
      (place: Place) =>
        family.play(given, place),
  )
  const seen = await (family.alone === true ? stage.playAlone(plays) : stage.playAll(plays))
  return frozen.flatMap(({ given, verdict }, index) => {
    const now = seen[index] ?? {}
    return textOf(now) === textOf(verdict) ? [] : [{ row: keyOf(given), frozen: verdict, seen: now }]
  })
}

const textOf = (verdict: Verdict) => JSON.stringify(Object.entries(verdict).sort(([a], [b]) => (a < b ? -1 : 1)))

/** All combinations of these dimensions, the last one changing fastest. */
export function product(dimensions: Readonly<Record<string, readonly string[]>>): readonly Given[] {
  let all: readonly Given[] = [{}]
  for (const [name, values] of Object.entries(dimensions))
    all = all.flatMap((given) => values.map((value) => ({ ...given, [name]: value })))
  return all
}
