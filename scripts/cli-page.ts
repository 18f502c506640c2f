// The reference page of the command line, printed from the table of commands.
import { type CommandBody, type CommandRow, exitCodes } from '../src/cli/command.ts'
import { commands } from '../src/cli/commands.ts'
import { code, markdownTable } from './markdown-table.ts'

const sections = await Promise.all(commands.map(async (row) => section(row, await row.load())))

export function cliPage(): string {
  const overview = markdownTable(
    ['command', 'what it does'],
    commands.map(({ name, summary }) => [code(`proviso ${name}`), summary]),
  )
  const exits = markdownTable(
    ['exit code', 'means'],
    exitCodes.map((row) => [String(row.code), row.means]),
  )
  return [overview, exits, ...sections].join('\n\n')
}

function section({ name, summary }: CommandRow, { arguments: words, options, examples, exits }: CommandBody): string {
  const given = [
    ...words.map(({ syntax, about }) => [code(syntax), about]),
    ...options.map(({ flags, about, repeats }) => [
      code(flags),
      repeats === undefined ? about : `${about} (may be repeated)`,
    ]),
  ]
  return [
    `## proviso ${name}`,
    `${sentence(summary)} Exit codes: ${exits.map((means, number) => `${number} ${means}`).join('; ')}.`,
    ...(given.length === 0 ? [] : [markdownTable(['given', 'meaning'], given)]),
    `\`\`\`sh\n${examples.join('\n')}\n\`\`\``,
  ].join('\n\n')
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${text.endsWith('.') ? '' : '.'}`
}
