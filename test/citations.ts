// Finds which promises the titles of tests cite: `[kebab-case-id]`, anywhere in a title.
import type { SourceFile } from './source-files.ts'

export interface Citation {
  readonly id: string
  readonly where: string
}

const title = /\b(?:it|test|describe)(?:\.\w+(?:\([^)]*\))?)*\(\s*(['"`])((?:\\.|(?!\1)[^\\])*)\1/g
const citation = /\[([a-z]{2,}[a-z0-9]*(?:-[a-z0-9]+)+)\]/g

export function citations(files: readonly SourceFile[]): readonly Citation[] {
  return files.flatMap(({ path, text }) =>
    [...text.matchAll(title)].flatMap((found) =>
      [...(found[2] ?? '').matchAll(citation)].map((match) => ({ id: match[1] ?? '', where: path })),
    ),
  )
}
