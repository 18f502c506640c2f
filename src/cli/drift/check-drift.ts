// Looks at what every pinned source serves now. A source that cannot be reached is told of and does not keep the others from being looked at.
import { type DriftLevel, driftLevels } from '../../drift/finding.ts'
import type { PinReport } from '../../drift/pins/judge-pin.ts'
import { lookAt } from '../../drift/pins/look-at.ts'
import type { Pin, PinStore } from '../../ledger/ports/pins.ts'
import { done, flag, type Given, misuse, type Outcome, text, undecided } from '../command.ts'
import { lineText } from '../plain-text.ts'
import type { Terminal } from '../terminal.ts'
import { fetchServed } from './fetch-served.ts'
import { readPlace } from './place.ts'
import { showReport, wireReport } from './show-report.ts'
import { findPin, withPins } from './with-pins.ts'

type Checked =
  | { readonly kind: 'report'; readonly report: PinReport }
  | { readonly kind: 'unreachable'; readonly source: string; readonly message: string }

const thresholds: ReadonlyMap<string, DriftLevel> = new Map([
  ['any', 'info'],
  ['dangerous', 'dangerous'],
  ['breaking', 'unknown'],
])

export async function checkDrift(given: Given, terminal: Terminal): Promise<Outcome> {
  const [, source, ...more] = given.words
  if (more.length > 0) return misuse('proviso drift check takes one source, or none for all of them.')
  const threshold = thresholds.get(text(given, 'failOn') ?? 'any')
  if (threshold === undefined) return misuse(`--fail-on is one of ${[...thresholds.keys()].join(', ')}.`)
  return withPins(given, terminal, async ({ store }) => {
    const found = source === undefined ? undefined : await findPin(store, source, given)
    if (found?.ok === false) return found.outcome
    const pins = found === undefined ? await store.list() : [found.pin]
    if (pins.length === 0) return misuse('Nothing is pinned.', ['proviso drift pin SOURCE pins what a source serves.'])
    const checked: Checked[] = []
    for (const pin of pins) {
      const one = await check(pin, store, terminal)
      checked.push(one)
      if (!flag(given, 'json')) terminal.out(lineOf(one, terminal))
    }
    if (flag(given, 'json')) terminal.out(JSON.stringify(wireOf(checked), null, 2))
    return outcomeOf(checked, threshold)
  })
}

async function check(pin: Pin, store: PinStore, terminal: Terminal): Promise<Checked> {
  const { source, capabilities } = pin
  const place = readPlace(pin.place)
  if (place === undefined) return { kind: 'unreachable', source, message: 'its pin does not say where it is served' }
  const served = await fetchServed(place, capabilities, terminal)
  if (!served.ok) return { kind: 'unreachable', source, message: served.message }
  const { report } = await lookAt(store, { source, capabilities }, served.source, pin)
  return { kind: 'report', report }
}

function outcomeOf(checked: readonly Checked[], threshold: DriftLevel): Outcome {
  const counts = (level: DriftLevel) => driftLevels.indexOf(level) <= driftLevels.indexOf(threshold)
  const drifted = checked.some((one) => one.kind === 'report' && one.report.drifts.some(({ level }) => counts(level)))
  if (drifted) return done(false)
  return checked.some(({ kind }) => kind === 'unreachable') ? undecided : done(true)
}

function lineOf(one: Checked, { colours }: Terminal): string {
  if (one.kind === 'unreachable')
    return `${colours.yellow('unknown')}  ${colours.bold(lineText(one.source))}  ${lineText(one.message)}`
  const { source, drifts, servedHash } = one.report
  if (drifts.length === 0) return showReport(one.report, colours)
  const next = `proviso drift approve ${lineText(source)} --served ${servedHash} --by NAME`
  return `${showReport(one.report, colours)}\n${colours.dim(`Once a person has looked: ${next}`)}\n`
}

function wireOf(checked: readonly Checked[]): object {
  const reports = checked.flatMap((one) => (one.kind === 'report' ? [one.report] : []))
  const unreachable = checked.flatMap((one) => (one.kind === 'unreachable' ? [one] : []))
  return {
    sources: reports.map(wireReport),
    unreachable: unreachable.map(({ source, message }) => ({ source, message })),
    drifted: reports.reduce((sum, { drifts }) => sum + drifts.length, 0),
  }
}
