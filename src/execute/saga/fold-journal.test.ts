import { describe, expect, it } from 'vitest'
import type { SagaEntry } from '../../contract/saga/saga.ts'
import { foldJournal } from './fold-journal.ts'

const rendered = (step: string, direction: 'forward' | 'backward' = 'forward', round = 1): SagaEntry => ({
  kind: 'rendered',
  step,
  direction,
  round,
  tool: `${step}_v1`,
  arguments: {},
})

const ended = (step: string, changes: Partial<Extract<SagaEntry, { kind: 'ended' }>> = {}): SagaEntry => ({
  kind: 'ended',
  step,
  direction: 'forward',
  round: 1,
  call: `call of ${step}`,
  ok: true,
  effect: 'happened',
  class: 'SUCCESS',
  reason: 'ok',
  message: '',
  result: null,
  ref: null,
  ...changes,
})

const frozen = (step: string, direction: 'forward' | 'backward'): SagaEntry => ({
  kind: 'frozen',
  step,
  direction,
  call: `call of ${step}`,
  message: 'It stands still.',
})

const resumed = (effect: 'happened' | 'none' | null): SagaEntry => ({
  kind: 'resumed',
  by: 'bea',
  why: 'looked',
  effect,
})

describe('a journal', () => {
  it('tells of each step how far it is, in either direction', () => {
    const progress = foldJournal([
      rendered('a'),
      ended('a'),
      rendered('b'),
      ended('b', { ok: false, effect: 'none' }),
      { kind: 'turned', step: 'b', message: 'no' },
      rendered('a', 'backward'),
    ])
    expect(progress.direction).toBe('backward')
    expect(progress.track('a', 'forward')).toMatchObject({ done: true, happened: true })
    expect(progress.track('b', 'forward')).toMatchObject({ done: false, happened: false, failures: 1 })
    expect(progress.track('a', 'backward')).toMatchObject({ done: false, rendered: { tool: 'a_v1' } })
    expect(progress.track('c', 'forward')).toMatchObject({ done: false, rendered: undefined })
  })

  it('knows whom people are asked about until it goes on', () => {
    const waiting: SagaEntry = {
      kind: 'waiting',
      step: 'a',
      direction: 'forward',
      round: 1,
      for: 'retry',
      call: 'c1',
      approval: null,
      message: 'not yet',
      escalated: true,
    }
    expect(foldJournal([rendered('a'), waiting])).toMatchObject({ asked: ['c1'], waiting: { call: 'c1' } })
    expect(foldJournal([rendered('a'), waiting, ended('a')])).toMatchObject({ asked: [], waiting: undefined })
  })

  it('takes a pivot in doubt for what people say it is', () => {
    const doubtful = [rendered('p'), ended('p', { ok: false }), frozen('p', 'forward')]
    expect(foldJournal(doubtful).frozen?.step).toBe('p')
    const happened = foldJournal([...doubtful, resumed('happened')])
    expect(happened).toMatchObject({ direction: 'forward', frozen: undefined })
    expect(happened.track('p', 'forward').done).toBe(true)
    const none = foldJournal([...doubtful, resumed('none')])
    expect(none.direction).toBe('backward')
    expect(none.track('p', 'forward')).toMatchObject({ done: false, happened: false })
  })

  it('tries what was not undone after all under another slot, and anything else under the same', () => {
    const back = [
      rendered('a'),
      ended('a'),
      { kind: 'turned', step: 'b', message: 'no' } as const,
      rendered('a', 'backward'),
      ended('a', { direction: 'backward', ok: false }),
      frozen('a', 'backward'),
    ]
    expect(foldJournal([...back, resumed('none')]).track('a', 'backward').rendered?.round).toBe(2)
    expect(foldJournal([...back, resumed('happened')]).track('a', 'backward').done).toBe(true)
    expect(foldJournal([...back, resumed(null)]).track('a', 'backward').rendered?.round).toBe(1)
  })

  it('does not turn back for a step behind the pivot that was never called, with any word of a person', () => {
    const lines = [rendered('pay'), ended('pay'), frozen('ticket', 'forward'), resumed('none')]
    const progress = foldJournal(lines)
    expect(progress.direction).toBe('forward')
    expect(progress.track('ticket', 'forward')).toMatchObject({ done: false, rendered: undefined })
  })
})
