// What a dialect made a model write is undone before anything is hashed, on record, and only where it can mean nothing else.
import { describe, expect, it } from 'vitest'
import { defineTool, type ToolSource } from '../../src/index.ts'
import { approveAs } from '../people.ts'
import { classOf, context, counted, isReplay, open, order } from '../pipeline/bench-desk.ts'
import { nullable } from './nullable-versions.ts'

const viaOpenAi = { ...context, dialect: 'openai' } as const

describe('null for an argument that may be absent', () => {
  it('is taken out before hashing, and the executor never sees it [null-for-optional-undone]', async () => {
    const tool = counted('MEDIUM_RISK_WRITE')
    const proviso = await open(tool.source)
    const emitted = '{"order_id":"o-1","amount":null,"note":null}'
    const answer = await proviso.call({ ...order('c1'), arguments: emitted }, viaOpenAi)
    expect(classOf(answer)).toBe('SUCCESS')
    expect(tool.seen.map(({ args }) => args)).toEqual([{ order_id: 'o-1' }])
    const record = await proviso.calls.get(answer.observation.tool_identity.call_id)
    expect(record?.argumentText).toBe('{"amount":null,"note":null,"order_id":"o-1"}')
    expect(record?.mutations).toMatchObject([{ by: 'dialect openai', fields: ['/amount', '/note'] }])
    expect(record?.mutations[0]?.fromHash).not.toBe(record?.mutations[0]?.toHash)
    expect(record?.key.inputHash).toBe(record?.mutations[0]?.toHash)
  })

  it('gives the same operation the same slot, whichever provider proposes it [one-slot-across-providers]', async () => {
    const tool = counted('MEDIUM_RISK_WRITE')
    const proviso = await open(tool.source)
    await proviso.call(order('a'), { ...context, dialect: 'anthropic' })
    const again = await proviso.call(order('b', { order_id: 'o-1', amount: null, note: null }), viaOpenAi)
    expect([classOf(again), isReplay(again), tool.seen.length]).toEqual(['SUCCESS', true, 1])
  })

  it('stays what it is for every other provider', async () => {
    const proviso = await open(counted('READ_ONLY').source)
    for (const dialect of ['anthropic', 'gemini', 'mcp', undefined] as const) {
      const where = dialect === undefined ? context : { ...context, dialect }
      expect(classOf(await proviso.call(order('c', { order_id: 'o', note: null }), where))).toBe('TYPE_MISMATCH')
    }
  })

  it('is a value where the schema says so, where it is required, and inside of a union [null-for-optional-undone]', async () => {
    const seen: unknown[] = []
    const source: ToolSource = defineTool({
      name: 'patch_v1',
      description: 'Changes one record.',
      effect: 'READ_ONLY',
      input: {
        type: 'object',
        properties: {
          cleared: { type: ['string', 'null'] },
          needed: { type: ['string', 'null'] },
          either: {
            anyOf: [
              { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: false },
              { type: 'object', properties: { b: { type: 'number' } }, required: ['b'], additionalProperties: false },
            ],
          },
          inner: { type: 'object', properties: { x: { type: 'integer' } }, additionalProperties: false },
          list: {
            type: 'array',
            items: { type: 'object', properties: { y: { type: 'integer' } }, additionalProperties: false },
          },
        },
        required: ['needed'],
        additionalProperties: false,
      },
      execute: (args) => {
        seen.push(args)
        return {}
      },
    })
    const proviso = await open(source)
    const call = (args: unknown) => proviso.call({ tool: 'patch_v1', arguments: args }, viaOpenAi)
    await call({ cleared: null, needed: null, inner: { x: null }, list: [{ y: null }, { y: 1 }] })
    expect(seen).toEqual([{ cleared: null, needed: null, inner: {}, list: [{}, { y: 1 }] }])
    expect(classOf(await call({ needed: 'x', either: { a: null } }))).not.toBe('SUCCESS')
  })

  it('is undone once for a call that waits for a person, and found again by either spelling [null-for-optional-undone]', async () => {
    const tool = counted('HIGH_RISK_EXTERNAL')
    const proviso = await open(tool.source)
    const emitted = order('c1', { order_id: 'o-1', note: null })
    const waiting = await proviso.call(emitted, viaOpenAi)
    expect(waiting.effect).toBe('pending')
    const { id } = waiting.approval ?? { id: '' }
    const again = await proviso.call(order('c1'), context)
    expect(again.approval?.id).toBe(id)
    expect(again.observation.tool_identity.call_id).toBe(waiting.observation.tool_identity.call_id)
  })

  it('is undone again where a decision runs the call without its agent [null-for-optional-undone]', async () => {
    const tool = counted('HIGH_RISK_EXTERNAL')
    const proviso = await open(tool.source)
    const asked = await proviso.call(order('c1', { order_id: 'o-1', note: null }), {
      ...viaOpenAi,
      resumeOnDecision: true,
    })
    await approveAs(proviso, asked.approval?.id ?? '', 'ben')
    await expect.poll(() => tool.seen.map(({ args }) => args)).toEqual([{ order_id: 'o-1' }])
    const answer = await proviso.call(order('c1', { order_id: 'o-1', note: null }), viaOpenAi)
    expect([classOf(answer), isReplay(answer)]).toEqual(['SUCCESS', true])
    const record = await proviso.calls.get(asked.observation.tool_identity.call_id)
    expect([record?.argumentText, record?.mutations.length]).toEqual(['{"note":null,"order_id":"o-1"}', 1])
  })

  it('is undone as it was on record, where another version would keep it by now [waiting-call-keeps-its-version]', async () => {
    const { ran, tools, proposal } = nullable('MEDIUM_RISK_WRITE')
    const proviso = await open(tools, { versions: { order: { current: '1.0.0' } } })
    const said = { by: 'ann', why: 'The figures say so.' }
    await proviso.versions.promote('order', '2.0.0', said)
    const asked = await proviso.call(proposal, { ...viaOpenAi, resumeOnDecision: true })
    // From here on the run gets the first version, to which the null is a value.
    await proviso.versions.rollback('order', said)
    await approveAs(proviso, asked.approval?.id ?? '', 'ben')
    await expect.poll(() => ran).toEqual([['2.0.0', { id: 'o-1' }]])
    const id = asked.observation.tool_identity.call_id
    expect(await proviso.calls.get(id)).toMatchObject({ status: 'SUCCESS', effect: 'happened', mutations: [{}] })
    expect((await proviso.calls.replay(id)).flatMap(({ divergences }) => divergences)).toEqual([])
    await proviso.call({ ...proposal, callId: 'c2' }, { ...viaOpenAi, run: 'run-2' })
    expect(ran[1]).toEqual(['1.0.0', { id: 'o-1', note: null }])
    expect(await proviso.calls.list({ tool: 'order' })).toHaveLength(2)
  })

  it('is refused as a context where no such dialect is known', async () => {
    const proviso = await open(counted('READ_ONLY').source)
    const answer = await proviso.call(order('c'), { ...context, dialect: 'klingon' as 'openai' })
    expect(classOf(answer)).toBe('PERMISSION_DENIED')
  })
})
