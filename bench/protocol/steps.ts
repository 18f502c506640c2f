// Every step that can come next: of a pass, of an executor and the world it reaches into, of a process that recovers, of people, of time,
// and of what may go wrong. Each gives a name for what was done and what it came to, and the state after it.
import { canBeRecovered, judgeReadBack, planRecovery } from '../../src/execute/recovery.ts'
import type { EpochMs } from '../../src/json/clock.ts'
import type { Owner } from '../../src/ledger/ports/operations.ts'
import { restartLookMs, startMs } from '../../src/ledger/rules/recovery-times.ts'
import * as ledger from './ledger.ts'
import {
  horizonMs,
  leaseMs,
  type Mishap,
  mishaps,
  providerWindowMs,
  type Setting,
  tickMs,
  timeoutMs,
  toolOf,
} from './setting.ts'
import {
  type Attempt,
  ageLedger,
  ageProcesses,
  attemptsOf,
  copyOf,
  deadOwner,
  duplicateEffect,
  type Flight,
  generationBit,
  never,
  newProcess,
  nobody,
  type Pass,
  type Process,
  type Recovery,
  type State,
  unknownEffect,
  unseenOwner,
} from './state.ts'

/** What was done, by whom, and what it came to: enough to do it on a real ledger, and to say it in a line. */
export interface Deed {
  readonly does: string
  readonly process?: number
  readonly call?: number
  readonly slot?: number
  readonly generation?: number
  readonly attempt?: number
  readonly nonce?: number
  /** The name that a start has from now on. */
  readonly next?: number
  readonly came: string
  /** Of the claim: how long before now its owner may have started last. */
  readonly value?: number
  readonly says?: string
  readonly person?: number
  readonly pass?: number
  readonly unseen?: boolean
  readonly tries?: number
  readonly asks?: boolean
  /** It was carried out, and its answer was lost. */
  readonly cut?: boolean
  readonly again?: boolean
}

export interface Step {
  readonly deed: Deed
  readonly next: State
}

/** What is asked of other rooms, or decided by code that no table says: a check of the check puts a fault in its place. */
export const decisions = {
  planRecovery,
  judgeReadBack,
  canBeRecovered,
  /** By its lease, and by its session. */
  mayAct: (attempt: Attempt, hasSession: boolean): boolean =>
    hasSession && !attempt.doubted && attempt.leaseAge <= (attempt.resent ? startMs : leaseMs),
  /** That a request sent again did nothing says nothing of the first one. */
  believes: (says: Attempt['says'], resent: boolean): Attempt['says'] => (resent && says === 'none' ? 'unknown' : says),
  /** Whether a person is asked about what is held. */
  asks: (isHeld: boolean): boolean => isHeld,
}

export const isHelpful = ({ does }: Deed): boolean => !mischief.has(does)

const mischief: ReadonlySet<string> = new Set([
  ...mishaps,
  'mistake',
  'word',
  'give up',
  'propose',
  'stalled write',
  'approve',
  'reject',
  'replace',
  'revoke',
  'undoing',
  'closing',
])

export function stepsFrom(state: State, setting: Setting): Step[] {
  const steps: Step[] = []
  const add = (deed: Deed, next: State) => void steps.push({ deed, next })
  for (let who = 0; who < state.processes.length; who++) {
    const process = state.processes[who]
    if (process === undefined) continue
    if (process.life !== 'up') {
      wake(state, who, add)
      continue
    }
    // One thing at a time, unless both are wanted: what a process does beside is as well done by another.
    if (setting.both === true || process.recovery === undefined) passSteps(state, who, setting, add)
    if (setting.both === true || process.pass === undefined) recoverySteps(state, who, setting, add)
    lateSteps(state, who, setting, add)
    sessionSteps(state, who, setting, add)
    processMishaps(state, who, add)
  }
  worldSteps(state, setting, add)
  peopleSteps(state, setting, add)
  sagaSteps(state, setting, add)
  consentSteps(state, setting, add)
  timeSteps(state, setting, add)
  return steps
}

type Add = (deed: Deed, next: State) => void

const leftOf = (state: State, mishap: Mishap): number => state.left[mishaps.indexOf(mishap)] ?? 0
const spend = (state: State, mishap: Mishap): void => {
  const at = mishaps.indexOf(mishap)
  state.left[at] = (state.left[at] ?? 0) - 1
}

const processOf = (state: State, who: number): Process => state.processes[who] as Process

// --- passes

function passSteps(state: State, who: number, setting: Setting, add: Add): void {
  const { pass } = processOf(state, who)
  if (pass === undefined) return propose(state, who, setting, add)
  switch (pass.stage) {
    case 'opened':
      return lookUp(state, who, pass, setting, add)
    case 'judged':
    case 'unanswered':
      return admit(state, who, pass, setting, add)
    case 'running': {
      const attempt = pass.attempt as Attempt
      return attemptSteps(state, who, 'pass', attempt, setting, add)
    }
  }
}

