import { describe, expect, it } from 'vitest'
import { manualClock } from '../../src/public/testing.ts'
import { classOf, context, counted, open, order, reasonOf, warningsOf } from './bench-desk.ts'

describe('finding the tool', () => {
  it('refuses an unknown tool with the nearest names [unknown-tool-near-names] [EP-03, EP-04, EP-26]', async () => {
    const proviso = await open(counted('READ_ONLY').source)
    const answer = await proviso.call({ tool: 'ordr_v1' }, context)
    expect([classOf(answer), reasonOf(answer), answer.response.next_action]).toEqual([
      'STRUCTURAL_VIOLATION',
      'unknown_tool',
      'choose_available_tool',
    ])
    expect(answer.feedback?.field_errors[0]?.message).toContain('`order_v1`')
  })

  it('takes names of the prototype for what they are: unknown tools [hostile-tool-names]', async () => {
    const proviso = await open(counted('READ_ONLY').source)
    const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', '', ' ', '\ud800', 'x'.repeat(1_000_000)]
    for (const [run, tool] of names.entries())
      expect(reasonOf(await proviso.call({ tool }, { ...context, run: `run-${run}` }))).toBe('unknown_tool')
  })

  it('answers to an alias under its own name [aliases-resolve] [EP-03]', async () => {
    const tool = counted('READ_ONLY', { aliases: ['lookup_order'] })
    const proviso = await open(tool.source)
    const answer = await proviso.call({ tool: 'lookup_order', arguments: { order_id: 'o' } }, context)
    expect([classOf(answer), answer.observation.tool_identity.name]).toEqual(['SUCCESS', 'order_v1'])
  })

  it('keeps a deferred tool unloaded until its discovery is recorded for the run [deferred-until-discovered] [EP-04, EP-43, EP-52]', async () => {
    const proviso = await open(counted('READ_ONLY', { deferred: true, searchHint: 'orders and parcels' }).source)
    const early = await proviso.call(order('c1'), context)
    expect([classOf(early), reasonOf(early), early.response.next_action]).toEqual([
      'STRUCTURAL_VIOLATION',
      'schema_not_loaded',
      'discover_tool',
    ])
    expect(await proviso.discover('parcels', context)).toEqual(['order_v1'])
    expect(classOf(await proviso.call(order('c2'), context))).toBe('SUCCESS')
    expect(reasonOf(await proviso.call(order('c3'), { ...context, run: 'run-2' }))).toBe('schema_not_loaded')
  })

  it('does not widen a surface that was taken earlier [surface-never-widens] [DR-51, EP-03, EP-43, EP-51]', async () => {
    const proviso = await open(counted('READ_ONLY', { deferred: true }).source)
    const surface = await proviso.surface(context)
    await proviso.discover('order_v1', context)
    expect(reasonOf(await proviso.call(order('c1'), { ...context, surface }))).toBe('schema_not_loaded')
    expect(surface.entries.get('order_v1')).toMatchObject({ status: 'deferred', reason: 'deferred_until_discovered' })
  })

  it('refuses blocked and ended tools with the reason and hides what a role may not see [blocked-tool-refused] [TC-051, EP-04, EP-43]', async () => {
    const blocked = await open(counted('READ_ONLY').source, { blocked: { order_v1: 'Under review.' } })
    const first = await blocked.call(order('c1'), context)
    expect([classOf(first), reasonOf(first)]).toEqual(['POLICY_VIOLATION', 'blocked_tool'])
    expect(first.feedback?.field_errors[0]?.message).toBe('Under review.')

    const clock = manualClock()
    const ending = await open(
      counted('READ_ONLY', { lifecycle: { status: 'deprecated', sunset_date: '2026-02-01', replacement: 'order_v2' } })
        .source,
      { clock },
    )
    expect(warningsOf(await ending.call(order('c1'), context))).toEqual(['deprecated'])
    clock.advance(40 * 86_400_000)
    const ended = await ending.call(order('c1'), context)
    expect([reasonOf(ended), ended.feedback?.field_errors[0]?.message]).toEqual([
      'contract_sunsetted',
      'This tool is no longer offered. Use order_v2 instead.',
    ])

    const secret = await open(counted('READ_ONLY', { roles: ['auditor'] }).source)
    const outsider = await secret.call(order('c1'), context)
    expect([reasonOf(outsider), JSON.stringify(outsider.feedback)]).toEqual([
      'unknown_tool',
      expect.not.stringContaining('`order_v1`'),
    ])
    expect(classOf(await secret.call(order('c1'), { ...context, roles: ['auditor'] }))).toBe('SUCCESS')
  })
})

