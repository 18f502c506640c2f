// Findings for a person's eyes: by file, each with its place and what to write, and the counts at the end.
import { lineText } from '../plain-text.ts'
import { textTable } from '../print.ts'
import type { Colours } from '../terminal.ts'
import type { FileReport } from './lint.ts'
import { type LintLevel, lintLevels } from './lint-rule.ts'

export function fileReportText(report: FileReport, colours: Colours): string {
  const { bold, dim } = colours
  const title = `${bold(lineText(report.file))}${report.tool === null ? '' : dim(`  ${lineText(report.tool)}`)}`
  const rows = report.findings.map(({ level, rule, pointer, line, message, write }) => {
    const place = `${line === null ? '' : `${line}: `}${pointer === '' ? '/' : pointer}`
    const words = `${lineText(message)} ${dim('→')} ${lineText(write)}`
    return [lintShade(level, colours)(level), rule, dim(lineText(place)), words]
  })
  return rows.length === 0 ? title : `${title}\n${textTable(rows, { indent: '  ' })}`
}

export function countsText(counts: Readonly<Record<LintLevel, number>>, files: number, colours: Colours): string {
  const words = lintLevels.map((level) => {
    const plural = level === 'info' ? 'notes' : `${level}s`
    const singular = level === 'info' ? 'note' : level
    const text = `${counts[level]} ${counts[level] === 1 ? singular : plural}`
    return counts[level] === 0 ? text : lintShade(level, colours)(text)
  })
  return `${files} ${files === 1 ? 'file' : 'files'}: ${words.join(', ')}`
}

export function lintShade(level: LintLevel, { cyan, red, yellow }: Colours): (text: string) => string {
  return level === 'error' ? red : level === 'warning' ? yellow : cyan
}
