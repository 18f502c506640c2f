import { describe, expect, it } from 'vitest'
import type { EpochMs } from '../../json/clock.ts'
import {
  afterRefusal,
  afterRepair,
  maxDeliveries,
  maxRefusedKept,
  type RepairRefusal,
  type RepairScope,
  type RepairState,
  repairIdleMs,
  repairScopeKey,
} from './repair.ts'

const scope: RepairScope = {
  tenant: 'acme',
  run: 'r',
  agent: 'a',
  user: 'u',
  turn: undefined,
  tool: 't',
  contractHash: 'h',
}

/** Refused at this second, proposed half a second before. */
const refusal = (second: number, payload: string, more: Partial<RepairRefusal> = {}): RepairRefusal => ({
  payload,
  errors: 'e',
  callId: `call-${second}-${payload}`,
  providerCallId: undefined,
  at: (second * 1_000) as EpochMs,
  openedAt: (second * 1_000 - 500) as EpochMs,
  maxRepairs: 3,
  question: {
    id: `question-${second}`,
    tenant: 'acme',
    callId: `call-${second}-${payload}`,
    kind: 'repair_exhausted',
    message: 'm',
    at: (second * 1_000) as EpochMs,
  },
  ...more,
})

/** What each refusal comes to. */
function play(refusals: readonly (RepairRefusal | 'valid')[], of: RepairScope = scope) {
  let state: RepairState | undefined
  const verdicts = refusals.flatMap((each) => {
    if (each === 'valid') {
      if (state !== undefined) state = afterRepair(state)
      return []
    }
    const verdict = afterRefusal(state, of, each)
    state = verdict.state
    return [verdict]
  })
  return { state, verdicts, halted: verdicts.map(({ halted }) => halted) }
}

describe('repairs of one scope', () => {
  it('halts at the second refusal of the same payload, once the first was answered [TC-195] [TC-199]', () => {
    expect(play([refusal(1, 'a'), refusal(2, 'a')]).halted).toEqual([false, true])
    const together = [refusal(1, 'a'), refusal(1, 'a', { callId: 'other', openedAt: 500 as EpochMs })]
    expect(play(together).halted).toEqual([false, false])
  })

  it('halts at the fourth refusal in a row, and not where a valid proposal came between', () => {
    const others = ['a', 'b', 'c', 'd', 'e'].map((payload, index) => refusal(index + 1, payload))
    expect(play(others).halted).toEqual([false, false, false, true, true])
    expect(play([...others.slice(0, 3), 'valid', ...others.slice(3)]).halted).toEqual(Array(5).fill(false))
    expect(play(others.map((each) => ({ ...each, maxRepairs: 0 }))).halted).toEqual(Array(5).fill(true))
  })

  it('knows a payload again after a valid proposal', () => {
    expect(play([refusal(1, 'a'), 'valid', refusal(2, 'a')]).halted).toEqual([false, true])
  })

  it('takes the same proposal, delivered again, for the same', () => {
    const first = refusal(1, 'a', { providerCallId: 'p' })
    const { halted, state } = play([
      first,
      refusal(2, 'a', { providerCallId: 'p' }),
      { ...first, openedAt: 9_000 as EpochMs },
    ])
    expect(halted).toEqual([false, false, false])
    expect(state?.consecutive).toBe(1)
    // Ids that never change are a loop as well.
    const loop = Array.from({ length: maxDeliveries + 2 }, (_, index) =>
      refusal(index + 1, 'a', { providerCallId: 'p' }),
    )
    expect(play(loop).halted).toEqual([...Array(maxDeliveries + 1).fill(false), true])
  })

  it('begins anew after a pause where no turn is named, and goes on within a turn', () => {
    const late = 1 + repairIdleMs / 1_000
    expect(play([refusal(1, 'a'), refusal(late, 'a')]).halted).toEqual([false, false])
    expect(play([refusal(1, 'a'), refusal(late - 1, 'a')]).halted).toEqual([false, true])
    expect(play([refusal(1, 'a'), refusal(late, 'a')], { ...scope, turn: 'x' }).halted).toEqual([false, true])
  })

  it('asks once as it halts, and the same question again where it halts again', () => {
    const { verdicts } = play([refusal(1, 'a'), refusal(2, 'a'), refusal(3, 'b'), 'valid', refusal(4, 'a')])
    expect(verdicts.map(({ asks }) => asks?.id)).toEqual([undefined, 'question-2', undefined, 'question-2'])
  })

  it('links a proposal to the newest refusal that its model can have known', () => {
    const { verdicts } = play([refusal(1, 'a'), refusal(2, 'b'), refusal(2, 'c', { openedAt: 1_500 as EpochMs })])
    expect(verdicts.map(({ repairs }) => repairs && [repairs.of, repairs.number])).toEqual([
      undefined,
      ['call-1-a', 1],
      ['call-1-a', 2],
    ])
  })

  it('keeps the newest payloads alone', () => {
    const { state } = play(Array.from({ length: 200 }, (_, index) => refusal(index + 1, `p${index}`)))
    expect(state?.refused).toHaveLength(maxRefusedKept)
  })
})

describe('the scope', () => {
  it('is another one for each tenant, run, agent, turn, tool and contract; users count apart outside of runs', () => {
    const others: Partial<RepairScope>[] = [
      {},
      { tenant: 'b' },
      { run: 's' },
      { agent: undefined },
      { turn: 't' },
      { tool: '' },
      { contractHash: 'i' },
      { run: undefined },
      { run: undefined, user: 'v' },
    ]
    expect(new Set(others.map((other) => repairScopeKey({ ...scope, ...other }))).size).toBe(others.length)
    expect(repairScopeKey({ ...scope, user: 'v' })).toBe(repairScopeKey(scope))
  })
})
