// `proviso drift check`: looks at what every pinned source serves now, and reports what has changed: every tool that is quarantined, with each
// change, why it matters and a value that shows it. A source that cannot be reached does not keep the others from being looked at.
import { type DriftLevel, driftLevels } from '../../drift/finding.ts'
import type { PinReport } from '../../drift/pins/judge-pin.ts'
import { lookAt } from '../../drift/pins/look-at.ts'
import type { Pin, PinStore } from '../../ledger/ports/pins.ts'
import { type CommandIo, type CommandResult, done, misuse, unanswered } from '../command.ts'
import { findingsText } from '../diff/show-diff.ts'
import { jsonText, lineText } from '../plain-text.ts'
import type { Colours, Terminal } from '../terminal.ts'
import { findPin, withPins } from './pin-desk.ts'
import { fetchServed } from './served.ts'
import { keptSourcePlace } from './source-place.ts'

type CheckedSource =
  | { readonly kind: 'report'; readonly report: PinReport }
  | { readonly kind: 'unreachable'; readonly source: string; readonly message: string }

const thresholds: ReadonlyMap<string, DriftLevel> = new Map([
  ['any', 'info'],
  ['dangerous', 'dangerous'],
  ['breaking', 'unknown'],
])

export async function checkDrift(io: CommandIo): Promise<CommandResult> {
  const [source] = io.words
  const threshold = thresholds.get(io.option('failOn') ?? 'any')
  if (threshold === undefined) return misuse(`--fail-on is one of ${[...thresholds.keys()].join(', ')}.`)
  return withPins(io, async ({ store }) => {
    const found = source === undefined ? undefined : await findPin(store, source, io)
    if (found?.ok === false) return found.result
    const pins = found === undefined ? await store.list() : [found.value]
    if (pins.length === 0) return misuse('Nothing is pinned.', ['proviso drift pin SOURCE pins what a source serves.'])
    const checked: CheckedSource[] = []
    for (const pin of pins) {
      const one = await checkSource(pin, store, io)
      checked.push(one)
      if (!io.json) io.out(checkedText(one, io))
    }
    if (io.json) io.out(jsonText(wireChecked(checked), 2))
    return checkResult(checked, threshold)
  })
}

async function checkSource(pin: Pin, store: PinStore, terminal: Terminal): Promise<CheckedSource> {
  const { source, capabilities } = pin
  const place = keptSourcePlace(pin.place)
  if (place === undefined) return { kind: 'unreachable', source, message: 'its pin does not say where it is served' }
  const served = await fetchServed(place, capabilities, terminal)
  if (!served.ok) return { kind: 'unreachable', source, message: served.message }
  const { report } = await lookAt(store, { source, capabilities }, served.source, pin)
  return { kind: 'report', report }
}

function checkResult(checked: readonly CheckedSource[], threshold: DriftLevel): CommandResult {
  const counts = (level: DriftLevel) => driftLevels.indexOf(level) <= driftLevels.indexOf(threshold)
  const drifted = checked.some((one) => one.kind === 'report' && one.report.drifts.some(({ level }) => counts(level)))
  if (drifted) return done(false)
  return checked.some(({ kind }) => kind === 'unreachable') ? unanswered : done(true)
}

function checkedText(one: CheckedSource, { colours }: Terminal): string {
  if (one.kind === 'unreachable')
    return `${colours.yellow('unknown')}  ${colours.bold(lineText(one.source))}  ${lineText(one.message)}`
  const { source, drifts, servedHash } = one.report
  if (drifts.length === 0) return pinReportText(one.report, colours)
  const next = `proviso drift approve ${lineText(source)} --served ${servedHash} --by NAME`
  return `${pinReportText(one.report, colours)}\n${colours.dim(`Once a person has looked: ${next}`)}\n`
}

function wireChecked(checked: readonly CheckedSource[]): object {
  const reports = checked.flatMap((one) => (one.kind === 'report' ? [one.report] : []))
  const unreachable = checked.flatMap((one) => (one.kind === 'unreachable' ? [one] : []))
  return {
    sources: reports.map(wirePinReport),
    unreachable: unreachable.map(({ source, message }) => ({ source, message })),
    drifted: reports.reduce((sum, { drifts }) => sum + drifts.length, 0),
  }
}

export function pinReportText({ source, pinned, drifts, unchanged, servedHash }: PinReport, colours: Colours): string {
  const { bold, dim, green, red } = colours
  const name = bold(lineText(source))
  if (drifts.length === 0) return `${green('fits')}  ${name}  ${unchanged} tools as they were approved`
  const head = pinned
    ? `${red('drift')}  ${name}  ${drifts.length} changed and quarantined, ${unchanged} as they were approved`
    : `${red('new')}  ${name}  ${drifts.length} that no person has approved`
  return [
    head,
    ...drifts.map(
      ({ tool, change, findings }) => `\n${bold(lineText(tool))} ${dim(change)}\n${findingsText(findings, colours)}`,
    ),
    `\n${dim('served')} ${servedHash}`,
  ].join('\n')
}

export function wirePinReport({ source, capabilities, pinned, servedHash, unchanged, drifts }: PinReport): object {
  return {
    source,
    capabilities,
    pinned,
    served_hash: servedHash,
    unchanged,
    drifts,
  }
}
