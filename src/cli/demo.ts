// `proviso demo`: runs the billing example, the same code that stands in examples/, on a ledger of its own that is gone afterwards.
import { type CommandRow, done, flag, jsonOption } from './command.ts'

export const demo: CommandRow = {
  name: 'demo',
  group: 'Start:',
  summary: 'watch an agent meet the gates: the billing example, run here',
  arguments: [],
  options: [jsonOption],
  examples: ['proviso demo'],
  exits: ['every scene ended as it should', 'a scene did not, or the demo was stopped', 'wrong usage'],
  async run(given, terminal) {
    const { runDemo } = await import('../../examples/billing/demo.ts')
    let rest = ''
    // The example writes pieces of text; the terminal takes lines.
    const write = (text: string) => {
      const lines = (rest + text).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) terminal.out(line)
    }
    const signal = terminal.interruption()
    const colour = terminal.colours.isColorSupported
    const ok = await runDemo({ write, colour, json: flag(given, 'json'), signal }).then(
      (result) => result.ok,
      (error: unknown) => {
        if (signal.aborted) return false
        throw error
      },
    )
    if (rest !== '') terminal.out(rest)
    return done(ok)
  },
}
