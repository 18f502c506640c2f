// `proviso diff`: what has changed between two versions of tools, what it breaks, and whether the declared versions say so.
import { diffSources } from '../../drift/diff/diff-sources.ts'
import { driftRules } from '../../drift/rules/rules.ts'
import { dialects } from '../../schema/normal.ts'
import { type CommandBody, type CommandIo, type CommandResult, jsonOption, misuse } from '../command.ts'
import { type Column, listLines, printResult } from '../print.ts'
import { readSide } from './published.ts'
import { diffText, levelShade, wireDiff } from './show-diff.ts'

export const diffCommand: CommandBody = {
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
    { flags: '--quiet', about: 'leave out what needs no action' },
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
  async run(io) {
    if (io.flag('rules')) return printDriftRules(io)
    const [old, renewed] = io.words
    if (old === undefined || renewed === undefined) {
      return misuse('Two versions are compared, an old and a new one.', ['proviso diff old.tool.yaml new.tool.yaml'])
    }
    if (old === '-' && renewed === '-') return misuse('Only one of the two can come from stdin.')
    const dialect = dialects.find((name) => name === (io.option('dialect') ?? '2020-12'))
    if (dialect === undefined) return misuse('There is no such dialect.', [`Known are ${dialects.join(', ')}.`])
    const schemaOf = io.option('as') ?? 'input'
    if (schemaOf !== 'input' && schemaOf !== 'output') return misuse('--as takes input or output.')
    const before = await readSide(old, { dialect, schemaOf }, io)
    if (!before.ok) return before.result
    const after = await readSide(renewed, { dialect, schemaOf }, io)
    if (!after.ok) return after.result
    const { kind } = before.value
    if (kind !== after.value.kind) return misuse(`These cannot be compared: ${kind} and ${after.value.kind}.`)
    const result = diffSources(before.value, after.value)
    const text = diffText(result, { quiet: io.flag('quiet'), colours: io.colours })
    return printResult(io, wireDiff(result, kind), text, result.fits)
  },
}

function printDriftRules(io: CommandIo): CommandResult {
  const rules = driftRules.map(({ id, level, direction, step, title, why, breaks }) => {
    return { id, level, direction, step, title, why, ...(breaks === undefined ? {} : { breaks }) }
  })
  return printResult(io, { rules }, listLines(driftRules, { columns: ruleColumns }, io.colours))
}

const ruleColumns: readonly Column<(typeof driftRules)[number]>[] = [
  { title: '', text: ({ level }) => level.pin, shade: ({ level }, colours) => levelShade(level.pin, colours) },
  { title: '', text: ({ level }) => level.version, shade: ({ level }, colours) => levelShade(level.version, colours) },
  { title: '', text: ({ id }) => id, shade: (_, { bold }) => bold },
  { title: '', text: ({ title }) => title, remark: ({ why }) => why },
]
