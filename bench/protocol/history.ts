// Whether a history that was recorded of real processes is a path of the model. What was recorded are uses of the ledger, each from when it
// was asked to when it was answered; what happens between and beside them (executors, the world, time) is the model's to find.
import { consequences, type Fit } from '../../src/ledger/rules/settle.ts'
import { placedTextOf, tidy } from './canonical.ts'
import type { Deed, DeedName } from './deed.ts'
import { resolve } from './ledger/words.ts'
import { isReadable, type Setting } from './setting.ts'
import { copyOf, firstState, type Generation, processOf, type State } from './state.ts'
import { stepsFrom } from './steps.ts'

/** One use of the ledger by one process. */
export interface Use {
  readonly use:
    | 'read'
    | 'answer from the record'
    | 'turn away'
    | 'admit'
    | 'end'
    | 'claim'
    | 'fence'
    | 'restart'
    | 'postpone'
    | 'resolve'
    | 'close'
    | 'undo'
  readonly process: number
  readonly call?: number
  readonly generation?: number
  readonly attempt?: number
  readonly unseen?: boolean
  /** Of a record or an end: its status, its effect, and whether it is held. */
  readonly says?: string
  /** Undefined: it may have been done or not, because the answer was lost or the process died. */
  readonly came?: string
}

/** In the order in which it was written down. */
export type Moment = { readonly at: 'asked' | 'answered'; readonly use: number }

export interface History {
  readonly setting: Setting
  readonly uses: readonly Use[]
  readonly moments: readonly Moment[]
}

export type Judged =
  | { readonly kind: 'path'; readonly places: number }
  /** Up to this use the model can follow; none of its states has what was answered here. */
  | { readonly kind: 'no path'; readonly at: number; readonly use: Use; readonly places: number }
  | { readonly kind: 'too large'; readonly at: number }

/** A state of the model within the history. */
interface Place {
  readonly state: State
  /** How many moments are behind. */
  readonly at: number
  /** Uses that were asked and are done in this state. */
  readonly done: ReadonlySet<number>
  /** Steps since the last moment, of which the history says nothing. */
  readonly steps: number
}

/**
 * A step that the history says nothing of costs one; each moment that is still ahead counts as so many. Where one number does not lead to
 * an end within the bound, the next may.
 */
const momentCosts = [2, 8]

/** Looks for one path; without one, all places that can be reached have been looked at. */
export function judgeHistory(history: History, maxPlaces: number): Judged {
  let judged: Judged = { kind: 'too large', at: 0 }
  for (const momentCost of momentCosts) {
    judged = search(history, maxPlaces, momentCost)
    if (judged.kind !== 'too large') break
  }
  return judged
}

/** The most promising place first. */
function search(history: History, maxPlaces: number, momentCost: number): Judged {
  const { setting, uses, moments } = history
  const ahead = aheadOf(history)
  const known = new Set<string>()
  const waiting: Place[][] = []
  let furthest = 0
  const enter = (place: Place) => {
    const { state, at, done, steps } = place
    const text = `${at}|${[...done].sort().join()}|${placedTextOf(state, setting)}`
    if (known.has(text)) return
    known.add(text)
    const cost = steps + momentCost * (moments.length - at)
    const equal = waiting[cost]
    if (equal === undefined) waiting[cost] = [place]
    else equal.push(place)
  }
  enter({ state: tidy(firstState(setting)), at: 0, done: new Set(), steps: 0 })
  for (;;) {
    const place = waiting.find((each) => each !== undefined && each.length > 0)?.pop()
    if (place === undefined) {
      const use = uses[moments[furthest]?.use ?? 0] as Use
      return { kind: 'no path', at: furthest, use, places: known.size }
    }
    const { at } = place
    if (at === moments.length) return { kind: 'path', places: known.size }
    if (known.size > maxPlaces) return { kind: 'too large', at: furthest }
    furthest = Math.max(furthest, at)
    const moment = moments[at] as Moment
    if (moment.at === 'asked') {
      const states = begun(place, uses[moment.use] as Use, history)
      for (const state of states) enter({ ...place, state, at: at + 1 })
      // What is done before may as well be done after it was asked, unless a process has begun meanwhile.
      if (states.length === 1) continue
    } else for (const next of answered(place, moment.use, uses[moment.use] as Use)) enter({ ...next, at: at + 1 })
    for (const next of following(place, { setting, uses, open: ahead[at]?.open ?? [], ahead: ahead[at] as Ahead }))
      enter({ ...next, state: tidy(next.state), at, steps: place.steps + 1 })
  }
}

