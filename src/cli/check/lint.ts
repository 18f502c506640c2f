// The linter: its table of rules, which --rules prints and a test proves row by row, run over files, each finding with its line.
import { readFile } from 'node:fs/promises'
import { isPointer, tokensOf } from '../../json/pointer.ts'
import { readYaml } from '../../runtime/yaml-document.ts'
import { adviceLintRules } from './advice-rules.ts'
import { argumentLintRules } from './argument-rules.ts'
import { contractLintRules } from './contract-rules.ts'
import { fileLintRules } from './file-rules.ts'
import { type LintFinding, type LintLevel, type LintRule, lintLevels } from './lint-rule.ts'
import { schemaLintRules } from './schema-rules.ts'
import { type LintSubject, readSubjects, type SubjectOptions } from './subject.ts'

export const lintRules: readonly LintRule[] = [
  ...fileLintRules,
  ...schemaLintRules,
  ...argumentLintRules,
  ...contractLintRules,
  ...adviceLintRules,
]

/** All findings in one file, in the order of the table. */
function lint(subject: LintSubject): readonly LintFinding[] {
  return lintRules.flatMap((rule) => {
    const spots = subject.ok ? rule.find(subject) : (rule.findUnread?.(subject) ?? [])
    return spots.map((spot) => ({ rule: rule.id, level: rule.level, ...spot }))
  })
}

export interface PlacedFinding extends LintFinding {
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
      return {
        file,
        tool: subject.ok ? subject.contract.identity.name : null,
        findings: await placeFindings(file, findings),
      }
    }),
  )
}

export async function placeFindings(file: string, findings: readonly LintFinding[]): Promise<readonly PlacedFinding[]> {
  if (findings.length === 0) return []
  // Only for the lines; that it cannot be read is among the findings already.
  const locate = await locator(await readFile(file, 'utf8').catch(() => ''))
  const all = findings.map((finding): PlacedFinding => {
    const { line = null, column = null } = locate(finding.pointer) ?? {}
    return { ...finding, line, column }
  })
  // The worst first, then down the file.
  return all.sort((a, b) => lintLevels.indexOf(a.level) - lintLevels.indexOf(b.level) || (a.line ?? 0) - (b.line ?? 0))
}

export function countLevels(reports: readonly FileReport[]): Readonly<Record<LintLevel, number>> {
  const counts = { error: 0, warning: 0, info: 0 }
  for (const { findings } of reports) for (const { level } of findings) counts[level]++
  return counts
}

interface Position {
  readonly line: number
  readonly column: number
}

type Locate = (pointer: string) => Position | undefined

/** Finds the nearest place that exists: what is missing is reported where it should stand. */
export async function locator(text: string): Promise<Locate> {
  const yaml = await import('yaml')
  const { isCollection, isNode, isPair, LineCounter } = yaml
  const lines = new LineCounter()
  const document = parsed(() => readYaml(text, yaml, { lineCounter: lines, keepSourceTokens: false }))
  // What is wrong with a file as a whole is among its findings already.
  if (document === undefined || typeof document === 'string') return () => undefined
  const offsetOf = (tokens: readonly string[]): number | undefined => {
    let here: unknown = document.contents
    let offset: number | undefined
    for (const token of tokens) {
      if (!isCollection(here)) break
      const pair = here.items.find((item) => isPair(item) && isNode(item.key) && String(item.key) === token)
      const item = isPair(pair) ? pair.value : here.items[Number(token)]
      const mark = isPair(pair) ? pair.key : item
      if (!isNode(mark) || mark.range === undefined || mark.range === null) break
      offset = mark.range[0]
      here = item
    }
    return offset
  }
  return (pointer) => {
    if (!isPointer(pointer)) return undefined
    const offset = offsetOf(tokensOf(pointer))
    if (offset === undefined) return undefined
    const { line, col } = lines.linePos(offset)
    return { line, column: col }
  }
}

/** Undefined where the text is nested too deeply for its parser; that is among the findings already. */
function parsed<T>(parse: () => T): T | undefined {
  try {
    return parse()
  } catch {
    return undefined
  }
}
