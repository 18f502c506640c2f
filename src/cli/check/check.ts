// `proviso check`: a linter for tool files and the policies beside them. It loads none of their code unless it is told to.
import { relative, resolve } from 'node:path'
import { toolFiles } from '../../runtime/load-contracts.ts'
import { isProvider, type Provider, providers } from '../../surface/dialects/dialect-table.ts'
import { type CommandBody, type CommandIo, type CommandResult, jsonOption, misuse } from '../command.ts'
import { lineText } from '../plain-text.ts'
import { type Column, listLines, printResult, textTable } from '../print.ts'
import type { Colours } from '../terminal.ts'
import { countLevels, type FileReport, lintRules, reportOn } from './lint.ts'
import { type LintLevel, type LintRuleWords, lintLevels } from './lint-rule.ts'
import { policyFiles, policyLintRules, reportOnPolicies } from './policy-rules.ts'
import { providerLintRules, reportOnProvider } from './provider-rules.ts'
import { readSubjects, type SubjectOptions } from './subject.ts'

export const checkCommand: CommandBody = {
  arguments: [{ syntax: '[paths...]', about: 'tool files, or folders with *.tool.yaml, *.tool.yml or *.tool.json' }],
  options: [
    { flags: '--strict', about: 'warnings count as errors' },
    { flags: '--load', about: 'load the code of the tools as well, and check that it is there' },
    { flags: '--policies <path>', about: 'policies in Cedar, or a folder of them, instead of those in policies/' },
    { flags: '--provider <name>', about: 'check what openai, anthropic, gemini or mcp makes of the tools as well' },
    { flags: '--quiet', about: 'leave the notes out' },
    { flags: '--rules', about: 'print the rules' },
    jsonOption,
  ],
  examples: [
    'proviso check tools',
    'proviso check tools --provider openai',
    'proviso check tools/refund_v1.tool.yaml --strict',
    'proviso check --rules',
  ],
  exits: ['no errors (with --strict: no warnings either)', 'errors found', 'wrong usage, or nothing to check'],
  async run(io) {
    if (io.flag('rules')) return printRules(io)
    if (io.words.length === 0) return misuse('Say what to check.', ['proviso check tools'])
    const found = new Set<string>()
    for (const path of io.words) {
      const own = await toolFiles(resolve(io.folder, path))
      if (own.length === 0)
        return misuse(`${path} holds no tool files.`, [
          'They end in .tool.yaml, .tool.yml or .tool.json; proviso init writes two.',
        ])
      for (const file of own) found.add(file)
    }
    const files = [...found]
    const options = { load: io.flag('load') }
    const provider = io.option('provider')
    if (provider !== undefined && !isProvider(provider))
      return misuse(`${provider} is no provider that is known here.`, [`Known are ${providers.join(', ')}.`])
    const own = await reportOn(files, options)
    const all = [
      ...(provider === undefined ? own : await withProvider(own, files, options, provider)),
      ...(await policyReports(io, files, options)),
    ]
    const quiet = io.flag('quiet')
    const reports = all.map((report) => ({
      ...report,
      file: relative(io.folder, report.file) || report.file,
      findings: quiet ? report.findings.filter(({ level }) => level !== 'info') : report.findings,
    }))
    const counts = countLevels(reports)
    const { error: errors, warning: warnings, info: infos } = counts
    const ok = errors === 0 && (warnings === 0 || !io.flag('strict'))
    return printResult(
      io,
      { ok, counts: { files: reports.length, errors, warnings, infos }, files: reports },
      [
        ...reports
          .filter(({ findings }) => findings.length > 0)
          .map((report) => `${fileReportText(report, io.colours)}\n`),
        countsText(counts, reports.length, io.colours),
      ],
      ok,
    )
  },
}

/** What is found for the provider stands with what is found in the same file. */
async function withProvider(
  own: readonly FileReport[],
  files: readonly string[],
  options: SubjectOptions,
  provider: Provider,
): Promise<readonly FileReport[]> {
  const more = new Map((await reportOnProvider(files, options, provider)).map(({ file, findings }) => [file, findings]))
  return own.map((report) => ({ ...report, findings: [...report.findings, ...(more.get(report.file) ?? [])] }))
}

async function policyReports(
  io: CommandIo,
  files: readonly string[],
  options: SubjectOptions,
): Promise<readonly FileReport[]> {
  const named = io.option('policies')
  const found = await policyFiles(files, {
    paths: io.words.map((path) => resolve(io.folder, path)),
    named: named === undefined ? undefined : resolve(io.folder, named),
  })
  if (found.length === 0) return []
  const subjects = await readSubjects(files, options)
  return reportOnPolicies(
    found,
    subjects.flatMap((subject) => (subject.ok && subject.tool !== undefined ? [subject.tool] : [])),
  )
}

function printRules(io: CommandIo): CommandResult {
  const all: readonly LintRuleWords[] = [...lintRules, ...policyLintRules, ...providerLintRules]
  const wire = { rules: all.map(({ id, level, what, why }) => ({ id, level, what, why })) }
  return printResult(io, wire, listLines(all, { columns: ruleColumns }, io.colours))
}

const ruleColumns: readonly Column<LintRuleWords>[] = [
  { title: '', text: ({ level }) => level, shade: ({ level }, colours) => lintShade(level, colours) },
  { title: '', text: ({ id }) => id, shade: (_, { bold }) => bold },
  { title: '', text: ({ what }) => what, remark: ({ why }) => why },
]

function fileReportText(report: FileReport, colours: Colours): string {
  const { bold, dim } = colours
  const title = `${bold(lineText(report.file))}${report.tool === null ? '' : dim(`  ${lineText(report.tool)}`)}`
  const rows = report.findings.map(({ level, rule, pointer, line, message, write }) => {
    const place = `${line === null ? '' : `${line}: `}${pointer === '' ? '/' : pointer}`
    const words = `${lineText(message)} ${dim('→')} ${lineText(write)}`
    return [lintShade(level, colours)(level), rule, dim(lineText(place)), words]
  })
  return rows.length === 0 ? title : `${title}\n${textTable(rows, { indent: '  ' })}`
}

function countsText(counts: Readonly<Record<LintLevel, number>>, files: number, colours: Colours): string {
  const words = lintLevels.map((level) => {
    const plural = level === 'info' ? 'notes' : `${level}s`
    const singular = level === 'info' ? 'note' : level
    const text = `${counts[level]} ${counts[level] === 1 ? singular : plural}`
    return counts[level] === 0 ? text : lintShade(level, colours)(text)
  })
  return `${files} ${files === 1 ? 'file' : 'files'}: ${words.join(', ')}`
}

function lintShade(level: LintLevel, { cyan, red, yellow }: Colours): (text: string) => string {
  return level === 'error' ? red : level === 'warning' ? yellow : cyan
}
