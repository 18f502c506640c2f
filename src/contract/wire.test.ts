import { describe, expect, it } from 'vitest'
import { epochMs } from '../json/clock.ts'
import { defineTool } from '../runtime/define-tool.ts'
import { openProviso } from '../runtime/open-proviso.ts'
import { wireAnswer, wireFact, wirePacket } from './wire.ts'

const tool = (value: unknown) =>
  defineTool({
    name: 'fetch_value_v1',
    description: 'Fetches a value.',
    effect: 'READ_ONLY',
    input: { type: 'object' },
    execute: () => value as never,
  })

async function answerWith(value: unknown) {
  const proviso = await openProviso({ tools: [tool(value)] })
  return wireAnswer(await proviso.call({ tool: 'fetch_value_v1' }))
}

const keysOf = (value: unknown): readonly string[] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([key, inner]) => [key, ...keysOf(inner)])
    : []

describe('the wire', () => {
  it('carries an answer in snake_case', async () => {
    const send = defineTool({
      name: 'send_note_v1',
      description: 'Sends a note.',
      effect: 'HIGH_RISK_EXTERNAL',
      input: { type: 'object', additionalProperties: false },
      execute: () => null,
    })
    const proviso = await openProviso({ tools: [send] })
    const answer = wireAnswer(await proviso.call({ tool: 'send_note_v1' }, { run: 'r' }))
    expect(Object.keys(answer)).toEqual(['observation', 'effect', 'response', 'feedback', 'approval'])
    expect(keysOf(answer).filter((key) => /[A-Z]/.test(key))).toEqual([])
    const [approval] = await proviso.approvals.list()
    const packet = approval === undefined ? undefined : wirePacket(approval.packet)
    expect(keysOf(packet).filter((key) => /[A-Z]/.test(key))).toEqual([])
    expect(packet).toMatchObject({ risk_class: { class: 'HIGH_RISK_EXTERNAL' }, requester: { user: null } })
  })

  it('leaves the keys of values as they are, and leaves out what JSON cannot carry', async () => {
    expect((await answerWith({ someKey: 1, when: new Date(0) })).value).toEqual({
      someKey: 1,
      when: '1970-01-01T00:00:00.000Z',
    })
    const bad = await answerWith({ big: 1n })
    expect('value' in bad).toBe(false)
    expect(() => JSON.stringify(bad)).not.toThrow()
  })

  it('carries a fact with its time as text', () => {
    const at = epochMs(0)
    const fact = {
      callId: 'c',
      pass: 1,
      seq: 2,
      phase: 'admit',
      at,
      micros: 3,
      verdict: { kind: 'pass' },
      evidence: undefined,
    } as const
    expect(wireFact(fact)).toEqual({
      call_id: 'c',
      pass: 1,
      seq: 2,
      phase: 'admit',
      at: '1970-01-01T00:00:00.000Z',
      micros: 3,
      verdict: { kind: 'pass' },
    })
  })
})
