// A person looks at what a source serves and approves it: for the first time with pin, later with approve. What they approve is what they
// were shown: by a yes at the terminal, or by the hash that a script was given.
import type { PinReport } from '../../drift/pins/judge-pin.ts'
import { lookAt } from '../../drift/pins/look-at.ts'
import { type NextPin, nextPin } from '../../drift/pins/next-pin.ts'
import type { SourceSnapshot } from '../../drift/snapshot.ts'
import { systemClock } from '../../json/clock.ts'
import type { JsonObject } from '../../json/value.ts'
import type { Pin } from '../../ledger/ports/pins.ts'
import { type CommandIo, type CommandResult, done, misuse } from '../command.ts'
import { lineText } from '../plain-text.ts'
import { printResult } from '../print.ts'
import { pinReportText, wirePinReport } from './check-drift.ts'
import { findPin, type PinDesk, typedCapabilities, withPins } from './pin-desk.ts'
import { fetchServed } from './served.ts'
import { keptSourcePlace, shownSourcePlace, typedPlace, wireSourcePlace } from './source-place.ts'

export function pinSource(io: CommandIo): Promise<CommandResult> {
  const [source = ''] = io.words
  return withPins(io, async (desk) => {
    const capabilities = typedCapabilities(io)
    if ((await desk.store.get({ source, capabilities })) !== undefined)
      return misuse(`${source} is pinned already.`, [
        'proviso drift check shows what has changed, proviso drift approve approves it.',
      ])
    const place = typedPlace(io)
    if (!place.ok) return place.result
    const served = await fetchServed(place.value, capabilities, io)
    if (!served.ok) return misuse(`${shownSourcePlace(place.value)} cannot be pinned: ${served.message}.`)
    const where = wireSourcePlace(place.value)
    return approveServed({ source, capabilities, served: served.source, place: where }, io, desk)
  })
}

export async function approveSource(io: CommandIo): Promise<CommandResult> {
  const [source = ''] = io.words
  if (io.flag('approve')) return misuse('--approve belongs to proviso drift pin.')
  return withPins(io, async (desk) => {
    const found = await findPin(desk.store, source, io)
    if (!found.ok) return found.result
    const pin = found.value
    const place = keptSourcePlace(pin.place)
    if (place === undefined) return misuse(`The pin of ${source} does not say where it is served.`)
    const served = await fetchServed(place, pin.capabilities, io)
    if (!served.ok) return misuse(`${source} cannot be looked at: ${served.message}.`)
    const { capabilities } = pin
    return approveServed({ source, capabilities, served: served.source, before: pin }, io, desk)
  })
}

interface ServedSource {
  readonly source: string
  readonly capabilities: JsonObject
  readonly served: SourceSnapshot
  readonly place?: JsonObject
  /** As it stood when the source was asked. */
  readonly before?: Pin
}

async function approveServed(subject: ServedSource, io: CommandIo, desk: PinDesk): Promise<CommandResult> {
  const { source, capabilities, served, place, before } = subject
  const { pin, report } = await lookAt(desk.store, { source, capabilities }, served, before)
  if (report.drifts.length === 0) return approvalResult(report, undefined, io)
  const obstacle = await askConsent(report, io)
  if (obstacle !== undefined) return obstacle
  const approver = await desk.approver()
  if (!approver.ok) return approver.result
  const tools = io.optionList('tool')
  const next: NextPin = nextPin({
    key: { source, capabilities },
    pin,
    served,
    ...(tools.length === 0 ? {} : { tools }),
    by: approver.value,
    at: systemClock.now(),
    why: io.option('why'),
    place,
  })
  if (next.kind === 'unknown')
    return misuse(`Neither served nor pinned: ${next.names.map((name) => lineText(name)).join(', ')}.`)
  if (next.kind === 'outdated' || (next.kind === 'pin' && !(await desk.store.save(next.pin, 'person'))))
    return misuse('Another person or process has looked at this source or approved it meanwhile.', ['Look again.'])
  return approvalResult(report, next.kind === 'pin' ? next.pin : pin, io)
}

/** Undefined where the person approves exactly this, else the result that the command ends with. */
async function askConsent(report: PinReport, io: CommandIo): Promise<CommandResult | undefined> {
  const hash = io.option('served')
  if (hash !== undefined)
    return hash === report.servedHash
      ? undefined
      : misuse('What is served now is not what you have looked at.', ['proviso drift check shows what is served now.'])
  if (io.flag('approve')) return undefined
  if (!io.json) io.note(pinReportText(report, io.colours))
  if (io.ask === undefined || io.json)
    return misuse('Say what you have looked at.', [
      `It is ${report.servedHash} now: --served HASH says so${report.pinned ? '' : ', or --approve that you take what is served'}.`,
    ])
  const answer = await io.ask('Type approve to approve exactly this: ')
  if (answer.trim() === 'approve') return undefined
  io.note('Nothing was approved.')
  return done(false)
}

function approvalResult(report: PinReport, pin: Pin | undefined, io: CommandIo): CommandResult {
  const wire = wirePinReport(report)
  if (pin === undefined) return printResult(io, wire, 'Nothing has changed: there is nothing to approve.')
  const { bold, green } = io.colours
  const { source, revision, tools } = pin
  const count = `${tools.length} ${tools.length === 1 ? 'tool' : 'tools'}`
  const line = `${green('approved')}  ${bold(lineText(source))}  ${count}, revision ${revision}`
  return printResult(io, { ...wire, revision, tools: tools.length }, line)
}
