// Prints which tests show which row of the specification, and why the others are not shown.
import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type RowCitation, rowCitations } from '../test/citations.ts'
import { type SourceFile, sourceFiles } from '../test/source-files.ts'
import { nameOf, type Reason, type Row, type Rows, reasonOf, reasons, specification } from '../test/specification.ts'
import { code, markdownTable } from './markdown-table.ts'

/** The files whose titles may cite; a suite that several engines run lies in files of its own. */
export const projectFiles = (): readonly SourceFile[] =>
  sourceFiles('src', 'test', 'examples').filter(
    ({ path }) =>
      (path.endsWith('.test.ts') || path.startsWith('test/ledger/suite/')) && path !== 'test/specification.test.ts',
  )

const decisions = readdirSync(fileURLToPath(new URL('../docs/adr', import.meta.url)))

/** In words; a decision with a link to its page. */
function reasonText(reason: Reason): string {
  const number = /^ADR (\d+)$/.exec(reason)?.[1]
  if (number === undefined) return reasons[reason]
  const page = decisions.find((file) => file.startsWith(`${number.padStart(4, '0')}-`))
  if (page === undefined) throw new Error(`There is no page for ${reason}.`)
  return `${reasons[reason].slice(0, -1)}: [${reason}](../adr/${page}).`
}

/** The rows of one part, as a table. */
export function specificationPage(rows: Rows, cited: readonly RowCitation[]): string {
  const lines = Object.entries(rows).map(([id, row]) => [code(id), nameOf(row), shownBy(id, row, cited)])
  return markdownTable(['row', 'what it asks for', 'shown by, or why not'], lines)
}

function shownBy(id: string, row: Row, cited: readonly RowCitation[]): string {
  const reason = reasonOf(row)
  if (reason !== undefined) return reasonText(reason)
  const tests = cited.filter((one) => one.id === id).map(({ where, title }) => `${where}: ${plain(title)}`)
  return [...new Set(tests)].join('<br>')
}

/** A title may hold what Markdown reads as its own. */
const plain = (title: string) => title.replaceAll("\\'", "'").replaceAll(/[<>`*_\\[\]]/g, '\\$&')

function counts(): string {
  const all = specification.flatMap(({ rows }) => Object.values(rows))
  const shown = all.filter((row) => reasonOf(row) === undefined).length
  const byReason = (Object.keys(reasons) as Reason[]).map((reason) => ({
    text: reasonText(reason),
    count: all.filter((row) => reasonOf(row) === reason).length,
  }))
  return markdownTable(
    ['', 'rows'],
    [
      ['Shown by a test that cites the row.', String(shown)],
      ...byReason.filter(({ count }) => count > 0).map(({ text, count }) => [text, String(count)]),
      ['All.', String(all.length)],
    ],
  )
}

/** The whole page below its title: counts first. */
export function specificationTables(): string {
  const cited = rowCitations(projectFiles())
  const parts = specification.map(({ title, rows }) => `## ${title}\n\n${specificationPage(rows, cited)}`)
  return [counts(), ...parts].join('\n\n')
}