/** Calls are equal but for their numbers: the first is proposed first. */
function propose(state: State, who: number, setting: Setting, add: Add): void {
  for (const [call, known] of state.calls.entries()) {
    if (known.passes >= setting.passes) continue
    if (call > 0 && sameKind(setting, call) && (state.calls[call - 1]?.passes ?? 0) === 0) continue
    if (state.processes.some(({ pass }) => pass?.call === call)) continue
    for (const unseen of known.passes === 0 ? (setting.guesses ?? [false]) : [false]) {
      const next = copyOf(state)
      const after = next.calls[call] as State['calls'][number]
      after.passes++
      processOf(next, who).pass = {
        call,
        pass: after.passes,
        stage: unseen ? 'judged' : 'opened',
        unseen,
        generation: 1,
        nonce: 0,
        createdAge: 0,
        sentAge: 0,
        attempt: undefined,
      }
      add({ does: 'propose', process: who, call, came: unseen ? 'taken for new' : 'looked up first' }, next)
    }
  }
}

const sameKind = ({ calls }: Setting, call: number): boolean =>
  calls[call]?.slot === calls[call - 1]?.slot && calls[call]?.arguments === calls[call - 1]?.arguments

function lookUp(state: State, who: number, { call }: Pass, setting: Setting, add: Add): void {
  const next = copyOf(state)
  const pass = processOf(next, who).pass as Pass
  const found = ledger.lookUp(next, call, setting)
  const deed = { does: 'look up', process: who, call, generation: found.generation, came: found.verdict }
  pass.unseen = false
  pass.createdAge = found.record === undefined ? 0 : -found.record.created
  switch (found.verdict) {
    case 'absent':
      pass.generation = 1
      pass.stage = 'judged'
      break
    case 'retry':
      pass.generation = found.generation
      pass.stage = 'judged'
      break
    case 'generation':
      pass.generation = found.generation + 1
      pass.createdAge = 0
      pass.stage = 'judged'
      break
    default:
      answered(next, who, found, setting)
  }
  add({ ...deed, pass: pass.pass }, next)
}

/** The pass ends with what the record says, and its provider's id belongs to that generation from now on. */
function answered(state: State, who: number, { verdict, record, generation }: ledger.LookedUp, setting: Setting): void {
  const process = processOf(state, who)
  const { call, pass } = process.pass as Pass
  process.pass = undefined
  const slot = ledger.slotOfCall(call, setting)
  // Of an operation with other arguments nothing is said that a caller could take for their own.
  if (verdict === 'mismatch' || record === undefined) return
  const { effect } = record
  const looksOn = pass > 1 && (verdict === 'busy' || verdict === 'held')
  ledger.note(state, { call, pass, effect, looksOn, yields: pass > 1, slot, generation })
  tell(state, call, generation, effect)
}

function admit(state: State, who: number, pass: Pass, setting: Setting, add: Add): void {
  const { call, generation, unseen } = pass
  const isAgain = pass.stage === 'unanswered'
  const next = copyOf(state)
  const nonce = isAgain ? pass.nonce : ++next.nonces
  const asked = { call, process: who, nonce, generation, unseen }
  const came = ledger.admit(next, asked, setting)
  const after = processOf(next, who).pass as Pass
  const deed = { does: 'admit', process: who, call, nonce, generation, unseen }
  switch (came.kind) {
    case 'admitted': {
      after.stage = 'running'
      after.attempt = newAttempt(after, ledger.slotOfCall(call, setting), came, nonce, isAgain ? pass.sentAge : 0)
      // Without a session others take this process for dead: once there is one again, it has to be confirmed as well.
      after.attempt.doubted = !processOf(next, who).hasSession && setting.poolers !== true
      add(
        { ...deed, attempt: came.attempt, came: came.again ? 'again' : came.attempt > 1 ? 'retried' : 'admitted' },
        next,
      )
      if (!came.again && leftOf(state, 'cut') > 0) lostAdmission(next, deed, came.attempt, who, add)
      return
    }
    case 'stale':
      after.generation = came.generation
      after.stage = 'judged'
      if (!isAgain) next.nonces--
      return add({ ...deed, came: 'stale' }, next)
    case 'known':
      after.stage = 'opened'
      after.unseen = false
      return add({ ...deed, came: 'known' }, next)
    case 'approval':
    case 'grant':
      processOf(next, who).pass = undefined
      return add({ ...deed, came: came.kind }, next)
    case 'slot': {
      const found = ledger.lookUp(next, call, setting)
      answered(next, who, found, setting)
      return add({ ...deed, pass: pass.pass, came: `slot ${found.verdict}` }, next)
    }
  }
}

