// Contradictions that one contract may have several times over: a row finds every problem of its kind, and each is refused on its own, in
// its own words and with the remedy of the row.
import type { Contradiction } from './contradictions.ts'
import type { Tool } from './tool.ts'

export interface ProblemRow {
  readonly id: string
  readonly pointer: string
  readonly remedy: string
  problems(tool: Tool): readonly string[]
}

export function findProblems(rows: readonly ProblemRow[], tool: Tool): readonly Contradiction[] {
  return rows.flatMap(({ id, pointer, remedy, problems }) =>
    problems(tool).map((problem) => ({ id, pointer, message: `${problem} ${remedy}` })),
  )
}