/** A process that asks for the first time has just begun, or runs for as long as it matters. */
function begun({ state, at }: Place, { process }: Use, { setting, uses, moments }: History): readonly State[] {
  const isFirst = !moments.slice(0, at).some(({ use }) => uses[use]?.process === process)
  if (process < 0 || !isFirst || !isReadable(setting)) return [state]
  const young = copyOf(state)
  processOf(young, process).age = 0
  return [state, young]
}

/** What a process still asks from a moment on. */
interface Ahead {
  /** Processes that have asked something by now. */
  readonly begun: ReadonlySet<number>
  /** Processes that ask again. */
  readonly going: ReadonlySet<number>
  /** Processes that have asked what is not answered before. */
  readonly asking: ReadonlySet<number>
  /** Uses that were asked, and not answered before. */
  readonly open: readonly number[]
}

function aheadOf({ uses, moments }: History): readonly Ahead[] {
  const first = new Map<number, number>()
  const last = new Map<number, number>()
  for (const [at, { use: number }] of moments.entries()) {
    const { process } = uses[number] as Use
    if (!first.has(process)) first.set(process, at)
    last.set(process, at)
  }
  const whereFrom = <T>(map: ReadonlyMap<T, number>, at: number): Set<T> =>
    new Set([...map].filter(([, each]) => each >= at).map(([name]) => name))
  const isBefore = (what: Moment['at'], use: number, at: number) =>
    moments.some((each, index) => index < at && each.at === what && each.use === use)
  return moments.map((_, at) => {
    const open = [...uses.keys()].filter((use) => isBefore('asked', use, at) && !isBefore('answered', use, at))
    return {
      open,
      asking: new Set(open.map((use) => (uses[use] as Use).process)),
      begun: new Set([...first].filter(([, each]) => each <= at).map(([process]) => process)),
      going: whereFrom(last, at),
    }
  })
}

interface Search {
  readonly setting: Setting
  readonly uses: readonly Use[]
  readonly open: readonly number[]
  readonly ahead: Ahead
}

/** What the deeds that are recorded have to say, and others may. */
interface Told {
  readonly does: DeedName
  readonly came: string
  readonly process?: number
  readonly call?: number
  readonly generation?: number
  readonly attempt?: number
  readonly unseen?: boolean
  readonly says?: string
  readonly cut?: boolean
}

type Reached = Pick<Place, 'state' | 'done'>

function* following({ state, done }: Place, { setting, uses, open, ahead }: Search): Iterable<Reached> {
  const undone = open.filter((number) => !done.has(number))
  for (const number of undone) {
    if (isSeen(state, uses[number] as Use, setting)) yield { state, done: new Set([...done, number]) }
  }
  for (const { deed, next } of stepsFrom(state, setting, (who) => hasPart(state, who, ahead))) {
    const told: Told = deed
    const shown = useOf(deed)
    if (shown === undefined) {
      if (mayBeUnseen(told, ahead) && isAsked(told, undone, uses)) yield { state: next, done }
      // A commit whose connection is lost is rolled back, which the process finds out and is answered.
      if (isRolledBack(deed))
        for (const number of undone)
          if (fits(uses[number] as Use, { ...told, does: 'commit', says: 'happened', came: 'late' }))
            yield { state: next, done: new Set([...done, number]) }
      continue
    }
    for (const number of undone) {
      const use = uses[number] as Use
      if (use.use !== shown || !fits(use, told)) continue
      if (shown === 'read') {
        if (use.call !== undefined && isSeen(state, use, setting))
          yield { state: next, done: new Set([...done, number]) }
        continue
      }
      // Asked again by the ledger itself, which has not answered yet.
      if (told.cut === true && deed.does !== 'commit' && !deed.came.endsWith('given up')) yield { state: next, done }
      if (told.cut !== true || use.came === undefined) yield { state: next, done: new Set([...done, number]) }
    }
  }
}

/** One that asks nothing any more, and has nothing in hand, does nothing that shows. */
function hasPart(state: State, who: number, { begun, going, asking }: Ahead): boolean {
  if (!begun.has(who)) return false
  const { pass, recovery, late } = processOf(state, who)
  if (going.has(who) || asking.has(who) || pass !== undefined || recovery !== undefined || late.length > 0) return true
  return state.slots.some((generations) => generations.some(({ owner }) => owner === who))
}

const isRolledBack = ({ does, came }: Deed): boolean => does === 'fail' && came.startsWith('rolled back')

