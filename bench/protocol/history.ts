// Whether a history that was recorded of real processes is a path of the model. What was recorded are uses of the ledger, each from when it
// was asked to when it was answered; what happens between and beside them (executors, the world, time) is the model's to find.
import { consequences, type Fit } from '../../src/ledger/rules/settle.ts'
import { placedTextOf, tidy } from './canonical.ts'
import type { Deed } from './deed.ts'
import type { Setting } from './setting.ts'
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

/** A step that the history says nothing of costs one; each moment that is still ahead counts as so many. */
const momentCost = 4

/** Looks for one path, the most promising place first; without one, all places that can be reached have been looked at. */
export function judgeHistory(history: History, maxPlaces: number): Judged {
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
      enter({ ...place, at: at + 1 })
      continue
    }
    for (const next of answered(place, moment.use, uses[moment.use] as Use)) enter({ ...next, at: at + 1 })
    for (const next of following(place, { setting, uses, open: ahead[at]?.open ?? [], ahead: ahead[at] as Ahead }))
      enter({ ...next, state: tidy(next.state), at, steps: place.steps + 1 })
  }
}

/** What a process still asks from a moment on. */
interface Ahead {
  /** Processes that have asked something by now. */
  readonly begun: ReadonlySet<number>
  /** Processes that ask again. */
  readonly going: ReadonlySet<number>
  /** Which calls a process has under way or will have, as `process call`. */
  readonly calls: ReadonlySet<string>
  /** Uses that were asked, and not answered before. */
  readonly open: readonly number[]
}

function aheadOf({ uses, moments }: History): readonly Ahead[] {
  const first = new Map<number, number>()
  const last = new Map<number, number>()
  const lastOfCall = new Map<string, number>()
  for (const [at, { use: number }] of moments.entries()) {
    const { process, call } = uses[number] as Use
    if (!first.has(process)) first.set(process, at)
    last.set(process, at)
    if (call !== undefined) lastOfCall.set(`${process} ${call}`, at)
  }
  const whereFrom = <T>(map: ReadonlyMap<T, number>, at: number): Set<T> =>
    new Set([...map].filter(([, each]) => each >= at).map(([name]) => name))
  const isBefore = (what: Moment['at'], use: number, at: number) =>
    moments.some((each, index) => index < at && each.at === what && each.use === use)
  return moments.map((_, at) => ({
    open: [...uses.keys()].filter((use) => isBefore('asked', use, at) && !isBefore('answered', use, at)),
    begun: new Set([...first].filter(([, each]) => each <= at).map(([process]) => process)),
    going: whereFrom(last, at),
    calls: whereFrom(lastOfCall, at),
  }))
}

interface Search {
  readonly setting: Setting
  readonly uses: readonly Use[]
  readonly open: readonly number[]
  readonly ahead: Ahead
}

type Reached = Pick<Place, 'state' | 'done'>

function* following({ state, done }: Place, { setting, uses, open, ahead }: Search): Iterable<Reached> {
  const undone = open.filter((number) => !done.has(number))
  for (const number of undone) {
    if (isSeen(state, uses[number] as Use)) yield { state, done: new Set([...done, number]) }
  }
  for (const { deed, next } of stepsFrom(state, setting)) {
    const { process } = deed
    if (process !== undefined && !ahead.begun.has(process)) continue
    const shown = useOf(deed)
    if (shown === undefined) {
      const isProposed = undone.some((number) => uses[number]?.call === deed.call && uses[number]?.process === process)
      if (mayBeUnseen(deed, ahead) || (deed.does === 'propose' && isProposed)) yield { state: next, done }
      // A commit whose connection is lost is rolled back, which the process finds out and is answered.
      if (isRolledBack(deed))
        for (const number of undone)
          if (fits(uses[number] as Use, { ...deed, does: 'commit', says: 'happened', came: 'late' }))
            yield { state: next, done: new Set([...done, number]) }
      continue
    }
    for (const number of undone) {
      const use = uses[number] as Use
      if (use.use !== shown || !fits(use, deed)) continue
      // Asked again by the ledger itself, which has not answered yet.
      if (deed.cut === true && !deed.came.endsWith('given up')) yield { state: next, done }
      if (deed.cut !== true || use.came === undefined) yield { state: next, done: new Set([...done, number]) }
    }
  }
}

const isRolledBack = ({ does, came }: Deed): boolean => does === 'fail' && came === 'rolled back'

/** What is not recorded: a process dies where it asks nothing more, and proposes what it then asks for. */
function mayBeUnseen({ does, process, call }: Deed, { going, calls }: Ahead): boolean {
  if (does === 'crash') return !going.has(process ?? 0)
  if (does === 'propose') return calls.has(`${process} ${call}`)
  return true
}

const usesOf: Readonly<Record<string, Use['use']>> = {
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
}

/** Looks of a process at what is its own give it nothing; they are left out of what is recorded. */
const useOf = ({ does, came }: Deed): Use['use'] | undefined =>
  does === 'claim' ? (came === 'its own' ? undefined : 'claim') : usesOf[does]

function fits(use: Use, deed: Deed): boolean {
  if (use.use !== 'resolve' && use.process !== deed.process) return false
  for (const name of ['call', 'generation', 'attempt', 'unseen'] as const)
    if (use[name] !== undefined && deed[name] !== undefined && use[name] !== deed[name]) return false
  if (use.says !== undefined && deed.says !== undefined && !sameWord(use.says, deed)) return false
  return use.came === undefined ? true : deed.cut === true || answerTo(deed) === use.came
}

const sameWord = (says: string, { does, says: said }: Deed): boolean =>
  does === 'fence' || says === (does === 'commit' ? `COMPLETED ${said}` : said)

/** What the port answers to it. */
function answerTo(deed: Deed): string | undefined {
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
function isSeen(state: State, { use, call = 0, generation = 0, attempt, says, came }: Use): boolean {
  const records = state.slots[0] ?? []
  const record = records[generation - 1]
  if (use === 'read') {
    if (came === undefined) return true
    if (came === 'absent') return records.length === 0
    return record !== undefined && record.attempt === attempt && saysOf(record) === says
  }
  return use === 'answer from the record' && record !== undefined && (record.seen & (1 << call)) !== 0
}

const saysOf = ({ status, effect, held }: Generation): string => `${status} ${effect}${held ? ' held' : ''}`

/** From now on it is behind, or its answer is known to be lost: then the process may have given up what it was for. */
function answered(place: Place, number: number, { came, process }: Use): readonly Place[] {
  const { state, done } = place
  const without = new Set([...done].filter((each) => each !== number))
  if (came !== undefined) return done.has(number) ? [{ ...place, done: without }] : []
  const left = copyOf(state)
  Object.assign(processOf(left, process), { pass: undefined, recovery: undefined })
  return [
    { ...place, done: without },
    { ...place, state: tidy(left), done: without },
  ]
}
