// A person looks at what a source serves and approves it: for the first time with pin, later with approve. What they approve is what they
// were shown: by a yes at the terminal, or by the hash that a script was given.
import type { PinReport } from '../../drift/pins/judge-pin.ts'
import { lookAt } from '../../drift/pins/look-at.ts'
import { type NextPin, nextPin } from '../../drift/pins/next-pin.ts'
import { systemClock } from '../../json/clock.ts'
import type { JsonObject } from '../../json/value.ts'
import type { Pin } from '../../ledger/ports/pins.ts'
import { done, flag, type Given, misuse, type Outcome, text, texts } from '../command.ts'
import { lineText } from '../plain-text.ts'
import type { Terminal } from '../terminal.ts'
import { fetchServed } from './fetch-served.ts'
import { keptPlace, placeOf, readPlace, shownPlace } from './place.ts'
import { showReport, wireReport } from './show-report.ts'
import { capabilitiesOf, findPin, type PinDesk, withPins } from './with-pins.ts'

export async function approveDrift(action: 'pin' | 'approve', given: Given, terminal: Terminal): Promise<Outcome> {
  const [, source = '', ...more] = given.words
  if (source === '') return misuse(`Say what to ${action}: proviso drift ${action} SOURCE.`)
  if (action === 'approve' && more.length > 0) return misuse('proviso drift approve takes one source.')
  if (action === 'approve' && flag(given, 'approve')) return misuse('--approve belongs to proviso drift pin.')
  return withPins(given, terminal, (desk) =>
    action === 'pin' ? pinSource(source, given, terminal, desk) : approveSource(source, given, terminal, desk),
  )
}

async function pinSource(source: string, given: Given, terminal: Terminal, desk: PinDesk): Promise<Outcome> {
  const capabilities = capabilitiesOf(given)
  if ((await desk.store.get({ source, capabilities })) !== undefined)
    return misuse(`${source} is pinned already.`, [
      'proviso drift check shows what has changed, proviso drift approve approves it.',
    ])
  const reading = placeOf(given)
  if (!reading.ok) return misuse(reading.message)
  const { place } = reading
  const served = await fetchServed(place, capabilities, terminal)
  if (!served.ok) return misuse(`${shownPlace(place)} cannot be pinned: ${served.message}.`)
  return decide({ source, capabilities, served: served.source, place: keptPlace(place) }, given, terminal, desk)
}

async function approveSource(source: string, given: Given, terminal: Terminal, desk: PinDesk): Promise<Outcome> {
  const found = await findPin(desk.store, source, given)
  if (!found.ok) return found.outcome
  const { pin } = found
  const place = readPlace(pin.place)
  if (place === undefined) return misuse(`The pin of ${source} does not say where it is served.`)
  const served = await fetchServed(place, pin.capabilities, terminal)
  if (!served.ok) return misuse(`${source} cannot be looked at: ${served.message}.`)
  const { capabilities } = pin
  return decide({ source, capabilities, served: served.source, before: pin }, given, terminal, desk)
}

interface Subject {
  readonly source: string
  readonly capabilities: JsonObject
  readonly served: Parameters<typeof nextPin>[0]['served']
  readonly place?: JsonObject
  /** As it stood when the source was asked. */
  readonly before?: Pin
}

async function decide(subject: Subject, given: Given, terminal: Terminal, desk: PinDesk): Promise<Outcome> {
  const { source, capabilities, served, place, before } = subject
  const { pin, report } = await lookAt(desk.store, { source, capabilities }, served, before)
  if (report.drifts.length === 0) return told(report, undefined, given, terminal)
  const verdict = await consentTo(report, given, terminal)
  if (verdict.kind === 'misuse') return misuse(verdict.message, verdict.details)
  if (verdict.kind === 'declined') {
    terminal.note('Nothing was approved.')
    return done(false)
  }
  const approver = await desk.approver()
  if (!approver.ok) return approver.outcome
  const tools = texts(given, 'tool')
  const next: NextPin = nextPin({
    key: { source, capabilities },
    pin,
    served,
    ...(tools.length === 0 ? {} : { tools }),
    by: approver.by,
    at: systemClock.now(),
    why: text(given, 'why'),
    place,
  })
  if (next.kind === 'unknown')
    return misuse(`Neither served nor pinned: ${next.names.map((name) => lineText(name)).join(', ')}.`)
  if (next.kind === 'outdated' || (next.kind === 'pin' && !(await desk.store.save(next.pin, 'person'))))
    return misuse('Somebody else has looked at this source or approved of it meanwhile.', ['Look again.'])
  return told(report, next.kind === 'pin' ? next.pin : pin, given, terminal)
}

type Consent =
  | { readonly kind: 'given' }
  | { readonly kind: 'declined' }
  | { readonly kind: 'misuse'; readonly message: string; readonly details: readonly string[] }

async function consentTo(report: PinReport, given: Given, terminal: Terminal): Promise<Consent> {
  const hash = text(given, 'served')
  if (hash !== undefined) {
    if (hash === report.servedHash) return { kind: 'given' }
    const details = ['proviso drift check shows what is served now.']
    return { kind: 'misuse', message: 'What is served now is not what you have looked at.', details }
  }
  if (flag(given, 'approve')) return { kind: 'given' }
  if (!flag(given, 'json')) terminal.note(showReport(report, terminal.colours))
  if (terminal.ask === undefined || flag(given, 'json')) {
    const details = [
      `It is ${report.servedHash} now: --served HASH says so${report.pinned ? '' : ', or --approve that you take what is served'}.`,
    ]
    return { kind: 'misuse', message: 'Say what you have looked at.', details }
  }
  const answer = await terminal.ask('Type approve to approve exactly this: ')
  return { kind: answer.trim() === 'approve' ? 'given' : 'declined' }
}

function told(report: PinReport, pin: Pin | undefined, given: Given, terminal: Terminal): Outcome {
  const { bold, green } = terminal.colours
  if (flag(given, 'json')) {
    const pinned = pin === undefined ? {} : { revision: pin.revision, tools: pin.tools.length }
    terminal.out(JSON.stringify({ ...wireReport(report), ...pinned }, null, 2))
  } else if (pin === undefined) terminal.out('Nothing has changed: there is nothing to approve.')
  else {
    const count = `${pin.tools.length} ${pin.tools.length === 1 ? 'tool' : 'tools'}`
    terminal.out(`${green('approved')}  ${bold(lineText(pin.source))}  ${count}, revision ${pin.revision}`)
  }
  return done(true)
}
