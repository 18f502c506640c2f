// Finds what the titles of tests cite: promises as `[kebab-case-id]`, and rows of the specification as `[TC-101, TC-169 to TC-171]`, in
// brackets of their own within a string, as titles have them in every form of test.
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

export interface RowCitation extends Citation {
  /** The title of the test, without what it cites. */
  readonly title: string
}

/** A string that ends in brackets: its quotation mark, its words, and all the brackets. */
const citingTitle =
  /(['"`])((?:\\.|(?!\1)[^\\\n])*?)((?: \[(?:[a-z][a-z0-9-]*|(?:TC|DR|VD|EP)-\d+(?:(?:, | to )(?:TC|DR|VD|EP)-\d+)*)\])+)\1/g
const rowBrackets = /\[((?:TC|DR|VD|EP)-[^\]]+)\]/g

export function rowCitations(files: readonly SourceFile[]): readonly RowCitation[] {
  return files.flatMap(({ path, text }) =>
    [...text.matchAll(citingTitle)].flatMap(([, , title = '', brackets = '']) =>
      [...brackets.matchAll(rowBrackets)]
        .flatMap(([, ids = '']) => ids.split(', ').flatMap(idsOf))
        .map((id) => ({ id, title, where: path })),
    ),
  )
}

/** `TC-169 to TC-171` stands for all three. */
function idsOf(part: string): readonly string[] {
  const [first = '', last = first] = part.split(' to ')
  const [prefix = '', from = ''] = first.split('-')
  const count = Number(last.split('-')[1]) - Number(from) + 1
  return Array.from(
    { length: count },
    (_, index) => `${prefix}-${String(Number(from) + index).padStart(from.length, '0')}`,
  )
}