/** It was admitted, and does not know it. */
function lostAdmission(admitted: State, deed: Omit<Deed, 'came'>, attempt: number, who: number, add: Add): void {
  const lost = copyOf(admitted)
  spend(lost, 'cut')
  const after = processOf(lost, who).pass as Pass
  after.stage = 'unanswered'
  after.nonce = deed.nonce ?? 0
  after.attempt = undefined
  add({ ...deed, does: 'admit', attempt, cut: true, came: 'answer lost' }, lost)
  const gaveUp = copyOf(lost)
  processOf(gaveUp, who).pass = undefined
  add({ ...deed, does: 'admit', attempt, cut: true, came: 'answer lost, given up' }, gaveUp)
}

function newAttempt(
  { call, createdAge }: Pass,
  slot: number,
  { generation, attempt }: Extract<ledger.Admitted, { kind: 'admitted' }>,
  nonce: number,
  leaseAge: number,
): Attempt {
  return {
    call,
    slot,
    generation,
    attempt,
    nonce,
    resent: false,
    stage: 'admitted',
    tries: 0,
    // Counted from when it was asked for first.
    leaseAge,
    doubted: false,
    startAge: 0,
    createdAge: attempt > 1 ? createdAge : 0,
    says: 'unknown',
    final: false,
    again: false,
  }
}

/** What a caller was told has to stay true. */
function tell(state: State, call: number, generation: number, effect: Attempt['says']) {
  const known = state.calls[call]
  if (known !== undefined && effect === 'happened') known.toldHappened |= 1 << generation
}

// --- attempts: the executor

type Holder = 'pass' | 'recovery'

const attemptAt = (state: State, who: number, holder: Holder): Attempt => {
  const process = processOf(state, who)
  return (holder === 'pass' ? process.pass?.attempt : process.recovery?.run) as Attempt
}

const mayAct = (process: Process, attempt: Attempt, { poolers }: Setting): boolean =>
  decisions.mayAct(attempt, process.hasSession || poolers === true)

function attemptSteps(state: State, who: number, holder: Holder, attempt: Attempt, setting: Setting, add: Add): void {
  const process = processOf(state, who)
  const { call, slot, generation, nonce } = attempt
  const deed = { process: who, call, slot, generation, attempt: attempt.attempt, nonce }
  const change = (work: (after: Attempt, next: State) => void): State => {
    const next = copyOf(state)
    work(attemptAt(next, who, holder), next)
    return next
  }
  const ends = (says: Attempt['says'], final = false) =>
    change((after) => {
      after.stage = 'ended'
      after.says = says
      after.final = final
    })
  switch (attempt.stage) {
    case 'admitted': {
      const may = mayAct(process, attempt, setting)
      // Between the start and the last look nothing counts but time, which may pass before both.
      if (may && setting.looks) return send(state, who, holder, attempt, setting, deed, add)
      if (!may) return add({ ...deed, does: 'start', came: 'may not' }, ends('none'))
      return add(
        { ...deed, does: 'start', came: 'may' },
        change((after) => {
          after.stage = 'started'
          after.tries++
          after.startAge = 0
        }),
      )
    }
    case 'started':
      if (attempt.startAge <= timeoutMs) return send(state, who, holder, attempt, setting, deed, add)
      return add({ ...deed, does: 'send', came: 'may not' }, ends(effectOf(state, attempt, 'none')))
    case 'sent':
      return replies(state, attempt, setting, deed, ends, change, add)
    case 'ended':
      return settle(state, who, holder, attempt, setting, add)
  }
}

function send(
  state: State,
  who: number,
  holder: Holder,
  attempt: Attempt,
  setting: Setting,
  deed: Omit<Deed, 'does' | 'came'>,
  add: Add,
): void {
  const next = copyOf(state)
  const after = attemptAt(next, who, holder)
  if (after.stage === 'admitted') after.tries++
  if (setting.tool === 'ledger') {
    commit(state, who, holder, attempt, setting, add)
    after.stage = 'ended'
    after.says = 'none'
    return add({ ...deed, does: 'fail', came: 'rolled back' }, next)
  }
  after.stage = 'sent'
  const { slot, generation, nonce } = attempt
  next.flights.push({ slot, generation, nonce, by: who, age: 0, ...away })
  add({ ...deed, does: 'send', came: 'sent' }, next)
}

const away = { state: 'away', stalled: false, counts: false, stated: false } as const

const flightsOf = (state: State, nonce: number) => state.flights.filter((flight) => flight.nonce === nonce)

/** What an executor knows of all its starts together. */
function effectOf(state: State, { nonce }: Attempt, last: 'none' | 'happened' | 'unknown') {
  const own = flightsOf(state, nonce)
  if (last === 'unknown') return last
  return last === 'none' && own.some((flight) => flight.state !== 'refused') ? 'unknown' : last
}

