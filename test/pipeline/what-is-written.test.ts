// The table of what is written at the end of a pass, held against passes that really end so: each writes what its row names and nothing
// else, and together they fill every cell of the table.
import { afterAll, describe, expect, it } from 'vitest'
import { type Hook, type Proviso, partialResult, ToolError } from '../../src/index.ts'
import { memory } from '../../src/ledger/index.ts'
import type { PassEntry } from '../../src/ledger/ports/operations.ts'
import { written } from '../../src/pipeline/record/record-pass.ts'
import { approveAs } from '../people.ts'
import { type CountedTool, context, counted, open, order } from './bench-desk.ts'

type Row = keyof typeof written

/** In the entry of every pass. */
const always: ReadonlySet<string> = new Set(['id', 'call', 'facts', 'findAgain'])
const partsOf = (entry: PassEntry) => Object.keys(entry).filter((name) => !always.has(name))

interface HeldTool extends CountedTool {
  /** Lets it come to its end, where it waits for that. */
  readonly release?: () => void
}

interface Ending {
  readonly row: Row
  readonly parts: readonly string[]
  readonly tool: () => HeldTool
  /** The entry meant is the last of them, unless `nth` says which. */
  readonly calls: (proviso: Proviso, tool: HeldTool) => Promise<unknown>
  readonly nth?: number
  readonly hooks?: readonly Hook[]
}

const once = (proviso: Proviso) => proviso.call(order('c1'), context)
const twice = async (proviso: Proviso) => {
  await once(proviso)
  await once(proviso)
}
const readBack = (status: 'verified' | 'failed' | 'absent', more = {}) =>
  counted('MEDIUM_RISK_WRITE', {
    compensation: 'order_v1',
    verify: () => ({ status, ...(status === 'verified' ? {} : { message: 'It is not there.' }) }) as never,
    ...more,
  })

const endings: Readonly<Record<string, Ending>> = {
  'a change that happened': {
    row: 'settles',
    parts: ['settle'],
    tool: () => counted('LOW_RISK_INTERNAL'),
    calls: once,
  },
  'a change whose effect is read back next': {
    row: 'settles',
    parts: ['settle', 'verify'],
    tool: () => readBack('verified'),
    calls: once,
    nth: 0,
  },
  'a change that was done in part and is read back later': {
    row: 'settles',
    parts: ['settle', 'verify'],
    tool: () =>
      readBack('verified', {
        verification: { delayMs: 60_000 },
        execute: () => partialResult({ completed: ['a'], failed: ['b'] }) as never,
      }),
    calls: once,
    nth: 0,
  },
  'a change that may have happened': {
    row: 'settles',
    parts: ['settle', 'escalations'],
    tool: () =>
      counted('LOW_RISK_INTERNAL', {
        execute: () => {
          throw new ToolError('lost', 'The line went dead.', { effect: 'unknown' })
        },
      }),
    calls: once,
  },
  'a change that was read back': {
    row: 'settled',
    parts: ['verified'],
    tool: () => readBack('verified'),
    calls: once,
  },
  'a change that was read back and is not as it should be': {
    row: 'settled',
    parts: ['amend', 'verified', 'escalations'],
    tool: () => readBack('failed'),
    calls: once,
  },
  'a change that is not there yet, and is read again': {
    row: 'settled',
    parts: ['amend', 'verify'],
    tool: () => readBack('absent', { verification: { times: 3, everyMs: 60_000 } }),
    calls: once,
  },
  'a duplicate of a finished change': {
    row: 'replayed',
    parts: ['seen'],
    tool: () => counted('MEDIUM_RISK_WRITE'),
    async calls(proviso) {
      await once(proviso)
      await proviso.call(order('c2'), context)
    },
  },
  'the same call again while its effect is still to be read back': {
    row: 'replayed',
    parts: ['seen', 'looksOn', 'yields'],
    tool: () => readBack('verified', { verification: { delayMs: 60_000 } }),
    calls: twice,
  },
  'the same call again while it runs': {
    row: 'under_way',
    parts: ['seen', 'looksOn', 'yields'],
    tool() {
      const running = Promise.withResolvers<Record<string, unknown>>()
      const tool = counted('MEDIUM_RISK_WRITE', { concurrent: true, execute: () => running.promise })
      return { ...tool, release: () => running.resolve({}) }
    },
    async calls(proviso, tool) {
      const first = once(proviso)
      await expect.poll(() => tool.seen.length).toBe(1)
      await once(proviso)
      tool.release?.()
      await first
    },
    nth: 0,
  },
  'a read': {
    row: 'unsettled',
    parts: ['trails'],
    tool: () => counted('READ_ONLY'),
    calls: once,
  },
  'a call that goes on waiting for a person': {
    row: 'unsettled',
    parts: ['yields'],
    tool: () => counted('HIGH_RISK_EXTERNAL'),
    calls: twice,
  },
  'a read that failed after people had agreed, and that a hook is told of': {
    row: 'settled',
    parts: ['yields'],
    tool: () =>
      counted('READ_ONLY', {
        classification: 'regulated',
        execute: () => {
          throw new ToolError('busy', 'Come back later.', { effect: 'none' })
        },
      }),
    hooks: [{ name: 'listener', postToolUseFailure: () => undefined }],
    async calls(proviso) {
      const asked = await once(proviso)
      await approveAs(proviso, asked.approval?.id ?? '', 'ann')
      await once(proviso)
    },
  },
  'a denial that people should hear of': {
    row: 'unsettled',
    parts: ['escalations'],
    tool: () => counted('HIGH_RISK_EXTERNAL', { scopes: ['orders:write'] }),
    calls: once,
  },
}

describe('what is written at the end of a pass', () => {
  const filled = new Set<string>()
  afterAll(() => {
    // A record that was edited outside is there on Postgres alone: test/audit/contradicted-slots.test.ts plays that row.
    const here = Object.entries(written).filter(([row]) => row !== 'contradicted')
    const cells = here.flatMap(([row, parts]) => parts.map((part) => `${row} ${part}`))
    expect([...filled].sort()).toEqual(cells.sort())
  })

  it.each(Object.entries(endings))(
    'is for %s what its row says',
    async (_, { row, parts, tool: make, calls, nth, hooks = [] }) => {
      const kept = memory()
      const entries: PassEntry[] = []
      const record = (entry: PassEntry) => {
        entries.push(entry)
        return kept.operations.record(entry)
      }
      const tool = make()
      const ledger = { ...kept, operations: { ...kept.operations, record } }
      await calls(await open(tool.source, { ledger, hooks }), tool)
      const entry = entries.at(nth ?? -1)
      if (entry === undefined) throw new Error('Nothing was written.')
      expect(partsOf(entry).sort()).toEqual([...parts].sort())
      for (const part of parts) {
        expect(written[row]).toContain(part)
        filled.add(`${row} ${part}`)
      }
    },
  )
})
