// Findings for a person's eyes: by file, each with its place and what to write, and the counts at the end.
import { lineText } from '../plain-text.ts'
import type { Colours } from '../terminal.ts'
import { textTable } from '../text-table.ts'
import { type Level, levels, type RuleRow } from './finding.ts'
import type { FileReport } from './report.ts'

export function showReport(report: FileReport, colours: Colours): string {
  const { bold, dim } = colours
  const title = `${bold(lineText(report.file))}${report.tool === null ? '' : dim(`  ${lineText(report.tool)}`)}`
  const rows = report.findings.map(({ level, rule, pointer, line, message, write }) => {
    const place = `${line === null ? '' : `${line}: `}${pointer === '' ? '/' : pointer}`
    const told = `${lineText(message)} ${dim('→')} ${lineText(write)}`
    return [shade(level, colours)(level), rule, dim(lineText(place)), told]
  })
  return rows.length === 0 ? title : `${title}\n${textTable(rows, { indent: '  ' })}`
}

export function showCounts(counts: Readonly<Record<Level, number>>, files: number, colours: Colours): string {
  const told = levels.map((level) => {
    const plural = level === 'info' ? 'notes' : `${level}s`
    const singular = level === 'info' ? 'note' : level
    const text = `${counts[level]} ${counts[level] === 1 ? singular : plural}`
    return counts[level] === 0 ? text : shade(level, colours)(text)
  })
  return `${files} ${files === 1 ? 'file' : 'files'}: ${told.join(', ')}`
}

export function showRules(rules: readonly Omit<RuleRow, 'find'>[], colours: Colours): string {
  return textTable(
    rules.map(({ id, level, what, why }) => [
      shade(level, colours)(level),
      colours.bold(id),
      `${what} ${colours.dim(why)}`,
    ]),
  )
}

function shade(level: Level, { cyan, red, yellow }: Colours): (text: string) => string {
  return level === 'error' ? red : level === 'warning' ? yellow : cyan
}
