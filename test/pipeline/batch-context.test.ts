// What one call of a batch changes for the others: labels that it puts on the run, and tools that it discovers.
import { describe, expect, it } from 'vitest'
import type { Proviso } from '../../src/index.ts'
import { classOf, context, counted, named, nextTurn, open, reasonOf } from './bench-desk.ts'

describe('what a batch changes for its own calls', () => {
  const tools = () => {
    const web = counted('READ_ONLY', { name: 'web_v1', trusted: false, execute: () => nextTurn().then(() => ({})) })
    const note = counted('MEDIUM_RISK_WRITE', { name: 'note_v1' })
    return { web, note, sources: [web.source, note.source] }
  }

  it('judges a write by what earlier siblings have shown the run, and not by later ones [batch-labels-in-time] [EP-33, EP-67]', async () => {
    for (let round = 0; round < 5; round++) {
      const { sources } = tools()
      const proviso = await open(sources)
      const before = await proviso.callAll([named('note_v1', 'a'), named('web_v1', 'b')], { ...context, run: 'before' })
      expect(before.map(classOf)).toEqual(['SUCCESS', 'SUCCESS'])
      const after = await proviso.callAll([named('web_v1', 'a'), named('note_v1', 'b')], { ...context, run: 'after' })
      expect(after.map(classOf)).toEqual(['SUCCESS', 'CONFIRMATION_MISSING'])
    }
  })

  it('defers labels to the end of the batch where it is told to, and not beyond [batch-labels-in-time] [EP-33, EP-67]', async () => {
    const { sources } = tools()
    const proviso = await open(sources)
    const options = { contextModifiers: 'defer_until_batch_complete', ordering: 'serial' } as const
    const given = [named('web_v1', 'a'), named('note_v1', 'b')]
    expect((await proviso.callAll(given, context, options)).map(classOf)).toEqual(['SUCCESS', 'SUCCESS'])
    const next = await proviso.callAll([named('note_v1', 'c', { order_id: 'other' })], context, options)
    expect(next.map(classOf)).toEqual(['CONFIRMATION_MISSING'])
  })

  it('refuses a call that would change the context where that is forbidden, but not alone [batch-labels-in-time] [EP-33, EP-67]', async () => {
    const { sources } = tools()
    const proviso = await open(sources)
    const options = { contextModifiers: 'forbid' } as const
    const answers = await proviso.callAll([named('web_v1', 'a'), named('note_v1', 'b')], context, options)
    expect(answers.map(reasonOf)).toEqual(['context_change_forbidden', undefined])
    expect((await proviso.callAll([named('web_v1', 'c')], context, options)).map(classOf)).toEqual(['SUCCESS'])
    // From now on the run carries the label, and reading more changes nothing.
    const more = await proviso.callAll([named('web_v1', 'd'), named('web_v1', 'e')], context, options)
    expect(more.map(classOf)).toEqual(['SUCCESS', 'SUCCESS'])
  })

  it('shows later siblings what a declared modifier has discovered, and runs none beside it [deferred-until-discovered]', async () => {
    let proviso: Proviso | undefined
    let running = 0
    let beside = 0
    const watch = async () => {
      running++
      await nextTurn()
      running--
      return {}
    }
    const discover = counted('READ_ONLY', {
      name: 'find_v1',
      modifiesContext: true,
      execute: async () => {
        beside = Math.max(beside, running)
        await proviso?.discover('hidden_v1', context)
        await nextTurn()
        beside = Math.max(beside, running)
        return {}
      },
    })
    const hidden = counted('READ_ONLY', { name: 'hidden_v1', deferred: true, execute: watch })
    const plain = counted('READ_ONLY', { name: 'plain_v1', execute: watch })
    proviso = await open([discover.source, hidden.source, plain.source])
    const given = [named('hidden_v1', 'a'), named('plain_v1', 'b'), named('find_v1', 'c'), named('hidden_v1', 'd')]
    const answers = await proviso.callAll(given, context)
    expect([answers.map(reasonOf), beside]).toEqual([['schema_not_loaded', undefined, undefined, undefined], 0])
    const deferred = await proviso.callAll(
      [named('find_v1', 'e'), named('hidden_v1', 'f')],
      { ...context, run: 'other' },
      { contextModifiers: 'defer_until_batch_complete' },
    )
    expect(deferred.map(reasonOf)).toEqual([undefined, 'schema_not_loaded'])
  })
})
