// The matrix: every public method, asked for every kind of thing of ann's by one who differs in tenant, user, agent or role. A cell is
// reached where the answer shows ann's mark or something of hers has changed, and refused where neither is so.
import { methods, type Reason } from './methods.ts'
import { type Dimension, makeWorld, mark, type ObjectKind, objectKinds, strangers, type World } from './world.ts'

export interface Cell {
  readonly method: string
  readonly object: ObjectKind
  readonly dimension: Dimension
  readonly outcome: 'refused' | 'reached' | 'not asked'
  /** Why it may be reached. */
  readonly shared: Reason | undefined
}

export interface AccessFigures {
  readonly methods: number
  readonly cells: number
  readonly refused: number
  /** Reached, or asked by no caller, and declared so. */
  readonly shared: number
  /** Reached, and declared by none. */
  readonly missed: number
  /** Declared as shared, and reached in no cell. */
  readonly idle: readonly string[]
}

/** The methods that there are, as they can be called: held against the table. */
export function methodsOf({ proviso, saga }: World): readonly string[] {
  const found = (value: object, at: string): readonly string[] =>
    Object.entries(value).flatMap(([key, member]: [string, unknown]) => {
      if (typeof member === 'function') return [`${at}${key}`]
      return typeof member === 'object' && member !== null ? found(member, `${at}${key}.`) : []
    })
  return [...found(proviso, ''), ...found(saga, 'saga().'), 'surface().format'].sort()
}

export async function playMatrix(): Promise<readonly Cell[]> {
  const cells: Cell[] = []
  const callers = await strangers()
  for (const [method, { ask, shared, sharedOf }] of Object.entries(methods)) {
    for (const caller of callers) {
      const { dimension } = caller
      let world = ask === undefined ? undefined : await makeWorld()
      for (const object of objectKinds) {
        const cell = { method, dimension, object, shared: shared[dimension] ?? sharedOf?.[object]?.[dimension] }
        if (ask === undefined || world === undefined) {
          cells.push({ ...cell, outcome: 'not asked' })
          continue
        }
        const before = await world.state()
        const shown = await textOf(() => ask(world as World, caller, (world as World).ids[object]))
        const changed = (await world.state()) !== before
        cells.push({ ...cell, outcome: shown.includes(mark) || changed ? 'reached' : 'refused' })
        if (changed) {
          await world.proviso.close()
          world = await makeWorld()
        }
      }
      await world?.proviso.close()
    }
  }
  return cells
}

async function textOf(ask: () => unknown): Promise<string> {
  try {
    return JSON.stringify(await ask(), readable) ?? ''
  } catch (error) {
    return JSON.stringify([String(error), error], readable)
  }
}

const readable = (_: string, value: unknown): unknown =>
  value instanceof Map || value instanceof Set ? [...value] : typeof value === 'function' ? undefined : value

export function figuresOf(cells: readonly Cell[]): AccessFigures {
  const of = (outcome: Cell['outcome']) => cells.filter((cell) => cell.outcome === outcome)
  const reached = [...of('reached'), ...of('not asked')]
  const idle = Object.entries(methods).flatMap(([method, { shared }]) =>
    Object.keys(shared)
      .filter((dimension) => !reached.some((cell) => cell.method === method && cell.dimension === dimension))
      .map((dimension) => `${method} ${dimension}`),
  )
  return {
    methods: Object.keys(methods).length,
    cells: cells.length,
    refused: of('refused').length,
    shared: reached.filter(({ shared }) => shared !== undefined).length,
    missed: missedIn(cells).length,
    idle,
  }
}

export const missedIn = (cells: readonly Cell[]): readonly Cell[] =>
  cells.filter(({ outcome, shared }) => outcome !== 'refused' && shared === undefined)
