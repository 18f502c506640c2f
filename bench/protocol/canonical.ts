// One text for all states that nothing can tell apart: processes may change places, attempts may have other names, and what no step will
// ever look at again is left out.
import { type Setting, tickMs } from './setting.ts'
import { type Attempt, attemptsOf, noProcess, type Process, type State } from './state.ts'

/** Takes away what no step looks at any more. */
export function tidy(state: State): State {
  const inUse = new Set<number>()
  for (const process of state.processes) {
    for (const attempt of attemptsOf(process)) inUse.add(attempt.nonce)
    for (const attempt of process.late) inUse.add(attempt.nonce)
  }
  state.flights = state.flights.filter((flight) => flight.state !== 'refused' || inUse.has(flight.nonce))
  for (const flight of state.flights) {
    if (!inUse.has(flight.nonce) && !(flight.stalled && flight.state === 'away')) flight.by = noProcess
    if (flight.state === 'away') continue
    flight.age = 0
    flight.stalled = false
    if (!inUse.has(flight.nonce) && !state.toldNone.includes(flight.nonce)) flight.nonce = 0
  }
  // A second one that made no effect of its own changes nothing any more.
  state.flights = state.flights.filter(
    (flight) =>
      flight.state !== 'landed' || flight.counts || flight.stated || flight.nonce !== 0 || isOnly(state, flight),
  )
  state.toldNone = state.toldNone.filter((nonce) =>
    state.flights.some((flight) => flight.nonce === nonce && flight.state !== 'refused'),
  )
  const pending = new Set<number>()
  for (const generations of state.slots)
    for (const record of generations) if (record.status === 'PENDING') pending.add(record.nonce)
  for (const process of state.processes) process.seen = process.seen.filter(({ nonce }) => pending.has(nonce))
  return state
}

const isOnly = ({ flights }: State, one: State['flights'][number]): boolean =>
  !flights.some(
    (other) =>
      other !== one && other.state === 'landed' && other.slot === one.slot && other.generation === one.generation,
  )

const orders: readonly (readonly (readonly number[])[])[] = [
  [[]],
  [[0]],
  [
    [0, 1],
    [1, 0],
  ],
  [
    [0, 1, 2],
    [0, 2, 1],
    [1, 0, 2],
    [1, 2, 0],
    [2, 0, 1],
    [2, 1, 0],
  ],
]

export function textOf(state: State, setting: Setting): string {
  let least: string | undefined
  // Most processes can be told apart at a glance.
  const [one, other] = state.processes
  if (state.processes.length === 2 && one !== undefined && other !== undefined) {
    const difference = glance(one) - glance(other)
    if (difference !== 0) return write(state, setting, difference < 0 ? forwards : backwards)
  }
  for (const order of orders[state.processes.length] ?? []) {
    const text = write(state, setting, order)
    if (least === undefined || text < least) least = text
  }
  return least ?? ''
}

/** The same with each process in its place: for histories in which they have names. */
export const placedTextOf = (state: State, setting: Setting): string =>
  write(state, setting, [...state.processes.keys()])

const forwards = [0, 1]
const backwards = [1, 0]
const stages = ['opened', 'judged', 'unanswered', 'running', 'found', 'fenced', 'admitted', 'started', 'sent', 'ended']

function glance({ life, hasSession, pass, recovery, late, age }: Process): number {
  const stage = pass === undefined ? 0 : 1 + stages.indexOf(pass.attempt?.stage ?? pass.stage) + 20 * pass.call
  const found = recovery === undefined ? 0 : 1 + stages.indexOf(recovery.run?.stage ?? recovery.stage)
  return (
    stage +
    100 * found +
    2_000 * late.length +
    (hasSession ? 10_000 : 0) +
    (life === 'up' ? 20_000 : 0) +
    (age > 0 ? 40_000 : 0)
  )
}

const bytes = Buffer.alloc(4_096)
let at = 0
const byte = (value: number) => {
  bytes[at++] = value
}
/** Times in ticks, and whether it is a whole number of them: more no comparison can tell apart, since only whole ticks pass. */
const time = (ms: number) => {
  const ticks = Math.ceil(ms / tickMs)
  byte(ms > 10 * tickMs ? 0xff : 2 * (ticks + 32) + (ms % tickMs === 0 ? 0 : 1))
}
const word = (text: string) => byte(words.get(text) ?? newWord(text))
const words = new Map<string, number>()
const newWord = (text: string) => {
  words.set(text, words.size + 1)
  return words.size
}