function replies(
  state: State,
  attempt: Attempt,
  setting: Setting,
  deed: Omit<Deed, 'does' | 'came'>,
  ends: (says: Attempt['says'], final?: boolean) => State,
  change: (work: (after: Attempt, next: State) => void) => State,
  add: Add,
): void {
  const last = flightsOf(state, attempt.nonce).at(-1) as Flight
  const again = (came: string) => {
    if (attempt.tries >= setting.starts) return
    const next = change((after) => {
      after.stage = 'admitted'
    })
    add({ ...deed, does: 'start again', came }, next)
  }
  if (last.state === 'landed') add({ ...deed, does: 'return', came: 'happened' }, ends('happened'))
  if (last.state === 'refused') {
    const says = effectOf(state, attempt, 'none')
    add({ ...deed, does: 'fail', came: says }, ends(says))
    if (setting.finals === true) add({ ...deed, does: 'fail', came: `${says} for good` }, ends(says, true))
    if (says === 'none') again('after none')
  }
  add({ ...deed, does: 'time out', came: 'unknown' }, ends('unknown'))
  if (!attempt.resent && planned(state, attempt, setting) === 'send_again') again('with its key')
}

function planned(state: State, { slot, generation }: Attempt, setting: Setting) {
  const record = (state.slots[slot] ?? [])[generation - 1]
  const at = -(record?.created ?? 0) as EpochMs
  return decisions.planRecovery({ slot: seenSlot, tool: toolOf(setting), lastStart: at, at }).kind
}

const seenSlot = { createdAt: 0 as EpochMs, idempotencyKey: '' }

/** In one transaction: the effect is there exactly when its record says so. */
function commit(state: State, who: number, holder: Holder, attempt: Attempt, setting: Setting, add: Add): void {
  const next = copyOf(state)
  const after = attemptAt(next, who, holder)
  if (after.stage === 'admitted') after.tries++
  const before = copyOf(state)
  const end = endOf(next, after, who, holder, 'happened', setting)
  const { settlement, fit } = ledger.settle(next, end, setting)
  const { call, slot, generation, nonce } = attempt
  const deed = {
    process: who,
    call,
    slot,
    generation,
    attempt: attempt.attempt,
    nonce,
    pass: end.pass,
    says: 'happened',
  }
  if (settlement !== 'settled') {
    const undone = attemptAt(before, who, holder)
    if (undone.stage === 'admitted') undone.tries++
    undone.stage = 'ended'
    undone.says = 'none'
    return add({ ...deed, does: 'commit', came: fit }, before)
  }
  next.flights.push({
    slot,
    generation,
    nonce,
    by: who,
    age: 0,
    state: 'landed',
    stalled: false,
    counts: true,
    stated: false,
  })
  conclude(next, who, holder, after, 'happened', true)
  add({ ...deed, does: 'commit', came: fit }, next)
}

function endOf(
  state: State,
  attempt: Attempt,
  who: number,
  holder: Holder | 'late',
  says: Attempt['says'],
  setting: Setting,
): ledger.End {
  const { call, slot, generation, attempt: number, nonce, tries, resent, again } = attempt
  const effect = decisions.believes(says, resent)
  const common = { call, slot, generation, attempt: number, nonce, tries, again, amends: setting.amends === true }
  const process = processOf(state, who)
  const pass = holder === 'pass' ? (process.pass?.pass ?? 1) : (state.calls[call]?.passes ?? 1)
  switch (effect) {
    case 'happened':
      return { ...common, pass, status: 'COMPLETED', effect, held: false, asks: false }
    case 'none':
      return {
        ...common,
        pass,
        status: attempt.final ? 'FAILED_FINAL' : 'FAILED_RETRYABLE',
        effect,
        held: false,
        asks: false,
      }
    case 'unknown': {
      // By when the slot was read; what went by since is for recovery to count.
      const at = attempt.createdAge as EpochMs
      const isHeld = !decisions.canBeRecovered({ slot: seenSlot, tool: toolOf(setting), lastStart: at, at })
      return { ...common, pass, status: 'PENDING', effect, held: isHeld, asks: decisions.asks(isHeld) }
    }
  }
}

function settle(state: State, who: number, holder: Holder, attempt: Attempt, setting: Setting, add: Add): void {
  const next = copyOf(state)
  const after = attemptAt(next, who, holder)
  const end = endOf(next, after, who, holder, attempt.says, setting)
  const { fit } = ledger.settle(next, end, setting)
  const { call, slot, generation, nonce } = attempt
  const deed = {
    does: 'settle',
    process: who,
    call,
    slot,
    generation,
    attempt: attempt.attempt,
    nonce,
    pass: end.pass,
    says: `${end.status} ${end.effect}${end.held ? ' held' : ''}`,
    tries: end.tries,
    asks: end.asks,
    again: end.again,
  }
  const settled = copyOf(next)
  conclude(settled, who, holder, attemptAt(settled, who, holder), end.effect, true)
  add({ ...deed, came: fit }, settled)
  if (leftOf(state, 'cut') === 0 || end.again) return
  const lost = copyOf(next)
  spend(lost, 'cut')
  attemptAt(lost, who, holder).again = true
  add({ ...deed, cut: true, came: `${fit}, answer lost` }, lost)
  const gaveUp = copyOf(state)
  spend(gaveUp, 'cut')
  conclude(gaveUp, who, holder, attemptAt(gaveUp, who, holder), end.effect, false)
  add({ ...deed, does: 'give up', came: 'not written' }, gaveUp)
}

