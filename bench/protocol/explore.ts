// Every state that can be reached, each once, breadth first: so the first history that is found to a state is a shortest one.
import { watchingRows } from '../../src/ledger/rules/table.ts'
import { textOf, tidy } from './canonical.ts'
import { type Deed, isHelpful, type Step } from './deed.ts'
import { isAtRest, violationOf } from './invariants.ts'
import type { Setting } from './setting.ts'
import { firstState, type State } from './state.ts'
import { stepsFrom } from './steps.ts'

export interface Violation {
  readonly what: string
  readonly history: readonly Deed[]
}

export interface Exploration {
  readonly setting: string
  readonly states: number
  readonly transitions: number
  readonly depth: number
  readonly seconds: number
  /** States that were found and not looked at: 0 where all was explored. */
  readonly frontier: number
  readonly violations: readonly Violation[]
  /** States in which an effect was made that no promise covers: the stated window. */
  readonly stated: number
  /** How often each row of the rules decided. */
  readonly rows: ReadonlyMap<string, number>
  /** How often each kind of step was taken, and a state before its first. */
  readonly kinds: ReadonlyMap<string, number>
  /** The shortest history to a state by its number. */
  stepsTo(state: number): readonly Step[]
  /** A state after which each kind of step was seen first. */
  readonly firstOf: ReadonlyMap<string, number>
}

export interface Bounds {
  readonly maxStates: number
  readonly maxViolations: number
  onProgress?(states: number, frontier: number): void
}

export function explore(setting: Setting, bounds: Bounds): Exploration {
  const rows = new Map<string, number>()
  const watch = (rule: string, row: string) => {
    const name = `${rule}.${row}`
    rows.set(name, (rows.get(name) ?? 0) + 1)
  }
  return watchingRows(watch, () => search(setting, bounds, rows))
}

/** A list of whole numbers that grows. */
function createNumbers() {
  let list = new Int32Array(1 << 16)
  let length = 0
  return {
    push(value: number) {
      if (length === list.length) {
        const longer = new Int32Array(list.length * 2)
        longer.set(list)
        list = longer
      }
      list[length++] = value
    },
    at: (index: number) => list[index] ?? -1,
    get length() {
      return length
    },
  }
}

function search(setting: Setting, bounds: Bounds, rows: ReadonlyMap<string, number>): Exploration {
  const began = performance.now()
  const numbers = new Map<string, number>()
  const parents = createNumbers()
  // Steps that need no mishap and no person, backwards: from where all is at rest they lead to all that can come to rest.
  const helpfulFrom = createNumbers()
  const helpfulTo = createNumbers()
  const resting: number[] = []
  const kinds = new Map<string, number>()
  const firstOf = new Map<string, number>()
  const found: { state: number; what: string }[] = []
  let stated = 0
  let transitions = 0
  let depth = 0

  const enter = (state: State, parent: number): boolean => {
    const text = textOf(state, setting)
    const known = numbers.get(text)
    if (known !== undefined) {
      entered = known
      return false
    }
    entered = numbers.size
    numbers.set(text, entered)
    parents.push(parent)
    const what = violationOf(state, setting)
    if (what !== undefined) found.push({ state: entered, what })
    if (isAtRest(state)) resting.push(entered)
    if (state.flights.some((flight) => flight.stated)) stated++
    return what === undefined
  }
  let entered = 0

  let layer: { state: State; number: number }[] = []
  const first = tidy(firstState(setting))
  enter(first, -1)
  layer.push({ state: first, number: 0 })
  let left = 0
  while (layer.length > 0) {
    const following: typeof layer = []
    for (const [place, { state, number }] of layer.entries()) {
      if (numbers.size >= bounds.maxStates || found.length >= bounds.maxViolations) {
        left = layer.length - place + following.length
        break
      }
      for (const { deed, next } of stepsFrom(state, setting)) {
        tidy(next)
        const isNew = enter(next, number)
        // Time that changes nothing is no step.
        if (entered === number) continue
        transitions++
        if (isHelpful(deed)) {
          helpfulFrom.push(number)
          helpfulTo.push(entered)
        }
        const kind = kindOf(deed)
        const times = kinds.get(kind)
        if (times === undefined) firstOf.set(kind, number)
        kinds.set(kind, (times ?? 0) + 1)
        if (isNew) following.push({ state: next, number: entered })
      }
    }
    if (left > 0) break
    depth++
    layer = following
    bounds.onProgress?.(numbers.size, layer.length)
  }

  const stuck =
    left > 0
      ? undefined
      : firstStuck({
          states: numbers.size,
          resting,
          from: helpfulFrom,
          to: helpfulTo,
          dead: new Set(found.map(({ state }) => state)),
        })
  if (stuck !== undefined) found.push({ state: stuck, what: 'stuck: it never comes to rest, and no person is asked' })
  let texts: readonly string[] | undefined
  const stepsTo = (number: number) => historyOf(setting, chainOf(parents, number))
  return {
    setting: setting.name,
    states: numbers.size,
    transitions,
    depth,
    seconds: (performance.now() - began) / 1_000,
    frontier: left,
    violations: found
      .slice(0, bounds.maxViolations)
      .map(({ state, what }) => ({ what, history: stepsTo(state).map(({ deed }) => deed) })),
    stated,
    rows,
    kinds,
    firstOf,
    stepsTo,
  }

  function chainOf(list: typeof parents, number: number): readonly string[] {
    texts ??= [...numbers.keys()]
    const chain: string[] = []
    for (let each = number; each >= 0; each = list.at(each)) chain.unshift(texts[each] ?? '')
    return chain
  }
}

export const kindOf = ({ does, came }: Deed): string => `${does}: ${came}`

interface Reached {
  readonly states: number
  readonly resting: readonly number[]
  /** Steps that need no mishap, by the numbers of the states. */
  readonly from: ReturnType<typeof createNumbers>
  readonly to: ReturnType<typeof createNumbers>
  /** States in which something is wrong already. */
  readonly dead: ReadonlySet<number>
}

/** The first state, in the order they were found, from which no steps without mishaps lead to rest. */
function firstStuck({ states, resting, from, to, dead }: Reached): number | undefined {
  const heads = new Int32Array(states).fill(-1)
  const nexts = new Int32Array(from.length)
  for (let edge = 0; edge < from.length; edge++) {
    const target = to.at(edge)
    nexts[edge] = heads[target] ?? -1
    heads[target] = edge
  }
  const comesToRest = new Uint8Array(states)
  const queue = [...resting]
  for (const each of queue) comesToRest[each] = 1
  for (let place = 0; place < queue.length; place++) {
    for (let edge = heads[queue[place] ?? 0] ?? -1; edge >= 0; edge = nexts[edge] ?? -1) {
      const before = from.at(edge)
      if (comesToRest[before] === 1) continue
      comesToRest[before] = 1
      queue.push(before)
    }
  }
  for (let state = 0; state < states; state++) if (comesToRest[state] === 0 && !dead.has(state)) return state
  return undefined
}

/** The states on the way, as they follow from each other: a real history, in which each process and each attempt keeps its name. */
function historyOf(setting: Setting, texts: readonly string[]): readonly Step[] {
  const history: Step[] = []
  let state = tidy(firstState(setting))
  for (const text of texts.slice(1)) {
    const step = stepsFrom(state, setting).find(({ next }) => textOf(tidy(next), setting) === text)
    if (step === undefined) throw new Error('A state on the way cannot be reached from the one before it.')
    history.push(step)
    state = step.next
  }
  return history
}
