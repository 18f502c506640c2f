// What faults records of the ledger, held to the model: a good history is a path of it, and a spoiled one is found where it is spoiled.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type HistoriesJudged, judgeHistories } from '../../bench/faults/histories.ts'
import { historiesIn, type RecordedLine, type RecordedUse } from '../../bench/faults/recorded-ledger.ts'
import { specOf, type ToolKind } from '../../bench/faults/tool-spec.ts'

type Line = Partial<RecordedLine> & { readonly process: string; readonly number: number }

/** What one process asks, with what it is answered at once. */
interface Asked extends Partial<Omit<RecordedLine, 'process' | 'number'>> {
  readonly by: string
  readonly use: RecordedUse
}

let numbers = 0

const slot = 'slot-0'
const first = { slot, call: 'c-1', id: 'call-1', pass: 1, generation: 1 } as const
const again = { slot, call: 'c-2', id: 'call-2', pass: 1, generation: 1 } as const

function lines({ by: process, use, came, found, attempt, ...asked }: Asked): readonly Line[] {
  const number = ++numbers
  const isGiven = use === 'admit'
  return [
    { process, number, use, ...asked, ...(isGiven || attempt === undefined ? {} : { attempt }) },
    {
      process,
      number,
      ...(came === undefined ? {} : { came }),
      ...(found === undefined ? {} : { found }),
      ...(isGiven && attempt !== undefined ? { attempt, generation: 1 } : {}),
    },
  ]
}

const admitted = (by: string, call: typeof first | typeof again, attempt: number) =>
  lines({ by, use: 'admit', ...call, kind: 'implicit', unseen: false, came: 'admitted', attempt })
const ended = (by: string, call: typeof first | typeof again, attempt: number, says: string, came = 'settled') =>
  lines({ by, use: 'end', ...call, attempt, says, came })
const given = (by: string) =>
  lines({
    by,
    use: 'claim',
    came: 'given',
    found: [{ slot, call: 'c-1', generation: 1, attempt: 1, says: 'PENDING unknown' }],
  })
const fenced = (by: string, came: string) => lines({ by, use: 'fence', slot, generation: 1, attempt: 1, came })
const postponed = (by: string) => lines({ by, use: 'postpone', slot, generation: 1, attempt: 1, came: 'later' })
const read = (by: string, says: string, attempt: number) =>
  lines({ by, use: 'read', slot, call: 'c-2', came: 'there', found: [{ slot, generation: 1, attempt, says }] })
const absent = (by: string) => lines({ by, use: 'read', slot, call: 'c-1', came: 'absent' })

function judge(kind: ToolKind, recorded: readonly (readonly Line[])[]): HistoriesJudged {
  const folder = mkdtempSync(join(tmpdir(), 'proviso-histories-'))
  const spec = specOf('MEDIUM_RISK_WRITE', kind)
  const tools = ['a', 'b', 'c'].map((process) => ({ process, tools: [spec] }))
  const named = recorded.flat().map((line) => (line.use === undefined ? line : { ...line, tool: spec.name }))
  writeFileSync(historiesIn(folder), [...tools, ...named].map((line) => `${JSON.stringify(line)}\n`).join(''))
  const judged = judgeHistories(folder)
  rmSync(folder, { recursive: true })
  return judged
}

const none = 'FAILED_RETRYABLE none'
const happened = 'COMPLETED happened'

/** The owner dies, another process finds out that nothing was done, and the same operation is done after all. */
const lost = () => [absent('a'), admitted('a', first, 1)]
const foundOut = () => [
  given('b'),
  fenced('b', 'fenced'),
  postponed('b'),
  given('b'),
  fenced('b', 'dead'),
  ended('b', first, 1, none),
]
const doneThen = () => [read('b', none, 1), admitted('b', again, 2), ended('b', again, 2, happened)]

describe('a recorded history', () => {
  it('that the protocol allows is a path of the model', () => {
    const judged = judge('verifier', [...lost(), ...foundOut(), ...doneThen()])
    expect(judged).toMatchObject({ recorded: 1, paths: 1, notPaths: [], leftOut: {} })
  })

  it('of a process that is killed while it asks is one, whether it was answered in the database or not', () => {
    const [asked] = admitted('a', first, 1)
    const unanswered = [absent('a'), [asked as Line]]
    expect(judge('verifier', [...unanswered, ...foundOut(), ...doneThen()]).paths).toBe(1)
    expect(judge('verifier', [...unanswered, absent('b')]).paths).toBe(1)
  })

  it('of a saga that closes and undoes is one', () => {
    const caller = { ...first, kind: 'caller' as const }
    const closed = lines({ by: 'a', use: 'close', slot, id: 'call-1', came: 'closed' })
    const undone = lines({ by: 'a', use: 'undo', slot, came: 'undone' })
    const admission = lines({ by: 'a', use: 'admit', ...caller, unseen: false, came: 'admitted', attempt: 1 })
    expect(judge('sql', [absent('a'), admission, ended('a', first, 1, none), closed]).paths).toBe(1)
    expect(judge('sql', [absent('a'), admission, ended('a', first, 1, happened), undone]).paths).toBe(1)
    expect(judge('sql', [closed]).paths).toBe(1)
    expect(judge('sql', [absent('a'), admission, closed]).notPaths).toEqual([expect.stringContaining('moment 5')])
  })

  it.each([
    ['whose answer was another', 'provider', () => [...lost(), ended('a', first, 1, happened, 'late')], 5],
    ['that ends before it is admitted', 'sql', () => [ended('a', first, 1, happened), ...lost()], 1],
    ['in which a second is admitted while the first stands', 'sql', () => [...lost(), admitted('b', again, 1)], 5],
    [
      'in which an owner is said to be dead and still writes',
      'verifier',
      () => [...lost(), given('b'), fenced('b', 'dead'), ended('a', first, 1, happened)],
      7,
    ],
    [
      'in which an effect that happened is told as none',
      'sql',
      () => [...lost(), ended('a', first, 1, happened), read('b', none, 1)],
      7,
    ],
    [
      'in which a verifier found it to be none, and it has happened after all',
      'verifier',
      () => [...lost(), ...foundOut(), ended('a', first, 1, happened)],
      17,
    ],
    [
      'in which what was found to be none has happened after all',
      'sql',
      () => [...lost(), given('b'), ended('b', first, 1, none), ended('a', first, 1, happened)],
      9,
    ],
    [
      'in which it is done again after it has happened',
      'provider',
      () => [...lost(), ended('a', first, 1, happened), admitted('b', again, 2)],
      7,
    ],
  ] as const)(
    '%s is none, and the moment is named',
    (_what, kind, recorded, moment) => {
      const judged = judge(kind, recorded())
      expect(judged.paths).toBe(0)
      expect(judged.notPaths).toEqual([expect.stringContaining(`moment ${moment}`)])
      // Of a verifier all orders of looks and time are gone through.
    },
    60_000,
  )
})
