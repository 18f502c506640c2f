// The shape of everything that registration refuses by name. A room contributes rows, `runtime/tool-contradictions.ts` lists those about tools,
// and one walker goes over them. `check` and the documentation print the same rows.

export interface ContradictionRow<Subject> {
  readonly id: string
  /** A JSON Pointer into the file: where the contradiction is. */
  readonly pointer: string
  readonly remedy: string
  /** Each place where the subject contradicts itself; an empty list where it does not. */
  find(subject: Subject): readonly Occurrence[]
}

export interface Occurrence {
  /** A JSON Pointer below that of the row. */
  readonly at?: string
  /** What is wrong there, in a sentence; absent where the remedy says it. */
  readonly detail?: string
}

export interface Contradiction {
  readonly id: string
  readonly pointer: string
  readonly message: string
}

/** For rows that are about the whole subject: it contradicts itself there, or it does not. */
export const when =
  <Subject>(holds: (subject: Subject) => boolean): ContradictionRow<Subject>['find'] =>
  (subject) =>
    holds(subject) ? [{}] : []

export function findContradictions<Subject>(
  rows: readonly ContradictionRow<Subject>[],
  subject: Subject,
): readonly Contradiction[] {
  return rows.flatMap(({ id, pointer, remedy, find }) =>
    find(subject).map(({ at = '', detail }) => ({
      id,
      pointer: pointer + at,
      message: detail === undefined ? remedy : `${detail} ${remedy}`,
    })),
  )
}
