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
    for (const tool of [
      '__proto__',
      'constructor',
      'toString',
      'hasOwnProperty',
      '',
      ' ',
      '\ud800',
      'x'.repeat(1_000_000),
    ]) {
      expect(reasonOf(await proviso.call({ tool }, context))).toBe('unknown_tool')
    }
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