/** What is not recorded: a process dies only where it asks nothing more. */
const mayBeUnseen = ({ does, process }: Told, { going }: Ahead): boolean => does !== 'crash' || !going.has(process ?? 0)

/** A call is proposed where it is looked up or, taken for new, admitted. */
const isAsked = ({ does, came, process, call }: Told, undone: readonly number[], uses: readonly Use[]): boolean =>
  does !== 'propose' ||
  undone.some((number) => {
    const use = uses[number] as Use
    return use.process === process && use.call === call && use.use === (came === 'taken for new' ? 'admit' : 'read')
  })

const usesOf: Partial<Readonly<Record<DeedName, Use['use']>>> = {
  'look up': 'read',
  'turn away': 'turn away',
  admit: 'admit',
  settle: 'end',
  'give up': 'end',
  'end late': 'end',
  commit: 'end',
  conclude: 'end',
  fence: 'fence',
  restart: 'restart',
  postpone: 'postpone',
  word: 'resolve',
  mistake: 'resolve',
  closing: 'close',
  undoing: 'undo',
}

/** Looks of a process at what is its own give it nothing; they are left out of what is recorded. */
const useOf = ({ does, came }: Deed): Use['use'] | undefined =>
  does === 'claim' ? (came === 'its own' ? undefined : 'claim') : usesOf[does]

function fits(use: Use, deed: Told): boolean {
  // What people and sagas do is no process's in the model.
  if (deed.process !== undefined && use.process !== deed.process) return false
  for (const name of ['call', 'generation', 'attempt', 'unseen'] as const)
    if (use[name] !== undefined && deed[name] !== undefined && use[name] !== deed[name]) return false
  if (use.use === 'read') return true
  if (use.says !== undefined && deed.says !== undefined && !sameWord(use.says, deed)) return false
  return use.came === undefined ? true : deed.cut === true || answerTo(deed) === use.came
}

const sameWord = (says: string, { does, says: said }: Told): boolean =>
  does === 'fence' || says === (does === 'commit' ? `COMPLETED ${said}` : said)

/** What the port answers to it. */
function answerTo(deed: Told): string | undefined {
  const { does, came } = deed
  switch (does) {
    case 'admit':
      if (came.startsWith('slot') || came === 'stale') return 'slot'
      return came === 'known' || came === 'approval' || came === 'grant' ? came : 'admitted'
    case 'settle':
    case 'end late':
    case 'conclude':
      return consequences[came as Fit].answer
    case 'commit': {
      const { commits, answer } = consequences[came as Fit]
      return commits ? answer : 'late'
    }
    case 'give up':
      return undefined
    case 'turn away':
      return 'settled'
    case 'claim':
      return 'given'
    case 'postpone':
      return 'later'
    default:
      return came
  }
}

/** What was only read is true of the state at some moment between. */
function isSeen(state: State, { use, call = 0, generation = 0, attempt, says, came }: Use, setting: Setting): boolean {
  const records = state.slots[0] ?? []
  const record = records[generation - 1]
  if (use === 'read') {
    if (came === undefined) return true
    if (came === 'absent') return records.length === 0
    return record !== undefined && record.attempt === attempt && saysOf(record) === says
  }
  // Where nothing is asked, it does not matter what a person says of it, nor whether it is true.
  if (use === 'resolve' && came === 'not_held')
    return resolve(copyOf(state), { call, person: 0, happened: true }, setting) === came
  // Of another owner's saga nothing is written, and what has no effect is not undone.
  if (use === 'close') return came === 'not its own'
  if (use === 'undo') return came !== 'undone' || records[0]?.status !== 'COMPLETED'
  return use === 'answer from the record' && record !== undefined && (record.seen & (1 << call)) !== 0
}

const saysOf = ({ status, effect, held }: Generation): string => `${status} ${effect}${held ? ' held' : ''}`

/** From now on it is behind, or its answer is known to be lost: then the process may have given up what it was for. */
function answered(place: Place, number: number, { came, process }: Use): readonly Place[] {
  const { state, done } = place
  const without = new Set([...done].filter((each) => each !== number))
  if (came !== undefined) return done.has(number) ? [{ ...place, done: without }] : []
  if (process < 0) return [{ ...place, done: without }]
  const left = copyOf(state)
  Object.assign(processOf(left, process), { pass: undefined, recovery: undefined })
  return [
    { ...place, done: without },
    { ...place, state: tidy(left), done: without },
  ]
}
