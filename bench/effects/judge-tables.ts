// Plays every case of a table through a call of a real Proviso, with retries allowed, and compares the answer with the world: what the
// answer says of the effect must be what its row says, and must not contradict what is to be seen there. No deed is done twice.
import type { Effect } from '../../src/contract/call/answer.ts'
import { defineTool, type Executor, openProviso } from '../../src/index.ts'
import { memory } from '../../src/ledger/index.ts'
import { type Deed, deedsOf, type EffectCase, type EffectRow, type EffectTable, type Stage } from './effect-table.ts'

export interface JudgedCase {
  readonly executor: string
  readonly came: string
  readonly case: string
  readonly deed: Deed
  /** What the row wants the answer to say. */
  readonly expected: EffectRow['effect']
  readonly said: Effect
  readonly class: string
  readonly retryable: boolean
  /** How often the deed is to be seen. */
  readonly seen: number
  /** Undefined where the answer is right. */
  readonly fault?: 'contradicts_the_world' | 'done_twice' | 'not_what_the_row_says' | 'no_answer'
}

export interface JudgeOptions {
  /** At most so many cases of each row, evenly taken; all by default. */
  readonly casesPerRow?: number
  readonly onCase?: (judged: JudgedCase) => void
}

export async function judgeTable(table: EffectTable, options: JudgeOptions = {}): Promise<readonly JudgedCase[]> {
  const stage = await table.open()
  const judged: JudgedCase[] = []
  try {
    const caller = await openCaller(stage)
    try {
      for (const row of stage.rows)
        for (const one of evenly([...row.cases()], options.casesPerRow))
          for (const deed of deedsOf(row)) {
            const result = await judgeCase({ table, stage, row, one, deed, caller })
            judged.push(result)
            options.onCase?.(result)
          }
    } finally {
      await caller.close()
    }
  } finally {
    await stage.close()
  }
  return judged
}

interface Played {
  readonly table: EffectTable
  readonly stage: Stage
  readonly row: EffectRow
  readonly one: EffectCase
  readonly deed: Deed
  readonly caller: Caller
}

async function judgeCase({ table, stage, row, one, deed, caller }: Played): Promise<JudgedCase> {
  await one.arrange(deed)
  const answer = await caller.call(one).catch(() => undefined)
  const seen = await stage.seen()
  const said = answer?.effect ?? 'unknown'
  const judged = {
    executor: table.executor,
    came: row.came,
    case: one.name,
    deed,
    expected: row.effect,
    said,
    class: answer?.observation.status.taxonomy_class ?? 'none',
    retryable: answer?.response.retryable ?? false,
    seen,
  }
  const fault = answer === undefined ? 'no_answer' : faultOf(judged)
  return fault === undefined ? judged : { ...judged, fault }
}

/** Where more than one is wrong, the worst. */
export function faultOf({ said, seen, expected }: Pick<JudgedCase, 'said' | 'seen' | 'expected'>): JudgedCase['fault'] {
  if (seen > 1) return 'done_twice'
  if ((said === 'none' && seen > 0) || (said === 'happened' && seen === 0)) return 'contradicts_the_world'
  return expected === 'any' || said === expected ? undefined : 'not_what_the_row_says'
}

interface Caller {
  call(one: EffectCase): ReturnType<Awaited<ReturnType<typeof openProviso>>['call']>
  close(): Promise<void>
}

const retries = 2

async function openCaller({ ports, keyHeader, credentials }: Stage): Promise<Caller> {
  let current: EffectCase | undefined
  const played: Executor = {
    kind: 'fn',
    isolated: false,
    connects: true,
    run(_args, context) {
      if (current === undefined) throw new Error('No case is played.')
      return current.executor.run(current.args ?? {}, credentials === undefined ? context : { ...context, credentials })
    },
  }
  const toolOf = (timeoutMs: number) =>
    defineTool({
      name: `act_${timeoutMs}_v1`,
      description: 'Does one deed in the world of its double.',
      effect: 'MEDIUM_RISK_WRITE',
      input: { type: 'object', properties: { number: { type: 'integer' } }, additionalProperties: false },
      egress: 'private_network_only',
      connections: { ports, loopback: true },
      rate: { windowSec: 1, maxRequests: 1_000_000 },
      maxRetries: retries,
      timeoutMs,
      ...(keyHeader === undefined ? {} : { keyHeader }),
      executor: played,
    })
  const proviso = await openProviso({
    ledger: memory(),
    tools: timeouts.map(toolOf),
    // Where we are root, programs run as a user of their tenant.
    programs: { users: { acme: 200_001 } },
    // Pauses before another start are as short as they may be.
    entropy: { bytes: still },
  })
  let number = 0
  return {
    call(one) {
      current = one
      number++
      const tool = `act_${one.timeoutMs ?? timeouts[0]}_v1`
      return proviso.call(
        { tool, arguments: { number }, callId: `c${number}` },
        { tenant: 'acme', user: 'ann', run: `run-${number}` },
      )
    },
    close: () => proviso.close(),
  }
}

/** What a case may name as its timeout, in milliseconds; the first one where it names none. */
const timeouts = [5_000, 300] as const

const still = (count: number) => new Uint8Array(count)

/** The first and the last of them are among those taken. */
function evenly<T>(all: readonly T[], most = all.length): readonly T[] {
  if (all.length <= most) return all
  return Array.from({ length: most }, (_, at) => all[Math.round((at * (all.length - 1)) / Math.max(1, most - 1))] as T)
}
