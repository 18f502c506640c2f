// Runs the rules over files and says what they found, each finding with its line.
import { readFile } from 'node:fs/promises'
import { type Finding, type Level, levels } from './finding.ts'
import { locator } from './locate.ts'
import { lint } from './rules.ts'
import { readSubjects, type SubjectOptions } from './subject.ts'

export interface PlacedFinding extends Finding {
  readonly line: number | null
  readonly column: number | null
}

export interface FileReport {
  readonly file: string
  readonly tool: string | null
  readonly findings: readonly PlacedFinding[]
}

export async function reportOn(files: readonly string[], options: SubjectOptions): Promise<readonly FileReport[]> {
  const subjects = await readSubjects(files, options)
  return Promise.all(
    subjects.map(async (subject): Promise<FileReport> => {
      const { file } = subject
      const findings = lint(subject)
      return { file, tool: subject.ok ? subject.contract.identity.name : null, findings: await placed(file, findings) }
    }),
  )
}

export async function placed(file: string, findings: readonly Finding[]): Promise<readonly PlacedFinding[]> {
  if (findings.length === 0) return []
  // Only for the lines; that it cannot be read is among the findings already.
  const locate = await locator(await readFile(file, 'utf8').catch(() => ''))
  const all = findings.map((finding): PlacedFinding => {
    const { line = null, column = null } = locate(finding.pointer) ?? {}
    return { ...finding, line, column }
  })
  // The worst first, then down the file.
  return all.sort((a, b) => levels.indexOf(a.level) - levels.indexOf(b.level) || (a.line ?? 0) - (b.line ?? 0))
}

export function countLevels(reports: readonly FileReport[]): Readonly<Record<Level, number>> {
  const counts = { error: 0, warning: 0, info: 0 }
  for (const { findings } of reports) for (const { level } of findings) counts[level]++
  return counts
}