let names = new Map<number, number>()
const nonce = (value: number) => {
  if (value === 0) return byte(0)
  let name = names.get(value)
  if (name === undefined) {
    name = names.size + 1
    names.set(value, name)
  }
  byte(name)
}

function write(state: State, { tool }: Setting, order: readonly number[]): string {
  at = 0
  names = new Map()
  const placeOf = (process: number) => (process < 0 ? process + 16 : order.indexOf(process))
  for (const generations of state.slots) {
    byte(0xff)
    for (const record of generations) {
      word(record.status)
      word(record.effect)
      byte((record.held ? 1 : 0) | (record.overtaken ? 2 : 0) | (record.arguments << 2))
      byte(record.attempt)
      if (record.status === 'PENDING') {
        nonce(record.nonce)
        byte(placeOf(record.owner))
        byte(placeOf(record.watcher))
        time(record.lease)
        time(record.look)
      }
      if (tool === 'key') time(record.created)
      byte(record.seen)
      byte(record.call)
      time(record.expires)
    }
  }
  for (const call of state.calls) {
    byte(call.passes)
    byte(call.written)
    byte(call.known ? 1 : 0)
    byte(call.toldHappened)
    byte(call.toldNone)
  }
  for (const who of order) writeProcess(state.processes[who] as Process)
  byte(0xfe)
  const flights = state.flights.map((flight): [number, () => void] => [
    flight.slot * 8 + flight.generation,
    () => {
      byte(flight.slot * 8 + flight.generation)
      nonce(flight.nonce)
      byte(placeOf(flight.by))
      word(flight.state)
      byte((flight.stalled ? 1 : 0) | (flight.counts ? 2 : 0) | (flight.stated ? 4 : 0))
      if (flight.state === 'away') time(flight.age)
    },
  ])
  flights.sort(([a], [b]) => a - b)
  for (const [, put] of flights) put()
  byte(0xfd)
  for (const key of state.keys) {
    byte(key.slot * 8 + key.generation)
    time(key.age)
  }
  byte(0xfc)
  byte(state.asked & 0xff)
  byte(state.asked >> 8)
  byte(state.mistaken & 0xff)
  byte(state.mistaken >> 8)
  for (const said of state.said) {
    nonce(said.nonce)
    byte(said.person * 2 + (said.happened ? 1 : 0))
  }
  byte(0xfb)
  for (const told of state.toldNone) nonce(told)
  byte(0xfa)
  for (const left of state.left) byte(left)
  const { approval } = state
  if (approval !== undefined) {
    word(approval.verdict)
    byte((approval.superseded ? 1 : 0) | (approval.revoked ? 2 : 0))
    byte(approval.usedBy + 1)
    nonce(approval.usedNonce)
    time(approval.expires)
  }
  return bytes.toString('latin1', 0, at)
}

function writeProcess({ life, hasSession, age, pass, recovery, late, seen }: Process): void {
  word(life)
  byte(hasSession ? 1 : 0)
  time(age)
  if (pass === undefined) byte(0)
  else {
    byte(1 + pass.call)
    byte(pass.pass)
    word(pass.stage)
    byte(pass.unseen ? 1 : 0)
    byte(pass.generation)
    nonce(pass.nonce)
    time(pass.createdAge)
    time(pass.sentAge)
    byte(pass.doubted ? 1 : 0)
    writeAttempt(pass.attempt)
  }
  if (recovery === undefined) byte(0)
  else {
    byte(1 + recovery.slot * 8 + recovery.generation)
    nonce(recovery.nonce)
    byte(recovery.attempt)
    byte(recovery.call)
    word(recovery.stage)
    word(recovery.way)
    time(recovery.countsIn)
    word(recovery.owner)
    writeAttempt(recovery.run)
  }
  byte(late.length)
  for (const attempt of late) writeAttempt(attempt)
  byte(seen.length)
  for (const each of seen) {
    nonce(each.nonce)
    time(each.age)
  }
}

function writeAttempt(attempt: Attempt | undefined): void {
  if (attempt === undefined) {
    byte(0)
    return
  }
  byte(1 + attempt.slot * 8 + attempt.generation)
  byte(attempt.attempt)
  byte(attempt.call)
  nonce(attempt.nonce)
  word(attempt.stage)
  word(attempt.says)
  byte(
    (attempt.resent ? 1 : 0) |
      (attempt.doubted ? 2 : 0) |
      (attempt.final ? 4 : 0) |
      (attempt.again ? 8 : 0) |
      (attempt.vouched ? 128 : 0) |
      (attempt.tries << 4),
  )
  time(attempt.leaseAge)
  time(attempt.startAge)
  time(attempt.createdAge)
}