/** The answer is given; an executor of which nothing is known may still end. */
function conclude(
  state: State,
  who: number,
  holder: Holder,
  attempt: Attempt,
  effect: Attempt['says'],
  isWritten: boolean,
): void {
  const process = processOf(state, who)
  const { call, nonce, generation } = attempt
  if (holder === 'pass') {
    if (isWritten) tell(state, call, generation, effect)
    if (effect === 'none' && !state.toldNone.includes(nonce)) state.toldNone.push(nonce)
    process.pass = undefined
  } else process.recovery = undefined
  const isOpen = flightsOf(state, nonce).some((flight) => flight.by === who)
  if (attempt.says === 'unknown' && isOpen) process.late.push({ ...attempt, again: false })
}

/** An executor ends after its call was answered without it. */
function lateSteps(state: State, who: number, setting: Setting, add: Add): void {
  for (const [at, attempt] of processOf(state, who).late.entries()) {
    const own = flightsOf(state, attempt.nonce)
    const says = own.some(({ state: is }) => is === 'landed')
      ? 'happened'
      : own.every(({ state: is }) => is === 'refused')
        ? 'none'
        : undefined
    if (says === undefined || decisions.believes(says, attempt.resent) === 'unknown') continue
    const next = copyOf(state)
    const process = processOf(next, who)
    process.late.splice(at, 1)
    const end = endOf(next, attempt, who, 'late', says, setting)
    const { fit } = ledger.settle(next, end, setting)
    const { call, slot, generation, nonce } = attempt
    const deed = { process: who, call, slot, generation, attempt: attempt.attempt, nonce, pass: end.pass }
    add({ ...deed, does: 'end late', says: `${end.status} ${end.effect}`, tries: end.tries, came: fit }, next)
  }
}

// --- recovery

function recoverySteps(state: State, who: number, setting: Setting, add: Add): void {
  const { recovery } = processOf(state, who)
  if (recovery === undefined) return claims(state, who, setting, add)
  const { slot, generation, nonce, attempt, call } = recovery
  const deed = { process: who, slot, generation, nonce, attempt, call }
  const change = (work: (after: Recovery, next: State) => void): State => {
    const next = copyOf(state)
    work(processOf(next, who).recovery as Recovery, next)
    return next
  }
  if (recovery.stage === 'running') return attemptSteps(state, who, 'recovery', recovery.run as Attempt, setting, add)
  switch (recovery.way) {
    case 'undone':
      return write(state, who, recovery, 'none', add, setting)
    case 'hold':
      return write(state, who, recovery, 'hold', add, setting)
    case 'send_again':
      return restart(state, who, recovery, add, setting)
    case 'read_back':
      break
  }
  if (recovery.stage === 'found') {
    const next = copyOf(state)
    const after = processOf(next, who).recovery as Recovery
    after.stage = 'fenced'
    after.owner = fence(next, who, recovery, setting)
    return add({ ...deed, does: 'fence', came: after.owner }, next)
  }
  if (recovery.stage === 'fenced') {
    for (const word of wordsOf(state, recovery, setting)) {
      const at = 0 as EpochMs
      const absenceCountsAt = recovery.countsIn as EpochMs
      const verdict = decisions.judgeReadBack({ word, at, absenceCountsAt, horizonMs, owner: recovery.owner })
      const reading = { ...deed, does: 'read back', value: recovery.countsIn, says: recovery.owner }
      const came = `${word ?? 'unreadable'}, ${verdict.kind}`
      if (verdict.kind === 'none')
        add(
          { ...reading, came },
          change((after) => void (after.stage = 'judged')),
        )
      // What is there stays there, and what is looked at again changes nothing: no one can come in between.
      else write(state, who, recovery, verdict.kind, add, setting, verdict.kind === 'later' ? verdict.ms : 0)
    }
    return
  }
  return write(state, who, recovery, 'none', add, setting)
}

/** From when on nothing more depends on how long absence has counted. */
const longestAbsence = ({ powerless, unreadable, poolers }: Setting): number =>
  powerless === true || unreadable !== undefined ? -never : poolers === true ? -tickMs : 0

