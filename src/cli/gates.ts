// `proviso gates`: the pipeline as it is, one line per phase.
import { phases } from '../pipeline/phases/phase-summary.ts'
import { type CommandBody, jsonOption } from './command.ts'
import { printList } from './print.ts'

export const gatesCommand: CommandBody = {
  arguments: [],
  options: [jsonOption],
  examples: ['proviso gates', 'proviso gates --json'],
  exits: ['printed', 'does not occur', 'wrong usage'],
  run: async (io) =>
    printList(io, phases, {
      columns: [
        { title: '', text: ({ number }) => String(number).padStart(2) },
        { title: '', text: ({ name }) => name, shade: (_, { bold }) => bold },
        { title: '', text: ({ kind }) => kind, shade: (_, { dim }) => dim },
        { title: '', text: ({ does }) => does },
      ],
      wire: (phase) => phase,
      none: 'There are no phases.',
      below: ({ stops_with }, { yellow }) =>
        stops_with.map(({ class: name, reasons }) => `    ${yellow(`${name} · ${reasons.join(', ')}`)}`),
    }),
}
