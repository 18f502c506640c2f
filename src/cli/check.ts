// `proviso check`: a linter for tool files and the policies beside them. It loads none of their code unless told to.
import { relative, resolve } from 'node:path'
import { isProvider, type Provider, providers } from '../surface/dialects/dialect-table.ts'
import type { FileReport } from './check/report.ts'
import type { SubjectOptions } from './check/subject.ts'
import { type CommandRow, done, flag, type Given, jsonOption, misuse, text } from './command.ts'
import type { Terminal } from './terminal.ts'

export const check: CommandRow = {
  name: 'check',
  group: 'Tools:',
  summary: 'look for mistakes in tool files and policies',
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
  async run(given, terminal) {
    if (flag(given, 'rules')) return printRules(flag(given, 'json'), terminal)
    if (given.words.length === 0) return misuse('Say what to check.', ['proviso check tools'])
    const { toolFiles } = await import('../runtime/load-contracts.ts')
    const files = new Set<string>()
    for (const path of given.words) {
      const found = await toolFiles(resolve(terminal.folder, path))
      if (found.length === 0)
        return misuse(`${path} holds no tool files.`, [
          'They end in .tool.yaml, .tool.yml or .tool.json; proviso init writes two.',
        ])
      for (const file of found) files.add(file)
    }
    const { countLevels, reportOn } = await import('./check/report.ts')
    const quiet = flag(given, 'quiet')
    const options = { load: flag(given, 'load') }
    const provider = text(given, 'provider')
    if (provider !== undefined && !isProvider(provider))
      return misuse(`${provider} is no provider that is known here.`, [`Known are ${providers.join(', ')}.`])
    const own = await reportOn([...files], options)
    const all = [
      ...(provider === undefined ? own : await withProvider(own, [...files], options, provider)),
      ...(await policies(given, [...files], options, terminal)),
    ]
    const reports = all.map((report) => ({
      ...report,
      file: relative(terminal.folder, report.file) || report.file,
      findings: quiet ? report.findings.filter(({ level }) => level !== 'info') : report.findings,
    }))
    const counts = countLevels(reports)
    const ok = counts.error === 0 && (counts.warning === 0 || !flag(given, 'strict'))
    if (flag(given, 'json')) {
      const { error: errors, warning: warnings, info: infos } = counts
      terminal.out(
        JSON.stringify({ ok, counts: { files: reports.length, errors, warnings, infos }, files: reports }, null, 2),
      )
      return done(ok)
    }
    const { showCounts, showReport } = await import('./check/show-findings.ts')
    for (const report of reports)
      if (report.findings.length > 0) terminal.out(`${showReport(report, terminal.colours)}\n`)
    terminal.out(showCounts(counts, reports.length, terminal.colours))
    return done(ok)
  },
}

/** What is found for the provider stands with what is found in the same file. */
async function withProvider(
  own: readonly FileReport[],
  files: readonly string[],
  options: SubjectOptions,
  provider: Provider,
): Promise<readonly FileReport[]> {
  const { reportOnProvider } = await import('./check/provider-rules.ts')
  const more = new Map((await reportOnProvider(files, options, provider)).map(({ file, findings }) => [file, findings]))
  return own.map((report) => ({ ...report, findings: [...report.findings, ...(more.get(report.file) ?? [])] }))
}

async function policies(
  given: Given,
  files: readonly string[],
  options: SubjectOptions,
  terminal: Terminal,
): Promise<readonly FileReport[]> {
  const { policyFiles, reportOnPolicies } = await import('./check/policy-report.ts')
  const named = text(given, 'policies')
  const found = await policyFiles(files, {
    paths: given.words.map((path) => resolve(terminal.folder, path)),
    named: named === undefined ? undefined : resolve(terminal.folder, named),
  })
  if (found.length === 0) return []
  const { readSubjects } = await import('./check/subject.ts')
  const subjects = await readSubjects(files, options)
  return reportOnPolicies(
    found,
    subjects.flatMap((subject) => (subject.ok && subject.tool !== undefined ? [subject.tool] : [])),
  )
}

async function printRules(json: boolean, terminal: Terminal) {
  const [{ rules: toolRules }, { policyRules }, { providerRules }] = await Promise.all([
    import('./check/rules.ts'),
    import('./check/policy-report.ts'),
    import('./check/provider-rules.ts'),
  ])
  const rules = [...toolRules, ...policyRules, ...providerRules]
  if (json) {
    terminal.out(
      JSON.stringify({ rules: rules.map(({ id, level, what, why }) => ({ id, level, what, why })) }, null, 2),
    )
    return done(true)
  }
  const { showRules } = await import('./check/show-findings.ts')
  terminal.out(showRules(rules, terminal.colours))
  return done(true)
}