function claims(state: State, who: number, setting: Setting, add: Add): void {
  for (const [slot, generations] of state.slots.entries()) {
    for (const [index, record] of generations.entries()) {
      if (!ledger.isDue(record, who)) continue
      // What it has in hand itself, it brings to its end itself.
      const isOwn = holdsLease(processOf(state, who), record.nonce)
      const next = copyOf(state)
      const after = processOf(next, who)
      const claimed = (next.slots[slot] ?? [])[index] as typeof record
      const last = ledger.claim(claimed, after, who, setting)
      const { nonce, attempt, call, starts, created } = claimed
      const at = 0 as EpochMs
      const seen = { createdAt: created as EpochMs, idempotencyKey: '' }
      const plan = decisions.planRecovery({ slot: seen, tool: toolOf(setting), lastStart: last as EpochMs, at })
      const deed = { does: 'claim', process: who, slot, generation: index + 1, nonce, attempt, call, value: last }
      if (isOwn) {
        add({ ...deed, came: 'its own' }, next)
        continue
      }
      after.recovery = {
        slot,
        generation: index + 1,
        nonce,
        attempt,
        call,
        starts,
        // Before absence counts, nobody asks how the owner stands.
        stage: plan.kind === 'read_back' && plan.absenceCountsAt > 0 ? 'fenced' : 'found',
        way: plan.kind,
        countsIn: plan.kind === 'read_back' ? Math.max(plan.absenceCountsAt, longestAbsence(setting)) : 0,
        owner: 'alive',
        run: undefined,
      }
      add({ ...deed, came: `${plan.kind} ${plan.how}` }, next)
    }
  }
}

/** The lease was begun with the answer of the admission, and ends with the write of the end. */
const holdsLease = ({ pass }: Process, nonce: number): boolean => pass?.attempt?.nonce === nonce

function fence(state: State, who: number, { slot, generation, nonce }: Recovery, { powerless }: Setting): Owner {
  const record = ledger.pendingOf(state, slot, generation, nonce)
  const owner = record?.owner ?? nobody
  // Given up since it was claimed, so that it has acted until a moment ago.
  if (record !== undefined && owner === nobody && record.watcher !== who) return 'fenced'
  if (owner === nobody || owner === deadOwner || owner === who) return 'dead'
  if (owner === unseenOwner) return 'unseen'
  const process = processOf(state, owner)
  if (!process.hasSession) return 'dead'
  if (powerless === true) return 'alive'
  loseSession(process)
  // Of this attempt it is the owner no more, also once it has another session.
  if (record !== undefined && record.lease <= 0 && record.watcher !== nobody) record.owner = nobody
  return 'fenced'
}

function wordsOf(state: State, recovery: Recovery, { unreadable }: Setting) {
  if (unreadable === 'always') return [undefined]
  const stands = state.flights.some(
    (flight) => flight.state === 'landed' && flight.slot === recovery.slot && flight.generation === recovery.generation,
  )
  const word = stands ? ('verified' as const) : ('absent' as const)
  return unreadable === 'sometimes' ? [word, undefined] : [word]
}

function write(
  state: State,
  who: number,
  recovery: Recovery,
  verdict: 'happened' | 'none' | 'later' | 'hold',
  add: Add,
  setting: Setting,
  laterMs = 0,
): void {
  const { slot, generation, nonce, attempt, call } = recovery
  const next = copyOf(state)
  processOf(next, who).recovery = undefined
  const deed = { process: who, slot, generation, nonce, attempt, call }
  if (verdict === 'later') {
    const record = ledger.pendingOf(next, slot, generation, nonce)
    if (record !== undefined && !record.held) record.look = laterMs
    return add({ ...deed, does: 'postpone', value: laterMs, came: record === undefined ? 'gone' : 'later' }, next)
  }
  const pass = next.calls[call]?.passes ?? 1
  const end: ledger.End = {
    call,
    slot,
    generation,
    attempt,
    nonce,
    tries: 0,
    pass,
    again: false,
    amends: false,
    ...ends[verdict],
    asks: decisions.asks(verdict === 'hold'),
  }
  const { fit } = ledger.settle(next, end, setting)
  const says = `${end.status} ${end.effect}${end.held ? ' held' : ''}`
  add({ ...deed, does: 'conclude', pass, says, asks: end.asks, tries: 0, came: fit }, next)
}

const ends = {
  happened: { status: 'COMPLETED', effect: 'happened', held: false },
  none: { status: 'FAILED_RETRYABLE', effect: 'none', held: false },
  hold: { status: 'PENDING', effect: 'unknown', held: true },
} as const

