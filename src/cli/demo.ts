// `proviso demo`: runs the billing example, the same code that stands in examples/, on a ledger of its own that is gone afterwards.
import { type CommandBody, done, jsonOption } from './command.ts'

export const demoCommand: CommandBody = {
  arguments: [],
  options: [jsonOption],
  examples: ['proviso demo'],
  exits: ['every scene ended as it should', 'a scene did not, or the demo was stopped', 'wrong usage'],
  async run(io) {
    const { runDemo } = await import('../../examples/billing/demo.ts')
    let rest = ''
    // The example writes pieces of text; the terminal takes lines.
    const write = (text: string) => {
      const lines = (rest + text).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) io.out(line)
    }
    const signal = io.interruption()
    const colour = io.colours.isColorSupported
    const ok = await runDemo({ write, colour, json: io.json, signal }).then(
      (result) => result.ok,
      (error: unknown) => {
        if (signal.aborted) return false
        throw error
      },
    )
    if (rest !== '') io.out(rest)
    return done(ok)
  },
}
