// What a function of the host may do: return or throw anything, at once or later, as a promise, as a generator, or never.

import { fn } from '../../src/execute/executors/fn.ts'
import { partialResult, ToolError } from '../../src/index.ts'
import type { Deed, EffectCase, EffectRow, EffectTable } from './effect-table.ts'
import { doubtfulErrors, type NamedValue, strangeResults, strangeThings } from './hostile-values.ts'

/** How a function comes to its end. */
interface Way {
  readonly name: string
  end(finish: () => unknown, deed: () => void): unknown
}

const ways: readonly Way[] = [
  {
    name: 'at once',
    end(finish, deed) {
      deed()
      return finish()
    },
  },
  {
    name: 'later',
    async end(finish, deed) {
      deed()
      await new Promise((resolve) => setImmediate(resolve))
      return finish()
    },
  },
  {
    name: 'as something to be waited for',
    end: (finish, deed) =>
      thenable((resolve, reject) => {
        deed()
        try {
          resolve(finish())
        } catch (error) {
          reject(error)
        }
      }),
  },
  {
    name: 'as a generator',
    *end(finish, deed) {
      yield 'begun'
      deed()
      yield 'done'
      return finish()
    },
  },
]

export const fnTable: EffectTable = {
  executor: 'fn',
  async open() {
    let does: Deed = 'left'
    let seen = 0
    const deed = () => {
      if (does === 'done') seen++
    }
    const caseOf = (name: string, way: Way, finish: () => unknown, timeoutMs: 300 | 5_000 = 5_000): EffectCase => ({
      name: `${name}, ${way.name}`,
      executor: fn(() => way.end(finish, deed)),
      timeoutMs,
      arrange(next) {
        does = next
        seen = 0
      },
    })
    return { ports: [], rows: rowsOf(caseOf), seen: () => seen, close: () => undefined }
  },
}

function rowsOf(
  caseOf: (name: string, way: Way, finish: () => unknown, timeoutMs?: 300) => EffectCase,
): readonly EffectRow[] {
  const throws = (values: readonly NamedValue[]) =>
    values.flatMap(({ name, make }) =>
      ways.map((way) =>
        caseOf(name, way, () => {
          throw make()
        }),
      ),
    )
  const says = (effect: 'none' | 'happened'): readonly NamedValue[] =>
    ([undefined, 'RATE_LIMITED', 'DEPENDENCY_UNAVAILABLE', 'TIMEOUT', 'STALE_STATE'] as const).map((taxonomyClass) => ({
      name: `a ToolError that says ${effect}, ${taxonomyClass}`,
      make: () => new ToolError('told', 'Told.', { effect, class: taxonomyClass }),
    }))
  // A promise of a promise is one, and a thing that cannot be asked whether it is one is thrown by the asking.
  const readable = strangeResults.filter(({ name }) => !/proxy that throws|revoked/.test(name))
  const unreadable = strangeResults.filter((one) => !readable.includes(one))
  return [
    {
      came: 'a return, of anything',
      effect: 'happened',
      because: 'the function has come to its end',
      cases: () => [
        ...readable.flatMap(({ name, make }) => ways.map((way) => caseOf(name, way, make))),
        ...ways.map((way) =>
          caseOf('work done in part', way, () => partialResult({ completed: ['a'], failed: ['b'], value: {} })),
        ),
      ],
    },
    {
      came: 'a return of what cannot be asked whether it is to be waited for',
      effect: 'any',
      cases: () => unreadable.flatMap(({ name, make }) => ways.map((way) => caseOf(name, way, make))),
    },
    {
      came: 'a ToolError that says none',
      effect: 'none',
      because: 'the author of the function',
      cases: () => throws(says('none')),
    },
    {
      came: 'a ToolError that says happened',
      effect: 'happened',
      because: 'the author of the function',
      cases: () => throws(says('happened')),
    },
    { came: 'any other throw', effect: 'unknown', cases: () => throws(strangeThings) },
    {
      came: 'a ToolError that does not say, or cannot be read',
      effect: 'unknown',
      cases: () => throws(doubtfulErrors),
    },
    {
      came: 'no end within the time of the call',
      effect: 'unknown',
      cases: () => ways.map((way) => caseOf('for ever', way, () => new Promise(() => undefined), 300)),
    },
  ]
}

/** Not a promise, but awaited like one. */
const thenable = (then: (resolve: (value: unknown) => void, reject: (error: unknown) => void) => void): unknown =>
  Object.fromEntries([['then', then]])
