// `proviso check`: a linter for tool files. It loads none of their code unless told to.
import { relative, resolve } from 'node:path'
import { type CommandRow, done, flag, jsonOption, misuse } from './command.ts'
import type { Terminal } from './terminal.ts'

export const check: CommandRow = {
  name: 'check',
  group: 'Tools:',
  summary: 'look for mistakes in tool files',
  arguments: [{ syntax: '[paths...]', about: 'tool files, or folders with *.tool.yaml, *.tool.yml or *.tool.json' }],
  options: [
    { flags: '--strict', about: 'warnings count as errors' },
    { flags: '--load', about: 'load the code of the tools as well, and check that it is there' },
    { flags: '--quiet', about: 'leave the notes out' },
    { flags: '--rules', about: 'print the rules' },
    jsonOption,
  ],
  examples: ['proviso check tools', 'proviso check tools/refund_v1.tool.yaml --strict', 'proviso check --rules'],
  exits: ['no errors (with --strict: no warnings either)', 'errors found', 'wrong usage, or nothing to check'],
  async run(given, terminal) {
    if (flag(given, 'rules')) return printRules(flag(given, 'json'), terminal)
    if (given.words.length === 0) return misuse('Say what to check.', ['proviso check tools'])
    const { toolFiles } = await import('../load-contracts.ts')
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
    const reports = (await reportOn([...files], { load: flag(given, 'load') })).map((report) => ({
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

async function printRules(json: boolean, terminal: Terminal) {
  const { rules } = await import('./check/rules.ts')
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
