// Everything that counts at one moment: what the ledger has written down, what processes are at, and what the world has seen of it.
// Times are counted from now, in milliseconds; what no comparison tells apart any more is made equal, so that there are few states.
import type { SlotRecord, SlotStatus } from '../../src/contract/call/slot.ts'
import type { Owner } from '../../src/ledger/ports/operations.ts'
import { stepMs } from '../../src/ledger/rules/recovery-times.ts'
import { isReadable, leaseMs, type Mishap, mishaps, never, type Setting, tickMs, windowOf } from './setting.ts'

/** The record of one generation of a slot. */
export interface Generation {
  status: SlotStatus
  effect: SlotRecord['effect']
  held: boolean
  attempt: number
  starts: number
  nonce: number
  overtaken: boolean
  /** By number of the call, as bits: provider's ids that it has answered. */
  seen: number
  arguments: number
  call: number
  owner: number
  lease: number
  look: number
  watcher: number
  created: number
  expires: number
  /** What is stored for duplicates, by a name. Nothing is decided by it: it is compared where histories are played. */
  answer: string
}

/** Where no process is meant. */
export const noProcess = -1
/** The owner of those whose database gives no sessions. */
export const unseenOwner = -2
/** An owner that has ended for good. */
export const deadOwner = -3

/** One attempt of an executor, in the hands of a process. */
export interface Attempt {
  call: number
  slot: number
  generation: number
  attempt: number
  nonce: number
  /** Started once more by a process that found it. */
  resent: boolean
  stage: 'admitted' | 'started' | 'sent' | 'ended'
  /** How often it was started. */
  tries: number
  /** Since the lease was asked for, by the clock of the process. */
  leaseAge: number
  /** The session was lost, and the lease is not confirmed since. */
  doubted: boolean
  /** Since the executor was started, by the clock of the process. */
  startAge: number
  /** Since the slot was first admitted, when it was read. */
  createdAge: number
  /** What came of it. */
  says: SlotRecord['effect']
  final: boolean
  /** The end was written, and its answer was lost; and whether its facts vouch for a record of the call. */
  again: boolean
  vouched: boolean
}

/** One pass of a call. */
export interface Pass {
  call: number
  pass: number
  stage: 'opened' | 'judged' | 'unanswered' | 'running'
  /** Nothing was looked up. */
  unseen: boolean
  generation: number
  nonce: number
  createdAge: number
  /** Since the admission was sent first, where its answer was lost; and whether the session was lost since. */
  sentAge: number
  doubted: boolean
  attempt: Attempt | undefined
}

/** What a process does about an operation that it was given. */
export interface Recovery {
  slot: number
  generation: number
  nonce: number
  attempt: number
  call: number
  starts: number
  /** `judged`: nothing was there, and it may be said. */
  stage: 'found' | 'fenced' | 'judged' | 'running'
  way: 'undone' | 'send_again' | 'read_back' | 'hold'
  /** From the claim to the moment from which absence counts. */
  countsIn: number
  owner: Owner
  run: Attempt | undefined
}

export interface Process {
  life: 'up' | 'asleep' | 'frozen'
  hasSession: boolean
  /** For how long it runs, up to where that stops to matter. */
  age: number
  pass: Pass | undefined
  recovery: Recovery | undefined
  /** Attempts whose answer was given without their executor's word. */
  late: Attempt[]
  /** Since when it has seen attempts pending. */
  seen: { nonce: number; age: number }[]
}

/** A request that has left a process, or is about to. */
export interface Flight {
  slot: number
  generation: number
  nonce: number
  by: number
  age: number
  state: 'away' | 'landed' | 'refused'
  /** Its process stood still between its last look and the write. */
  stalled: boolean
  /** It has made an effect that stands. */
  counts: boolean
  /** It landed as no promise covers it. */
  stated: boolean
}

export interface KnownCall {
  passes: number
  /** The newest pass that has written a record, 0 for none. */
  written: number
  /** Found under its key. */
  known: boolean
  /** The pass that its record is of, 0 for none. Nothing is decided by it, nor by what it says. */
  recorded: number
  effect: SlotRecord['effect']
  /** Of which generations its caller was told that they happened, as bits. */
  toldHappened: number
  /** The same of those that had ended for good without effect. */
  toldNone: number
}

export interface Approval {
  verdict: 'pending' | 'approved' | 'rejected'
  superseded: boolean
  usedBy: number
  usedNonce: number
  expires: number
  revoked: boolean
}

export interface State {
  slots: Generation[][]
  calls: KnownCall[]
  processes: Process[]
  flights: Flight[]
  /** Since the provider has seen the key of a generation first; by slot and generation. */
  keys: { slot: number; generation: number; age: number }[]
  /** Open questions, as bits: two for each call. */
  asked: number
  /** What people have said of held attempts. */
  said: { nonce: number; person: number; happened: boolean }[]
  /** Names of attempts whose callers were told that nothing was done. */
  toldNone: number[]
  /** Generations about which a person was mistaken, as bits: eight for each slot. */
  mistaken: number
  /** What may still go wrong, in the order of the list. */
  left: number[]
  nonces: number
  approval: Approval | undefined
}

export const unknownEffect = (call: number) => 1 << (2 * call)
export const duplicateEffect = (call: number) => 2 << (2 * call)
export const generationBit = (slot: number, generation: number) => 1 << (8 * slot + generation)

