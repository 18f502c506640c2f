// `proviso drift`: what others publish, against what a person approved of it. What is pinned is listed here: by source, or one source tool by
// tool with what was approved of it.
import { toIso } from '../../json/clock.ts'
import type { Pin, PinnedTool } from '../../ledger/ports/pins.ts'
import { type CommandBody, type CommandIo, type CommandResult, jsonOption, misuse, runActions } from '../command.ts'
import { ownKeyOption } from '../people.ts'
import { lineText } from '../plain-text.ts'
import { type Column, listLines, printList, printResult } from '../print.ts'
import type { Terminal } from '../terminal.ts'
import { findPin, withPins } from './pin-desk.ts'
import { keptSourcePlace, shownSourcePlace } from './source-place.ts'

export const driftCommand: CommandBody = {
  arguments: [
    { syntax: '<action>', about: 'pin, check, approve, list or show' },
    { syntax: '[source]', about: 'a name for it; with pin also its URL or file, where nothing else says where it is' },
    { syntax: '[program...]', about: 'with pin, after --: the program of an MCP server on standard input and output' },
  ],
  options: [
    {
      flags: '--at <place>',
      about: 'with pin: URL of an MCP server, or URL or file of an OpenAPI document or tool list',
    },
    { flags: '--document', about: 'with pin: the URL is that of a document, with any ending' },
    {
      flags: '--header <name=variable>',
      about: 'with pin: a header line, from an environment variable',
      repeats: true,
    },
    { flags: '--env <variable>', about: 'with pin: an environment variable that the program gets', repeats: true },
    {
      flags: '--capability <name>',
      about: 'a capability that the client declares, such as elicitation',
      repeats: true,
    },
    { flags: '--tool <name>', about: 'with approve and show: only these tools', repeats: true },
    { flags: '--approve', about: 'with pin: approve what is served now, unseen; for scripts' },
    { flags: '--served <hash>', about: 'with pin and approve: what you have looked at, as check prints it' },
    { flags: '--by <name>', about: 'with pin and approve: who approves; in a ledger your key says so' },
    { flags: '--why <text>', about: 'with pin and approve: kept with the approval' },
    {
      flags: '--fail-on <level>',
      about: 'with check: the least change that fails: breaking, dangerous or any (default: any)',
    },
    { flags: '--pins <file>', about: 'where pins are kept (default: proviso.pins.json)' },
    {
      flags: '--ledger <place>',
      about: 'keep pins in this ledger instead: a postgres:// URL, or the folder of an embedded Postgres',
    },
    ownKeyOption,
    jsonOption,
  ],
  examples: [
    'proviso drift pin shop -- npx -y some-mcp-server',
    'proviso drift pin billing --at https://billing.example.com/openapi.json --approve --by ann',
    'proviso drift check',
    'proviso drift approve shop --tool search --served 4f1c… --by ann',
    'proviso drift show shop --tool search --json',
  ],
  exits: [
    'nothing has changed, or it is approved now',
    'something has changed, or nothing was approved',
    'wrong usage, no such source, or one that cannot be reached or read',
  ],
  run: runActions('drift', {
    pin: {
      takes: 'SOURCE [PROGRAM...]',
      asks: 'which source',
      run: async (io) => (await import('./approve-drift.ts')).pinSource(io),
    },
    check: { takes: '[SOURCE]', run: async (io) => (await import('./check-drift.ts')).checkDrift(io) },
    approve: {
      takes: 'SOURCE',
      asks: 'which source',
      run: async (io) => (await import('./approve-drift.ts')).approveSource(io),
    },
    list: { run: listPins },
    show: { takes: 'SOURCE', asks: 'which source', run: showPin },
  }),
}

function listPins(io: CommandIo): Promise<CommandResult> {
  return withPins(io, async ({ store }) =>
    printList(io, await store.list(), { columns: pinColumns, wire: wirePin, none: 'Nothing is pinned.' }),
  )
}

function showPin(io: CommandIo): Promise<CommandResult> {
  return withPins(io, async ({ store }) => {
    const found = await findPin(store, io.words[0] ?? '', io)
    if (!found.ok) return found.result
    const pin = found.value
    const wanted = io.optionList('tool')
    const strangers = wanted.filter((name) => !pin.tools.some((tool) => tool.name === name))
    if (strangers.length > 0) return misuse(`Not pinned: ${strangers.map((name) => lineText(name)).join(', ')}.`)
    const tools = pin.tools.filter(({ name }) => wanted.length === 0 || wanted.includes(name))
    const drifted = new Set(pin.drifted?.map(({ name }) => name))
    const wire = { ...wirePin(pin), tools: tools.map((tool) => ({ ...wireTool(tool), raw: tool.raw })) }
    return printResult(io, wire, [
      ...listLines([pin], { columns: pinColumns.map((column) => ({ ...column, title: '' })) }, io.colours),
      ...tools.map((tool) => {
        const mark = drifted.has(tool.name) ? `  ${io.colours.red('quarantined')}` : ''
        return `${pinnedToolText(tool, io, wanted.length > 0)}${mark}`
      }),
    ])
  })
}

const pinColumns: readonly Column<Pin>[] = [
  { title: 'source', text: ({ source }) => source },
  { title: 'kind', text: ({ kind }) => kind },
  { title: 'tools', text: ({ tools }) => String(tools.length) },
  { title: 'revision', text: ({ revision }) => String(revision) },
  { title: 'for', text: ({ capabilities }) => Object.keys(capabilities).join(',') || '-' },
  {
    title: 'at',
    text: ({ place }) => {
      const known = keptSourcePlace(place)
      return known === undefined ? '' : shownSourcePlace(known)
    },
  },
]

function pinnedToolText(tool: PinnedTool, { colours: { bold, dim } }: Terminal, whole: boolean): string {
  const { name, approvedBy, approvedAt, why, hash, raw } = tool
  const reason = why === undefined ? '' : `: ${lineText(why)}`
  const head = `${bold(lineText(name))}  ${dim(`${hash.slice(0, 12)}  ${lineText(approvedBy)}, ${toIso(approvedAt)}${reason}`)}`
  return whole
    ? `${head}\n${JSON.stringify(raw, null, 2)
        .split('\n')
        .map((line) => `  ${lineText(line)}`)
        .join('\n')}`
    : head
}

const wirePin = ({ source, capabilities, kind, place, revision, tools, drifted = [] }: Pin) => ({
  source,
  capabilities,
  kind,
  place: place ?? null,
  revision,
  tools: tools.map(wireTool),
  drifted,
})

const wireTool = ({ name, hash, approvedBy, approvedAt, why }: PinnedTool) => ({
  name,
  hash,
  approved_by: approvedBy,
  approved_at: toIso(approvedAt),
  ...(why === undefined ? {} : { why }),
})
