// `proviso gates`: the pipeline as it is, one line per phase.
import { type CommandRow, done, flag, jsonOption } from './command.ts'
import { textTable } from './text-table.ts'

export const gates: CommandRow = {
  name: 'gates',
  group: 'Tools:',
  summary: 'print the phases every call passes, and what each can refuse',
  arguments: [],
  options: [jsonOption],
  examples: ['proviso gates', 'proviso gates --json'],
  exits: ['printed', 'does not occur', 'wrong usage'],
  async run(given, terminal) {
    const { phases } = await import('../pipeline/phases/phase-table.ts')
    if (flag(given, 'json')) {
      terminal.out(JSON.stringify(phases, null, 2))
      return done(true)
    }
    const { bold, dim, yellow } = terminal.colours
    const rows = phases.map(({ number, name, kind, does }) => [String(number).padStart(2), bold(name), dim(kind), does])
    const stops = phases.map(({ stops_with }) =>
      stops_with.map(({ class: name, reasons }) => `${name} · ${reasons.join(', ')}`),
    )
    const lines = textTable(rows).split('\n')
    lines.forEach((line, index) => {
      terminal.out(line)
      for (const stop of stops[index] ?? []) terminal.out(`${' '.repeat(4)}${yellow(stop)}`)
    })
    return done(true)
  },
}
