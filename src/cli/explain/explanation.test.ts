// What is told of a recorded call, from calls that really ran.
import pico from 'picocolors'
import { describe, expect, it } from 'vitest'
import { effects } from '../../contract/effects.ts'
import type { PromiseKind } from '../../contract/tool/terms.ts'
import { keyring } from '../../identity/keyring.ts'
import { memory } from '../../ledger/memory/memory.ts'
import { defineTool } from '../../runtime/define-tool.ts'
import { openProviso } from '../../runtime/open-proviso.ts'
import type { ToolSource } from '../../runtime/tool-definition.ts'
import { evidenceText } from './evidence-text.ts'
import { showExplanation } from './explain.ts'
import { explanationOf, type RecordedCall } from './explanation.ts'
import { durationText, effectPromises, operationPromises, promiseSentences } from './promises.ts'

const note = {
  name: 'send_note_v1',
  description: 'Sends a note.',
  effect: 'HIGH_RISK_EXTERNAL',
  input: { type: 'object', additionalProperties: false, required: ['to'], properties: { to: { type: 'string' } } },
  execute: () => ({ sent: true }),
} as const
const people = keyring()
const ann = await people.issue({ user: 'ann', roles: ['operator'] })
const send = defineTool(note)
const held = defineTool({
  ...note,
  execute() {
    throw new Error('the line went dead')
  },
})

async function recorded(args: string, approve: boolean, tool: ToolSource = send): Promise<RecordedCall> {
  const ledger = memory()
  const proviso = await openProviso({ tools: [tool], ledger, identity: people })
  const call = () => proviso.call({ tool: 'send_note_v1', arguments: args }, { run: 'r' })
  let answer = await call()
  if (approve && answer.approval !== undefined) {
    const { id: asked, packetHash } = answer.approval
    await proviso.approvals.approve(asked, { credential: ann, packetHash })
    answer = await call()
  }
  const id = answer.observation.tool_identity.call_id
  const record = await proviso.calls.get(id)
  if (record === undefined) throw new Error('The call is not on record.')
  return {
    call: record,
    facts: await proviso.calls.facts(id),
    contract: await ledger.calls.contract(record.contractHash),
    questions: await proviso.escalations.list(),
  }
}

describe('an explanation', () => {
  it('says what reading the effect back came to: state, discrepancy, trust and what follows', async () => {
    const wrong = defineTool({
      ...note,
      effect: 'LOW_RISK_INTERNAL',
      verify: {
        source: 'outbox',
        target: { to: '/args/to' },
        read: () => ({ to: 'b' }),
        expect: [{ path: '/to', is: 'equals', from: '/args/to', about: 'target' }],
      },
    })
    const told = explanationOf(await recorded('{"to":"a"}', false, wrong))
    expect(told.verification).toMatchObject({ state: 'FAILED', discrepancy: 'wrong_target', trust: 1, due: null })
    expect(told.timeline.find(({ phase }) => phase === 'verify')?.evidence).toBe(
      'FAILED, wrong_target, trust 1, 1 reading',
    )
    const shown = showExplanation(told, pico.createColors(false))
    for (const words of ['FAILED, wrong target, trust 1 of 4', 'freeze and alarm', 'not met: outbox: /to equals'])
      expect(shown).toContain(words)
  })

  it('names the phase that refused, its reason and what to do [EP-01]', async () => {
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
    expect(told.promise).toBe('at_most_once')
    expect(told.promised).toEqual([expect.stringMatching(/^at most once, and held/), operationPromises.implicit])
    expect(told.timeline.find(({ phase }) => phase === 'confirm')?.evidence).toMatch(/^asked a person: appr_/)
  })

  it('shows both passes of an approved call, and that no phase objected in the second', async () => {
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

describe('a held call', () => {
  it('is told with the question that is open, and how a person answers it', async () => {
    const told = explanationOf(await recorded('{"to":"a"}', true, held))
    expect(told).toMatchObject({ effect: 'unknown', next_action: 'await_resolution', questions: [{}] })
    expect(told.questions[0]).toMatchObject({ kind: 'unknown_effect' })
    expect(told.next_step).toContain(`proviso calls resolve ${told.call.id} --effect happened|none`)
    expect(showExplanation(told, pico.createColors(false))).toMatch(/^open +\S.*unknown_effect/m)
  })
})

describe('what is shown of the arguments', () => {
  it('leaves out what is sensitive, and every value where nothing is in its place', async () => {
    const secret = defineTool({ ...note, sensitive: ['/to'] })
    const shown = async (args: string, tool = secret) => explanationOf(await recorded(args, false, tool)).call.arguments
    expect(await shown('{"to":"a"}')).toEqual({ to: '[masked]' })
    expect(await shown('{"ot":"a"}')).toEqual({ ot: '[masked]' })
    expect(await shown('{"ot":"a"}', send)).toEqual({ ot: 'a' })
    expect(await shown('{"to":')).toBeNull()
  })
})

describe('the promises', () => {
  const promiseOf = (effectClass: string | null, kind?: PromiseKind) =>
    promiseSentences({
      effectClass,
      promise: kind === undefined ? undefined : { kind, windowMs: 86_400_000, horizonMs: 30_000 },
      slotKind: 'call',
    })

  it('are told for every effect class and every way to clear up a lost attempt', () => {
    for (const effectClass of Object.keys(effects)) {
      for (const kind of Object.keys(effectPromises) as PromiseKind[])
        expect(promiseOf(effectClass, kind)[0]).toMatch(/\S/)
    }
    expect(promiseOf('READ_ONLY')).toHaveLength(1)
    expect(promiseOf(null)[0]).toContain('no tool')
  })

  it('say how long the window is, and from when on nothing counts as nothing', () => {
    expect(promiseOf('HIGH_RISK_EXTERNAL', 'once_within_window')[0]).toContain("the provider's window of 1 day")
    expect(promiseOf('HIGH_RISK_EXTERNAL', 'once_beyond_horizon')[0]).toContain('30 seconds after its deadline')
    expect([1, 90_000, 60_000, 7_200_000].map(durationText)).toEqual([
      '1 millisecond',
      '90 seconds',
      '1 minute',
      '2 hours',
    ])
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
    const voices = [
      { source: 'p', says: 'deny', message: 'no' },
      { source: 'cedar', rule: 'night', says: 'ask' },
    ]
    expect(evidenceText('policy', { labels: ['untrusted'], voices })).toBe(
      'run carries untrusted, p: deny, cedar/night: ask',
    )
  })
})