export function newProcess(): Process {
  return { life: 'up', hasSession: true, age: 0, pass: undefined, recovery: undefined, late: [], seen: [] }
}

export function firstState(setting: Setting): State {
  const slots = 1 + Math.max(...setting.calls.map(({ slot }) => slot))
  return {
    slots: Array.from({ length: slots }, () => []),
    calls: setting.calls.map(() => ({
      passes: 0,
      written: 0,
      recorded: 0,
      known: false,
      effect: 'unknown',
      toldHappened: 0,
      toldNone: 0,
    })),
    processes: Array.from({ length: setting.processes }, () => ({
      ...newProcess(),
      age: setting.young === true ? 0 : stepMs,
    })),
    flights: [],
    keys: [],
    asked: 0,
    said: [],
    toldNone: [],
    mistaken: 0,
    left: mishaps.map((mishap) => setting.may[mishap] ?? 0),
    nonces: 0,
    approval:
      setting.consent !== undefined
        ? {
            verdict: 'pending',
            superseded: false,
            usedBy: noProcess,
            usedNonce: 0,
            expires: 2 * tickMs,
            revoked: false,
          }
        : undefined,
  }
}

export const leftOf = (state: State, mishap: Mishap): number => state.left[mishaps.indexOf(mishap)] ?? 0
export const spend = (state: State, mishap: Mishap): void => {
  const at = mishaps.indexOf(mishap)
  state.left[at] = (state.left[at] ?? 0) - 1
}

export const processOf = (state: State, who: number): Process => state.processes[who] as Process

const copyAttempt = (attempt: Attempt | undefined) => (attempt === undefined ? undefined : { ...attempt })

export function copyOf(state: State): State {
  return {
    slots: state.slots.map((generations) => generations.map((generation) => ({ ...generation }))),
    calls: state.calls.map((call) => ({ ...call })),
    processes: state.processes.map((process) => ({
      ...process,
      pass: process.pass === undefined ? undefined : { ...process.pass, attempt: copyAttempt(process.pass.attempt) },
      recovery:
        process.recovery === undefined ? undefined : { ...process.recovery, run: copyAttempt(process.recovery.run) },
      late: process.late.map((attempt) => ({ ...attempt })),
      seen: process.seen.map((each) => ({ ...each })),
    })),
    flights: state.flights.map((flight) => ({ ...flight })),
    keys: state.keys.map((key) => ({ ...key })),
    asked: state.asked,
    said: state.said.slice(),
    toldNone: state.toldNone.slice(),
    mistaken: state.mistaken,
    left: state.left.slice(),
    nonces: state.nonces,
    approval: state.approval === undefined ? undefined : { ...state.approval },
  }
}

export function attemptsOf(process: Process): Attempt[] {
  const found: Attempt[] = []
  if (process.pass?.attempt !== undefined) found.push(process.pass.attempt)
  if (process.recovery?.run !== undefined) found.push(process.recovery.run)
  return found
}

const floor = (time: number, lowest: number) => (time >= never ? never : Math.max(time, lowest))

/** All ledger times that lie behind a threshold are as good as just behind it. */
export function ageLedger(state: State, setting: Setting): void {
  for (const generations of state.slots) {
    for (const record of generations) {
      record.look = floor(record.look - tickMs, -tickMs)
      // How long ago it ended matters only where absence is counted from there.
      record.lease = floor(record.lease - tickMs, -(isReadable(setting) ? absenceTicks(setting) + 1 : 1) * tickMs)
      record.created = setting.tool === 'key' ? floor(record.created - tickMs, -2 * tickMs) : 0
      record.expires = floor(record.expires - tickMs, -tickMs)
      if (record.status !== 'PENDING') record.look = record.lease = -tickMs
    }
  }
  const { approval } = state
  if (approval !== undefined) approval.expires = floor(approval.expires - tickMs, -tickMs)
}

/**
 * For so long it matters how long ago an executor may have been started. A lease counts for a tick more, by which clocks may step; what a
 * process has seen itself, for the length of a lease more.
 */
const absenceTicks = ({ powerless, unreadable, poolers }: Setting): number =>
  powerless === true || unreadable !== undefined ? 4 : poolers === true ? 3 : 2

const most = (age: number, highest: number) => Math.min(age, highest)

/** What processes and the world count by their own clocks. */
export function ageProcesses(state: State, setting: Setting): void {
  for (const process of state.processes) {
    if (process.life === 'frozen') continue
    if (isReadable(setting)) process.age = most(process.age + tickMs, stepMs)
    for (const each of process.seen) each.age = most(each.age + tickMs, (absenceTicks(setting) + 1) * tickMs)
    if (process.pass?.stage === 'unanswered')
      process.pass.sentAge = most(process.pass.sentAge + tickMs, leaseMs + tickMs)
    for (const attempt of attemptsOf(process)) {
      attempt.leaseAge = most(attempt.leaseAge + tickMs, leaseMs + tickMs)
      if (attempt.stage === 'started') attempt.startAge = most(attempt.startAge + tickMs, leaseMs + tickMs)
    }
  }
  for (const flight of state.flights) {
    if (flight.state === 'away') flight.age = most(flight.age + tickMs, tickMs)
    // What has not arrived within the horizon never does, unless it has not left.
    if (flight.state === 'away' && !flight.stalled) flight.state = 'refused'
  }
  for (const key of state.keys) key.age = most(key.age + tickMs, windowOf(setting))
}
