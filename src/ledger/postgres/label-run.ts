// Adds to what a run and its family carry. Issued again after a cut connection it changes nothing.
import type { Database } from './database.ts'

export interface Labelling {
  readonly tenant: string
  readonly run: string
  readonly labels: readonly string[]
  readonly parent: string | undefined
}

export async function labelRun(
  database: Database,
  { tenant, run, labels, parent }: Labelling,
): Promise<readonly string[]> {
  for (let joining = parent ?? null; ; joining = null) {
    const [row] = await database.run<[string[], boolean]>('label-run', [tenant, run, labels, joining])
    // It has come into a family meanwhile: the others are told by a second try.
    if (row?.[1] !== true) return row?.[0] ?? []
  }
}