function restart(state: State, who: number, recovery: Recovery, add: Add, setting: Setting): void {
  const { slot, generation, nonce, attempt, call } = recovery
  const next = copyOf(state)
  const process = processOf(next, who)
  const record = ledger.pendingOf(next, slot, generation, nonce)
  const deed = { does: 'restart', process: who, slot, generation, nonce, attempt, call }
  const withinMs = providerWindowMs - timeoutMs
  if (record === undefined || record.held || record.look <= 0 || record.created + withinMs <= 0) {
    process.recovery = undefined
    return add({ ...deed, came: 'too late' }, next)
  }
  const name = ++next.nonces
  record.nonce = name
  record.owner = setting.poolers === true ? unseenOwner : who
  record.lease = startMs
  record.look = restartLookMs(timeoutMs)
  const after = process.recovery as Recovery
  after.stage = 'running'
  after.run = {
    call,
    slot,
    generation,
    attempt,
    nonce: name,
    resent: true,
    stage: 'admitted',
    tries: 0,
    leaseAge: 0,
    doubted: !process.hasSession && setting.poolers !== true,
    startAge: 0,
    createdAge: 0,
    says: 'unknown',
    final: false,
    again: false,
  }
  add({ ...deed, next: name, came: 'restarted' }, next)
  if (leftOf(state, 'cut') === 0) return
  const lost = copyOf(next)
  spend(lost, 'cut')
  processOf(lost, who).recovery = undefined
  add({ ...deed, next: name, cut: true, came: 'answer lost' }, lost)
}

// --- sessions and processes

function loseSession(process: Process): void {
  process.hasSession = false
  for (const attempt of attemptsOf(process)) attempt.doubted = true
}

function sessionSteps(state: State, who: number, { poolers }: Setting, add: Add): void {
  if (poolers === true) return
  const process = processOf(state, who)
  if (!process.hasSession) {
    const next = copyOf(state)
    processOf(next, who).hasSession = true
    add({ does: 'regain', process: who, came: 'a session' }, next)
    return
  }
  if (leftOf(state, 'loss') > 0) {
    const next = copyOf(state)
    spend(next, 'loss')
    loseSession(processOf(next, who))
    add({ does: 'loss', process: who, came: 'of its session' }, next)
  }
  const attempt = process.pass?.attempt
  if (attempt === undefined || !(attempt.doubted || attempt.leaseAge > 0)) return
  const next = copyOf(state)
  const { slot, generation, nonce, call } = attempt
  const isRenewed = ledger.renew(next, slot, generation, nonce)
  if (isRenewed) {
    const after = attemptAt(next, who, 'pass')
    after.leaseAge = 0
    after.doubted = false
  }
  add({ does: 'renew', process: who, call, slot, generation, nonce, came: isRenewed ? 'renewed' : 'refused' }, next)
}

function processMishaps(state: State, who: number, add: Add): void {
  const isIdle = (process: Process) =>
    process.pass === undefined && process.recovery === undefined && process.late.length === 0
  const owns = state.slots.some((generations) => generations.some(({ owner }) => owner === who))
  if (leftOf(state, 'crash') > 0 && (owns || !isIdle(processOf(state, who)))) {
    const next = copyOf(state)
    spend(next, 'crash')
    for (const generations of next.slots)
      for (const record of generations) {
        if (record.owner === who) record.owner = deadOwner
        if (record.watcher === who) record.watcher = deadOwner
      }
    for (const flight of next.flights) {
      // What has not left by then never does.
      if (flight.by === who && flight.stalled && flight.state === 'away') flight.state = 'refused'
      if (flight.by === who) flight.by = nobody
    }
    next.processes[who] = newProcess()
    add({ does: 'crash', process: who, came: 'gone' }, next)
  }
  if (isIdle(processOf(state, who))) return
  for (const [mishap, life] of [
    ['sleep', 'asleep'],
    ['freeze', 'frozen'],
  ] as const) {
    if (leftOf(state, mishap) === 0) continue
    const next = copyOf(state)
    spend(next, mishap)
    processOf(next, who).life = life
    for (const flight of next.flights) if (flight.by === who && flight.state === 'away') flight.stalled = true
    add({ does: mishap, process: who, came: 'stands still' }, next)
  }
}

function wake(state: State, who: number, add: Add): void {
  const next = copyOf(state)
  processOf(next, who).life = 'up'
  add({ does: 'wake', process: who, came: 'goes on' }, next)
}

// --- the world

function worldSteps(state: State, setting: Setting, add: Add): void {
  for (const [at, flight] of state.flights.entries()) {
    if (flight.state !== 'away') continue
    const { slot, generation, nonce } = flight
    const isLate = flight.age >= tickMs
    const hasLeft = !flight.stalled || flight.by === nobody || state.processes[flight.by]?.life === 'up'
    if (!hasLeft) continue
    const deed = { slot, generation, nonce }
    const next = copyOf(state)
    const landed = next.flights[at] as Flight
    landed.state = 'landed'
    landed.stated = isLate
    landed.counts = true
    if (setting.tool === 'key') honour(next, landed)
    landed.stalled = false
    add(
      { ...deed, does: isLate ? 'stalled write' : 'land', came: landed.counts ? 'an effect' : 'taken for the first' },
      next,
    )
    const lost = copyOf(state)
    const gone = lost.flights[at] as Flight
    gone.state = 'refused'
    gone.stalled = false
    add({ ...deed, does: 'refuse', came: 'nothing done' }, lost)
  }
}