describe('a surface that was taken by another', () => {
  it('lets a caller call only what their own roles may see, singly and in a batch [roles-at-the-call]', async () => {
    const tool = counted('READ_ONLY', { roles: ['admin'], aliases: ['lookup_order'] })
    const proviso = await open(tool.source)
    const admin = { ...context, user: 'root', roles: ['admin'] }
    const surface = await proviso.surface(admin)
    expect(surface.entries.get('order_v1')?.status).toBe('loaded')
    const calls = [order('c1'), { ...order('c2'), tool: 'lookup_order' }, { ...order('c3'), tool: 'ordr_v1' }]
    const answers = [
      // In a turn of its own: names that no tool has are counted together.
      await proviso.call(order('c0'), { ...context, surface, turn: 'first' }),
      ...(await proviso.callAll(calls, { ...context, surface })),
    ]
    expect(answers.map(reasonOf)).toEqual(answers.map(() => 'unknown_tool'))
    // What they may not see is not named either.
    expect(JSON.stringify(answers.map(({ feedback }) => feedback))).not.toContain('`order_v1`')
    expect(tool.seen).toEqual([])
    expect(classOf(await proviso.call(order('c4'), { ...admin, surface }))).toBe('SUCCESS')
  })

  it('is answered where it is none, and never taken for the whole [malformed-surface-is-answered]', async () => {
    const tool = counted('READ_ONLY')
    const proviso = await open(tool.source)
    const surface = await proviso.surface(context)
    const throwing = new Proxy(new Map(), {
      get: () => {
        throw new Error('not yours')
      },
    })
    const malformed: readonly unknown[] = [
      {},
      'surface',
      7,
      [],
      { entries: [], aliases: [] },
      { entries: new Map(), aliases: new Map() },
      { entries: new Map([['order_v1', null]]), aliases: new Map() },
      { entries: new Map([['order_v1', { status: 'loaded' }]]), aliases: new Map() },
      { entries: new Map([['order_v1', { status: 'loaded', tool: {} }]]), aliases: new Map([['a', 7]]) },
      { entries: throwing, aliases: throwing },
      { entries: surface.entries, aliases: null },
      { entries: surface.entries, aliases: new Map([['x', 'order_v1']]) },
      {
        get entries() {
          throw new Error('not yours')
        },
      },
      structuredClone({ entries: new Map(), aliases: surface.aliases }),
      JSON.parse(JSON.stringify(surface)),
    ]
    for (const [index, one] of malformed.entries()) {
      const given = { ...context, surface: one as never }
      const [inBatch] = await proviso.callAll([order(`b${index}`)], given)
      const answers = [await proviso.call(order(`c${index}`), given), inBatch]
      for await (const { answer } of proviso.stream([order(`s${index}`)], given)) answers.push(answer)
      for (const answer of answers) {
        expect(answer?.effect).toBe('none')
        expect(answer?.observation.status.taxonomy_class, String(index)).not.toBe('SUCCESS')
      }
      expect(answers).toHaveLength(3)
    }
    expect(tool.seen).toEqual([])
    // A copy of one that was made here is as good as the original.
    expect(classOf(await proviso.call(order('c-copy'), { ...context, surface: { ...surface } }))).toBe('SUCCESS')
  })
})
