// What people say of operations, and what sagas and time do to them.
import type { ResolutionOutcome } from '../../../src/ledger/ports/operations.ts'
import {
  joinStatements,
  judgeResolution,
  resolvedStatus,
  type Statement,
} from '../../../src/ledger/rules/resolution.ts'
import { closingRule, expiryRule, undoingRule } from '../../../src/ledger/rules/slot.ts'
import { decide } from '../../../src/ledger/rules/table.ts'
import { never, type Setting } from '../setting.ts'
import { duplicateEffect, type Generation, noProcess, type State, unknownEffect } from '../state.ts'
import { forget, standing } from './endings.ts'
import { over, slotOfCall } from './records.ts'

export interface Word {
  readonly call: number
  readonly person: number
  readonly happened: boolean
}

/** The operation that the call runs, or ran last. */
export function recordOfCall(state: State, call: number, setting: Setting): Generation | undefined {
  const generations = (state.slots[slotOfCall(call, setting)] ?? []).filter((record) => record.call === call)
  return generations.findLast(({ held }) => held) ?? generations.at(-1)
}

export function resolve(state: State, { call, person, happened }: Word, setting: Setting): ResolutionOutcome['kind'] {
  const record = recordOfCall(state, call, setting)
  const questions = unknownEffect(call) | duplicateEffect(call)
  const asked = (state.asked & questions) !== 0
  if (record === undefined) {
    // It never came to an operation, or another call has taken that over: what is asked about it can be answered all the same.
    state.asked &= ~questions
    return judgeResolution({ held: false, agreed: false, asked })
  }
  const statementOf = (by: number, said: boolean): Statement => ({
    by: `person-${by}`,
    effect: said ? 'happened' : 'none',
    why: '',
  })
  const before = state.said.filter(({ nonce }) => nonce === record.nonce)
  const { statements, people } = joinStatements(
    before.map((each) => statementOf(each.person, each.happened)),
    statementOf(person, happened),
  )
  const kind = judgeResolution({ held: record.held, agreed: people.length >= (setting.quorum ?? 1), asked })
  switch (kind) {
    case 'not_held':
      return kind
    case 'stated':
      forget(state, record.nonce)
      for (const { by, effect } of statements)
        state.said.push({
          nonce: record.nonce,
          person: Number(by.slice('person-'.length)),
          happened: effect === 'happened',
        })
      return kind
    case 'answered':
      state.asked &= ~questions
      return kind
    case 'resolved': {
      state.asked &= ~questions
      const effect = happened ? 'happened' : 'none'
      record.status = resolvedStatus[effect]
      record.effect = effect
      record.held = false
      record.answer = ''
      standing(state, { call, pass: state.calls[call]?.recorded ?? 0, effect }, 'settled', false)
      record.look = record.lease = over
      forget(state, record.nonce)
      return kind
    }
  }
}

export function expire(record: Generation): void {
  if (record.expires > 0 || decide(expiryRule, record) !== 'expires') return
  record.status = 'EXPIRED'
  record.answer = ''
}

/** By the saga whose step the slot is. */
export function close(state: State, slot: number, call: number): 'closed' | 'open' {
  const generations = state.slots[slot] ?? []
  const record = generations[0]
  if (record === undefined) {
    generations[0] = {
      status: 'FAILED_FINAL',
      effect: 'none',
      held: false,
      attempt: 0,
      starts: 0,
      nonce: 0,
      overtaken: false,
      seen: 0,
      arguments: 0,
      call,
      owner: noProcess,
      lease: over,
      look: over,
      watcher: noProcess,
      created: 0,
      expires: never,
      answer: 'closed',
    }
    return 'closed'
  }
  const verdict = decide(closingRule, record)
  if (verdict === 'close') record.status = 'FAILED_FINAL'
  return verdict === 'open' ? 'open' : 'closed'
}

export function undo(state: State, slot: number): boolean {
  const record = (state.slots[slot] ?? [])[0]
  if (record === undefined || decide(undoingRule, record) !== 'undone') return false
  record.status = 'COMPENSATED'
  return true
}
