// What is pinned: by source, or one source tool by tool with what was approved of it.
import { toIso } from '../../json/clock.ts'
import type { Pin, PinnedTool } from '../../ledger/ports/pins.ts'
import { done, flag, type Given, misuse, type Outcome, texts } from '../command.ts'
import { lineText } from '../plain-text.ts'
import type { Terminal } from '../terminal.ts'
import { textTable } from '../text-table.ts'
import { readPlace, shownPlace } from './place.ts'
import { findPin, withPins } from './with-pins.ts'

export async function listPins(given: Given, terminal: Terminal): Promise<Outcome> {
  if (given.words.length > 1) return misuse('proviso drift list takes nothing more.')
  return withPins(given, terminal, async ({ store }) => {
    const pins = await store.list()
    const { dim } = terminal.colours
    if (flag(given, 'json')) terminal.out(JSON.stringify(pins.map(wirePin), null, 2))
    else if (pins.length === 0) terminal.note('Nothing is pinned.')
    else terminal.out(textTable([['source', 'kind', 'tools', 'revision', 'for', 'at'].map(dim), ...pins.map(cellsOf)]))
    return done(true)
  })
}

export async function showPin(given: Given, terminal: Terminal): Promise<Outcome> {
  const [, source, ...more] = given.words
  if (source === undefined || more.length > 0) return misuse('Say which source: proviso drift show SOURCE.')
  return withPins(given, terminal, async ({ store }) => {
    const found = await findPin(store, source, given)
    if (!found.ok) return found.outcome
    const { pin } = found
    const wanted = texts(given, 'tool')
    const strangers = wanted.filter((name) => !pin.tools.some((tool) => tool.name === name))
    if (strangers.length > 0) return misuse(`Not pinned: ${strangers.map((name) => lineText(name)).join(', ')}.`)
    const tools = pin.tools.filter(({ name }) => wanted.length === 0 || wanted.includes(name))
    if (flag(given, 'json')) {
      terminal.out(
        JSON.stringify(
          { ...wirePin(pin), tools: tools.map((tool) => ({ ...wireTool(tool), raw: tool.raw })) },
          null,
          2,
        ),
      )
      return done(true)
    }
    terminal.out(textTable([cellsOf(pin)]))
    const drifted = new Set(pin.drifted?.map(({ name }) => name))
    for (const tool of tools) {
      const mark = drifted.has(tool.name) ? `  ${terminal.colours.red('quarantined')}` : ''
      terminal.out(`${shownTool(tool, terminal, wanted.length > 0)}${mark}`)
    }
    return done(true)
  })
}

function cellsOf({ source, kind, tools, revision, capabilities, place }: Pin): readonly string[] {
  const known = readPlace(place)
  const client = Object.keys(capabilities).join(',')
  const at = known === undefined ? '' : shownPlace(known)
  return [
    lineText(source),
    kind,
    String(tools.length),
    String(revision),
    client === '' ? '-' : lineText(client),
    lineText(at),
  ]
}

function shownTool(tool: PinnedTool, { colours: { bold, dim } }: Terminal, whole: boolean): string {
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
