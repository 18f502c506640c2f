import { describe, expect, it } from 'vitest'
import { observationSchema } from '../../src/contract/call/observation.ts'
import { compileSchema } from '../../src/contract/tool/compile-tool.ts'
import { memory } from '../../src/ledger/index.ts'
import { phases } from '../../src/pipeline/phases/phase-summary.ts'
import { context, counted, open, order } from './bench-desk.ts'

describe('the pipeline', () => {
  it('has the 21 phases in their order [phases-in-order] [TC-422, EP-02, EP-06]', () => {
    expect(phases.map((phase) => phase.name).join(' ')).toBe(
      'resolve parse structure types constraints semantics observe before permission policy recall state confirm schedule admit execute normalize after persist verify emit',
    )
    expect(phases.filter((phase) => phase.kind === 'gate').map((phase) => phase.number)).toEqual([
      1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13,
    ])
  })

  it('leaves one fact for each phase, in order, and replay reaches every verdict [facts-for-each-phase] [replay-reaches-verdicts] [TC-251, TC-422, EP-01]', async () => {
    const proviso = await open(counted('MEDIUM_RISK_WRITE', { state: { read: () => ({ open: true }) } }).source)
    const answer = await proviso.call(order('c1'), context)
    const id = answer.observation.tool_identity.call_id
    const facts = await proviso.calls.facts(id)
    expect(facts.map((fact) => fact.phase)).toEqual(phases.map((phase) => phase.name))
    expect(facts.map((fact) => fact.seq)).toEqual(facts.map((_, index) => index + 1))
    expect(await proviso.calls.replay(id)).toEqual([{ gates: 13, divergences: [] }])
  })

  it('finds a verdict on record that the evidence does not support [replay-reaches-verdicts]', async () => {
    const ledger = memory()
    const proviso = await open(
      counted('LOW_RISK_INTERNAL', {
        state: {
          read: () => ({ status: 'open' }),
          allows: (state) => (state.status === 'open' ? undefined : 'closed'),
        },
      }).source,
      { ledger },
    )
    const { call_id } = (await proviso.call(order('c1'), context)).observation.tool_identity
    const facts = await ledger.calls.facts(call_id)
    const record = await ledger.calls.get(call_id)
    if (record === undefined) throw new Error('no record')
    const forged = facts.map((fact) =>
      fact.phase === 'state'
        ? { ...fact, pass: 2, evidence: { state: { status: 'shut' }, failed: false } }
        : { ...fact, pass: 2 },
    )
    await ledger.operations.record({ call: record, facts: forged, findAgain: true })
    const [, second] = await proviso.calls.replay(call_id)
    expect(second?.divergences.map((divergence) => divergence.phase)).toEqual(['state'])
  })

  it('gives observations that fit the closed schema, for calls of every kind of end [observation-is-closed] [TC-002, TC-029, TC-248, TC-268, EP-22]', async () => {
    const compiled = compileSchema(observationSchema, '')
    if (!compiled.ok) throw new Error('observation schema is broken')
    const proviso = await open(counted('HIGH_RISK_EXTERNAL').source)
    const answers = [
      await proviso.call(order('c1'), context),
      await proviso.call(order('c1', '{'), context),
      await proviso.call({ tool: '\u0000<script>'.repeat(99) }, context),
      await proviso.call(order('c2', { order_id: 5 }), {}),
    ]
    for (const { observation } of answers)
      expect(compiled.schema.explain(JSON.parse(JSON.stringify(observation)), [])).toEqual([])
  })
})
