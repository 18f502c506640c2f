// A rule as a table: the first row that fits decides. The same rows are walked here and written as SQL
// (postgres/functions/write-rules.ts), so that what memory decides and what the database decides are one text.

/** What a rule looks at, by name; all values are known words or yes and no. */
export type Case = Readonly<Record<string, string | boolean>>

export interface Row<C extends Case, V extends string> {
  /** The name of the row: a check that explores the ledger counts how often each row decided. */
  readonly id: string
  /** All of these must hold; of a list, any one. A thing that is not named does not matter. */
  readonly when: { readonly [K in keyof C]?: C[K] | readonly C[K][] }
  readonly verdict: V
}

export interface RuleTable<C extends Case, V extends string> {
  readonly name: string
  /** Every value that each thing may have: all cases can be listed. */
  readonly over: { readonly [K in keyof C]: readonly C[K][] }
  /** The last row has no conditions. */
  readonly rows: readonly Row<C, V>[]
}

/** Called with the row that decided; a check sets it while it counts. */
export type OnRow = (rule: string, row: string) => void

let onRow: OnRow | undefined

/** Calls `watch` with every decision while `work` runs. */
export function watchingRows<T>(watch: OnRow, work: () => T): T {
  onRow = watch
  try {
    return work()
  } finally {
    onRow = undefined
  }
}

export function decide<C extends Case, V extends string>(rule: RuleTable<C, V>, given: C): V {
  for (const row of rule.rows) {
    if (!rowFits(row, given)) continue
    onRow?.(rule.name, row.id)
    return row.verdict
  }
  throw new Error(`No row of the rule ${rule.name} fits.`)
}

function rowFits<C extends Case, V extends string>({ when }: Row<C, V>, given: C): boolean {
  for (const name in when) {
    const wanted: unknown = when[name]
    const value = given[name]
    if (Array.isArray(wanted) ? !wanted.includes(value) : wanted !== value) return false
  }
  return true
}

/** Every case of a rule, in the order of its dimensions. */
export function casesOf<C extends Case, V extends string>({ over }: RuleTable<C, V>): readonly C[] {
  let cases: Case[] = [{}]
  for (const [name, values] of Object.entries(over))
    cases = cases.flatMap((each) =>
      (values as readonly (string | boolean)[]).map((value) => ({ ...each, [name]: value })),
    )
  return cases as C[]
}
