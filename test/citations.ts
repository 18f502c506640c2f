// Finds which promises the titles of tests cite: `[kebab-case-id]` as a word of a string, as titles have it in every form of test.
import type { SourceFile } from './source-files.ts'

export interface Citation {
  readonly id: string
  readonly where: string
}

const citation = /(?<=[\s'"`])\[([a-z]{2,}[a-z0-9]*(?:-[a-z0-9]+)+)\](?=[\s'"`])/g

export function citations(files: readonly SourceFile[]): readonly Citation[] {
  return files.flatMap(({ path, text }) =>
    [...text.matchAll(citation)].map((match) => ({ id: match[1] ?? '', where: path })),
  )
}
