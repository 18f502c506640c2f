// What is told of a recorded call, from calls that really ran.
import pico from 'picocolors'
import { describe, expect, it } from 'vitest'
import { effects } from '../../contract/effects.ts'
import { wireAnswer, wireFact } from '../../contract/wire.ts'
import { defineTool } from '../../define-tool.ts'
import { openProviso } from '../../runtime.ts'
import type { CallFile } from '../call-record.ts'
import { evidenceText } from './evidence-text.ts'
import { explanationOf } from './explanation.ts'
import { ledgerPromises, operationPromises, promiseOf } from './promises.ts'
import { showExplanation } from './show-explanation.ts'

const send = defineTool({
  name: 'send_note_v1',
  description: 'Sends a note.',
  effect: 'HIGH_RISK_EXTERNAL',
  input: { type: 'object', additionalProperties: false, required: ['to'], properties: { to: { type: 'string' } } },
  execute: () => ({ sent: true }),
})

async function recorded(args: string, approve: boolean): Promise<CallFile> {
  const proviso = await openProviso({ tools: [send] })
  const call = () => proviso.call({ tool: 'send_note_v1', arguments: args }, { run: 'r' })
  let answer = await call()
  if (approve && answer.approval !== undefined) {
    await proviso.approvals.approve(answer.approval.id, { by: 'ann' })
    answer = await call()
  }
  const id = answer.observation.tool_identity.call_id
  const record = await proviso.calls.get(id)
  const facts = await proviso.calls.facts(id)
  return {
    call: {
      id,
      tool: 'send_note_v1',
      version: '1.0.0',
      effect_class: 'HIGH_RISK_EXTERNAL',
      ledger: 'ephemeral',
      tenant: 'default',
      user: null,
      run: 'r',
      operation_id: null,
      provider_call_id: null,
      arguments: {},
      started_at: '2026-01-01T00:00:00.000Z',
      passes: record?.passes ?? 0,
    },
    facts: facts.map(wireFact),
    answer: wireAnswer(answer),
  }
}

describe('an explanation', () => {
  it('names the phase that refused, its reason and what to do', async () => {
    const told = explanationOf(await recorded('{"to":7}', false))
    expect(told).toMatchObject({
      class: 'TYPE_MISMATCH',
      effect: 'none',
      decided_by: { number: 4, phase: 'types', verdict: 'stop TYPE_MISMATCH · schema_validation_failed' },
      next_action: 'repair_arguments',
    })
    expect(told.messages[0]).toContain('to')
    expect(told.timeline.map(({ phase }) => phase)).toEqual(['resolve', 'parse', 'structure', 'types', 'emit'])
  })

  it('tells that a person is asked, and of which operation', async () => {
    const told = explanationOf(await recorded('{"to":"a"}', false))
    expect(told).toMatchObject({
      effect: 'pending',
      decided_by: { number: 13, phase: 'confirm', verdict: 'wait · approval_pending' },
    })
    expect(told.promised).toEqual([ledgerPromises.ephemeral, operationPromises.implicit])
    expect(told.timeline.find(({ phase }) => phase === 'confirm')?.evidence).toMatch(/^asked a person: appr_/)
  })

  it('shows both passes of an approved call, and that nobody objected in the second', async () => {
    const told = explanationOf(await recorded('{"to":"a"}', true))
    expect(told).toMatchObject({ class: 'SUCCESS', effect: 'happened', decided_by: null })
    expect(new Set(told.timeline.map(({ pass }) => pass))).toEqual(new Set([1, 2]))
    const second = told.timeline.filter(({ pass }) => pass === 2)
    expect(second).toHaveLength(21)
    expect(second.find(({ phase }) => phase === 'confirm')?.evidence).toBe('approved by ann')
    expect(second.find(({ phase }) => phase === 'execute')?.evidence).toBe('attempt 1: returned, effect happened')
  })
})

describe('a record that was tampered with', () => {
  const hostile = '\u001b[2J\u202e\nnext  continue'
  const spoiled = (value: unknown): unknown =>
    typeof value === 'string'
      ? `${value}${hostile}`
      : Array.isArray(value)
        ? value.map(spoiled)
        : typeof value === 'object' && value !== null
          ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, spoiled(inner)]))
          : value

  it('neither steers the terminal nor adds a row, whichever text of it is hostile', async () => {
    const told = explanationOf(await recorded('{"to":7}', false))
    const shown = showExplanation(told, pico.createColors(false))
    const worse = showExplanation(spoiled(told) as typeof told, pico.createColors(false))
    expect(worse).toContain('\\u001b[2J\\u202e\\nnext')
    expect(worse.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202e]/u)
    expect(worse.split('\n')).toHaveLength(shown.split('\n').length)
  })
})

describe('the promises', () => {
  it('are told for every effect class and ledger', () => {
    for (const effectClass of Object.keys(effects)) {
      for (const ledger of ['ephemeral', 'durable'] as const) {
        expect(promiseOf({ effectClass, ledger, slotKind: 'call' })[0]).toMatch(/\S/)
      }
    }
    expect(promiseOf({ effectClass: 'READ_ONLY', ledger: 'ephemeral', slotKind: undefined })).toHaveLength(1)
    expect(promiseOf({ effectClass: null, ledger: 'ephemeral', slotKind: undefined })[0]).toContain('no tool')
  })
})

describe('evidence in short', () => {
  it('never fails on what it does not know', () => {
    for (const phase of [
      'permission',
      'confirm',
      'state',
      'admit',
      'execute',
      'emit',
      'schedule',
      'semantics',
      'moon',
    ]) {
      for (const evidence of [{}, [], [1], null, 'x', 7, { approval: 3, ref: 3 }, [{ hook: 'h', failed: true }]]) {
        expect(evidenceText(phase, evidence)).toBeTypeOf('string')
      }
    }
  })

  it('tells voices by who said what', () => {
    expect(evidenceText('policy', [{ source: 'p', says: 'deny', message: 'no' }])).toBe('p: deny')
  })
})
