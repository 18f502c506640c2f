// `proviso diff`: what has changed between two versions of tools, what it breaks, and whether the declared versions say so.
import { type CommandRow, done, flag, jsonOption, misuse, text } from './command.ts'
import type { Terminal } from './terminal.ts'

export const diff: CommandRow = {
  name: 'diff',
  group: 'Tools:',
  summary: 'compare two versions of tools, and check that their version numbers announce what breaks',
  arguments: [
    {
      syntax: '[old]',
      about: 'a tool file, a folder of them, an OpenAPI document, an MCP tool list, a JSON Schema, or - for stdin',
    },
    { syntax: '[new]', about: 'the same of a later day' },
  ],
  options: [
    { flags: '--as <part>', about: 'what a JSON Schema describes: input or output (default: input)' },
    { flags: '--dialect <name>', about: 'for JSON Schemas without $schema (default: 2020-12)' },
    { flags: '--quiet', about: 'leave out what nobody has to act on' },
    { flags: '--rules', about: 'print the rules' },
    jsonOption,
  ],
  examples: [
    'proviso diff tools-of-last-release tools',
    'proviso diff openapi-v1.yaml openapi-v2.yaml --json',
    'proviso diff --rules',
  ],
  exits: [
    'the declared versions announce what has changed, or nothing has',
    'a version does not: it must be raised further; without versions: something breaks',
    'wrong usage, or a file that cannot be read',
  ],
  async run(given, terminal) {
    const json = flag(given, 'json')
    if (flag(given, 'rules')) return printRules(json, terminal)
    const [old, renewed, ...more] = given.words
    if (old === undefined || renewed === undefined || more.length > 0) {
      return misuse('Two versions are compared, an old and a new one.', ['proviso diff old.tool.yaml new.tool.yaml'])
    }
    if (old === '-' && renewed === '-') return misuse('Only one of the two can come from stdin.')
    const { dialects } = await import('../schema/normal.ts')
    const dialect = dialects.find((name) => name === (text(given, 'dialect') ?? '2020-12'))
    if (dialect === undefined) return misuse('There is no such dialect.', [`Known are ${dialects.join(', ')}.`])
    const schemaOf = text(given, 'as') ?? 'input'
    if (schemaOf !== 'input' && schemaOf !== 'output') return misuse('--as takes input or output.')
    const { readSide } = await import('./diff/read-side.ts')
    const before = await readSide(old, { dialect, schemaOf }, terminal)
    if (!before.ok) return misuse(before.message, before.details)
    const after = await readSide(renewed, { dialect, schemaOf }, terminal)
    if (!after.ok) return misuse(after.message, after.details)
    if (before.source.kind !== after.source.kind) {
      return misuse(`These cannot be compared: ${before.source.kind} and ${after.source.kind}.`)
    }
    const [{ diffSources }, { showDiff, wireDiff }] = await Promise.all([
      import('../drift/diff/diff-sources.ts'),
      import('./diff/show-diff.ts'),
    ])
    const result = diffSources(before.source, after.source)
    terminal.out(
      json
        ? JSON.stringify(wireDiff(result, before.source.kind), null, 2)
        : showDiff(result, { quiet: flag(given, 'quiet'), colours: terminal.colours }),
    )
    return done(result.fits)
  },
}

async function printRules(json: boolean, terminal: Terminal) {
  const [{ driftRules }, { showDriftRules }] = await Promise.all([
    import('../drift/rules/rules.ts'),
    import('./diff/show-diff.ts'),
  ])
  if (json) {
    const rules = driftRules.map(({ id, level, direction, step, title, why, breaks }) => {
      return { id, level, direction, step, title, why, ...(breaks === undefined ? {} : { breaks }) }
    })
    terminal.out(JSON.stringify({ rules }, null, 2))
  } else terminal.out(showDriftRules(driftRules, terminal.colours))
  return done(true)
}