/** A provider that remembers the key takes the second request for the first. */
function honour(state: State, flight: Flight): void {
  const { slot, generation } = flight
  const key = state.keys.find((each) => each.slot === slot && each.generation === generation)
  if (key !== undefined && key.age < providerWindowMs) flight.counts = false
  else if (key !== undefined) key.age = 0
  else state.keys.push({ slot, generation, age: 0 })
}

// --- people and sagas

function peopleSteps(state: State, setting: Setting, add: Add): void {
  for (const mishap of ['word', 'mistake'] as const) {
    if (leftOf(state, mishap) === 0) continue
    const person = leftOf(state, 'word') + leftOf(state, 'mistake')
    for (const call of state.calls.keys()) {
      const isAsked = (state.asked & (unknownEffect(call) | duplicateEffect(call))) !== 0
      const record = ledger.recordOfCall(state, call, setting)
      if (!isAsked && record?.held !== true) continue
      const slot = ledger.slotOfCall(call, setting)
      const generation = record === undefined ? 0 : ledger.numberOf(state, slot, record)
      const own = state.flights.filter((flight) => flight.slot === slot && flight.generation === generation)
      const truth = own.some((flight) => flight.state === 'landed')
      // As long as something may still come, nobody knows that nothing was done.
      const mayCome = own.some((flight) => flight.state === 'away') || isAtWork(state, slot, generation)
      if (mishap === 'word' && !truth && mayCome) continue
      const next = copyOf(state)
      spend(next, mishap)
      const happened = mishap === 'word' ? truth : !truth
      if (mishap === 'mistake') next.mistaken |= generationBit(slot, generation)
      const came = ledger.resolve(next, { call, person, happened }, setting)
      add({ does: mishap, call, slot, generation, person, says: happened ? 'happened' : 'none', came }, next)
    }
  }
}

const isAtWork = (state: State, slot: number, generation: number): boolean =>
  state.processes.some((process) =>
    attemptsOf(process).some(
      (attempt) => attempt.slot === slot && attempt.generation === generation && attempt.stage !== 'ended',
    ),
  )

function sagaSteps(state: State, setting: Setting, add: Add): void {
  if (leftOf(state, 'undoing') > 0) {
    const next = copyOf(state)
    if (ledger.undo(next, 0)) {
      spend(next, 'undoing')
      for (const flight of next.flights) if (flight.slot === 0 && flight.generation === 1) flight.counts = false
      add({ does: 'undoing', slot: 0, generation: 1, came: 'undone' }, next)
    }
  }
  if (leftOf(state, 'closing') > 0) {
    const next = copyOf(state)
    spend(next, 'closing')
    const came = ledger.close(next, 0, 0)
    add({ does: 'closing', slot: 0, generation: 1, came }, next)
  }
  if (setting.expires !== true) return
  for (const [slot, generations] of state.slots.entries()) {
    for (const [index, record] of generations.entries()) {
      if (record.expires > 0) continue
      const next = copyOf(state)
      const after = (next.slots[slot] ?? [])[index] as typeof record
      const before = after.status
      ledger.expire(after)
      if (after.status !== before) add({ does: 'expire', slot, generation: index + 1, came: 'forgotten' }, next)
    }
  }
}

/** What people do with an approval, besides its use. */
function consentSteps(state: State, setting: Setting, add: Add): void {
  const { approval } = state
  if (approval === undefined) return
  ledger.listed(state, setting)
  const change = (does: string, came: string, work: (after: NonNullable<State['approval']>) => void) => {
    const next = copyOf(state)
    work(next.approval as NonNullable<State['approval']>)
    add({ does, came }, next)
  }
  const isOver = approval.expires <= 0 || approval.superseded || approval.verdict === 'rejected'
  if (setting.consent === 'grant' && approval.verdict === 'approved') {
    if (!approval.revoked && !isOver) change('revoke', 'revoked', (after) => void (after.revoked = true))
    return
  }
  if (isOver || approval.usedBy !== nobody) return
  change('reject', 'rejected', (after) => void (after.verdict = 'rejected'))
  if (approval.verdict !== 'pending') return
  change('approve', 'approved', (after) => void (after.verdict = 'approved'))
  change('replace', 'superseded', (after) => void (after.superseded = true))
}

// --- time

function timeSteps(state: State, setting: Setting, add: Add): void {
  const next = copyOf(state)
  ageLedger(next, setting)
  ageProcesses(next, setting)
  add({ does: 'tick', came: 'time passes' }, next)
  if (leftOf(state, 'step') === 0) return
  const stepped = copyOf(state)
  spend(stepped, 'step')
  ageLedger(stepped, setting)
  add({ does: 'step', came: 'the clock of the database goes on by itself' }, stepped)
}
