// One call and all that is kept of it: what was proposed, who judged and agreed to what, what ran, and what came back.
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { defineTool, type Hook, ToolError } from '../../src/index.ts'
import { memory } from '../../src/ledger/index.ts'
import { observe } from '../../src/pipeline/phases/hooks.ts'
import { approveAs } from '../people.ts'
import { approved, classOf, context, counted, open, order, reasonOf, warningsOf } from './bench-desk.ts'

const verified = { verify: () => ({ status: 'verified' }) as const }

describe('a call that a person has approved', () => {
  it('has proposal, checks, approval, execution, result and verification on record, each under its own id [TC-030, TC-136, TC-150, TC-251, TC-273]', async () => {
    const proviso = await open(counted('HIGH_RISK_EXTERNAL', verified).source)
    const asked = await proviso.call(order('c1'), { ...context, trace: 'trace-7' })
    await approveAs(proviso, asked.approval?.id ?? '', 'boss', 'seen it')
    const answer = await proviso.call(order('c1'), { ...context, trace: 'trace-7' })
    const { tool_identity, execution_metadata } = answer.observation
    expect(execution_metadata.trace_id).toBe('trace-7')

    const record = await proviso.calls.get(tool_identity.call_id)
    expect(record).toMatchObject({
      traceId: 'trace-7',
      version: '1.0.0',
      contractHash: expect.stringMatching(/^[0-9a-f]{64}$/),
      argumentText: '{"order_id":"o-1"}',
      status: 'SUCCESS',
      effect: 'happened',
      passes: 2,
      verification: { state: 'VERIFIED' },
    })
    const facts = await proviso.calls.facts(tool_identity.call_id)
    const last = facts.filter((fact) => fact.pass === 2)
    const evidenceOf = (phase: string) => last.find((fact) => fact.phase === phase)?.evidence
    for (const phase of ['parse', 'structure', 'types', 'constraints', 'semantics', 'permission', 'policy'])
      expect([phase, last.find((fact) => fact.phase === phase)?.verdict]).toEqual([phase, { kind: 'pass' }])
    expect(JSON.stringify(evidenceOf('confirm'))).toContain(asked.approval?.id)
    expect(evidenceOf('admit')).toMatchObject({ idempotency_key: expect.stringMatching(/^[0-9a-f]{64}$/) })
    expect(evidenceOf('execute')).toMatchObject({ outcome: 'returned' })
    expect(evidenceOf('verify')).toMatchObject({ state: 'VERIFIED' })
    expect(evidenceOf('emit')).toMatchObject({ class: 'SUCCESS', effect: 'happened' })
    const approval = await proviso.approvals.get(asked.approval?.id ?? '')
    expect(approval).toMatchObject({ callId: tool_identity.call_id, decisions: [{ by: 'boss', reason: 'seen it' }] })

    // What was refused has its trace as well, also where the caller named none.
    const refused = await proviso.call(order('c2', { order_id: 5 }), context)
    const { call_id } = refused.observation.tool_identity
    const { trace_id } = refused.observation.execution_metadata
    expect(trace_id).toMatch(/\S/)
    expect((await proviso.calls.get(call_id))?.traceId).toBe(trace_id)
  })

  it('is found by the trace and the fingerprint that its packet shows [TC-230, TC-236]', async () => {
    const proviso = await open(counted('HIGH_RISK_EXTERNAL', verified).source)
    const asked = await proviso.call(order('c1'), { ...context, trace: 'trace-8' })
    const shown = await proviso.approvals.get(asked.approval?.id ?? '')
    await approveAs(proviso, asked.approval?.id ?? '', 'boss')
    await proviso.call(order('c1'), { ...context, trace: 'trace-8' })
    const facts = await proviso.calls.facts(shown?.packet.callId ?? '')
    const admitted = facts.find(({ phase }) => phase === 'admit')?.evidence as { readonly idempotency_key: string }
    expect(admitted.idempotency_key).toBe(shown?.packet.fingerprint)
    expect((await proviso.calls.get(shown?.packet.callId ?? ''))?.traceId).toBe(shown?.packet.trace)
  })

  it('tells the person in plain words what happens, what will be there afterwards, and what a rejection leads to [TC-224, TC-226, TC-228, TC-229, TC-231, TC-235]', async () => {
    const tool = counted('HIGH_RISK_EXTERNAL', {
      ...verified,
      state: { read: () => ({ status: 'open' }), after: (before: object) => ({ ...before, status: 'sent' }) },
    })
    const proviso = await open(tool.source)
    const asked = await proviso.call(order('c1'), context)
    const packet = (await proviso.approvals.get(asked.approval?.id ?? ''))?.packet
    expect(packet?.consequence).toMatch(/^Runs order_v1\. Handles one order\..*order_id "o-1"/)
    expect([packet?.beforeState, packet?.afterState]).toEqual([{ status: 'open' }, { status: 'sent' }])
    expect(packet?.rejectionPath).toMatch(/^Nothing is done; .*rejected/)
    expect(packet?.riskClass.class).toBe('HIGH_RISK_EXTERNAL')
  })

  it('says whether it can be undone before a person agrees [TC-234]', async () => {
    const shown = async (extras: Parameters<typeof counted>[1]) => {
      const undo = counted('LOW_RISK_INTERNAL', { name: 'undo_v1' })
      const proviso = await open([counted('HIGH_RISK_EXTERNAL', extras).source, undo.source])
      const asked = await proviso.call(order('c1'), context)
      return (await proviso.approvals.get(asked.approval?.id ?? ''))?.packet.compensation
    }
    expect(await shown({})).toBe('Nothing undoes this automatically.')
    expect(await shown({ compensation: 'undo_v1' })).toBe('Can be undone by undo_v1.')
  })

  it('gives a token with the ten fields of the specification [TC-239]', async () => {
    const proviso = await open(counted('HIGH_RISK_EXTERNAL', verified).source)
    const asked = await proviso.call(order('c1'), { ...context, trace: 'trace-9' })
    const { token = '' } = await approveAs(proviso, asked.approval?.id ?? '', 'boss')
    const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
    expect(claims).toMatchObject({
      approval_id: asked.approval?.id,
      trace_id: 'trace-9',
      tool_name: 'order_v1',
      tool_version: '1.0.0',
      payload_hash: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      approver_id: 'boss',
      approved_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      expires_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      approval_scope: 'single_execution',
      decision: 'approved',
    })
    expect(Date.parse(claims.expires_at)).toBeGreaterThan(Date.parse(claims.approved_at))
  })
})

describe('the inputs of a call', () => {
  it('keeps what the model emitted, what was judged and what the executor got, each as it was [EP-53 to EP-56]', async () => {
    const reached: unknown[] = []
    const spoils: Hook = {
      name: 'spoils',
      preToolUse: ({ input }) => {
        Object.assign(input, { to: 'mallory' })
        return { updatedInput: { note: 'added' } }
      },
    }
    const tool = defineTool({
      name: 'order_v1',
      description: 'x',
      effect: 'MEDIUM_RISK_WRITE',
      input: z.object({ to: z.string().transform((to) => to.trim()), note: z.string().optional() }),
      execute: (args) => {
        reached.push(structuredClone(args))
        Object.assign(args, { to: 'mallory' })
        return {}
      },
    })
    const proviso = await open(tool, { hooks: [spoils] })
    const { observation } = await proviso.call(order('c1', '{ "to": " ann " }'), context)
    const record = await proviso.calls.get(observation.tool_identity.call_id)
    expect(record?.argumentText).toBe('{"to":" ann "}')
    expect(record?.permissionInput).toEqual({ to: ' ann ', note: 'added' })
    expect(record?.callInput).toEqual({ to: 'ann', note: 'added' })
    expect(reached).toEqual([{ to: 'ann', note: 'added' }])
  })

  it('ends where its input cannot be copied for those who look on, and nothing runs [EP-08]', () => {
    const call = { tool: { binding: { sensitive: ['no pointer'] } }, permissionInput: { a: 1 } }
    const verdict = observe.decide(call as never, undefined as never)
    expect(verdict).toMatchObject({ kind: 'stop', class: 'UNKNOWN_ERROR', reason: 'input_mutation_failed' })
  })
})

describe('the answer', () => {
  it('is given the words of a hook that speaks before the tool runs [EP-09]', async () => {
    const hook: Hook = { name: 'h', preToolUse: () => ({ additionalContext: 'Prices are net.', message: 'Mind it.' }) }
    const proviso = await open(counted('READ_ONLY').source, { hooks: [hook] })
    const answer = await proviso.call(order('c1'), context)
    expect(answer.observation.result_payload.warnings).toEqual([
      'hook_message: h: Mind it.',
      'additional_context: Prices are net.',
    ])
  })

  it('takes of what a hook says the seven words that there are, and nothing else [EP-80]', async () => {
    const surplus = { effect: 'none', approved: true, callInput: { order_id: 'x' }, value: 7, data: { done: 'x' } }
    const hook: Hook = {
      name: 'h',
      preToolUse: () => surplus as never,
      postToolUse: () => surplus as never,
      resultPersistence: () => surplus as never,
    }
    const tool = counted('HIGH_RISK_EXTERNAL', verified)
    const proviso = await open(tool.source, { hooks: [hook] })
    expect(classOf(await proviso.call(order('c1'), context))).toBe('CONFIRMATION_MISSING')
    const done = await approved(proviso, order('c1'))
    expect([done.effect, done.value, warningsOf(done)]).toEqual(['happened', { done: 'o-1' }, []])
    const record = await proviso.calls.get(done.observation.tool_identity.call_id)
    const words = new Set(record?.hookOutputs?.flatMap((output) => Object.keys(output)))
    expect(words).toEqual(new Set(['event', 'hook']))
  })

  it('maps its result once, before it is kept, also where it is large, tried again or asked for again [EP-29]', async () => {
    let mapped = 0
    let tries = 0
    const { source } = counted('MEDIUM_RISK_WRITE', {
      maxInlineBytes: 50,
      maxRetries: 1,
      errors: { busy: 'DEPENDENCY_UNAVAILABLE' },
      execute: () => {
        if (++tries === 1) throw new ToolError('busy', 'Busy.', { effect: 'none', retryAfterMs: 1 })
        return { text: 'x'.repeat(80) } as never
      },
    })
    const outputCheck = (value: unknown) => {
      mapped++
      return { ok: true, value } as const
    }
    const tool = { ...source, binding: { ...source.binding, outputCheck } }
    const ledger = memory()
    const kept: unknown[] = []
    const save: typeof ledger.results.save = (...given) => {
      kept.push(mapped)
      return ledger.results.save(...given)
    }
    const proviso = await open(tool, { ledger: { ...ledger, results: { ...ledger.results, save } } })
    const done = await proviso.call(order('c1'), context)
    const again = await proviso.call(order('c1'), context)
    expect([tries, mapped, kept]).toEqual([2, 1, [1]])
    expect(again.observation.result_payload.data).toEqual(done.observation.result_payload.data)
  })
})

it('says on the surface why a tool is kept from this run [EP-49]', async () => {
  const proviso = await open(
    [
      counted('READ_ONLY', { name: 'free_v1' }).source,
      counted('READ_ONLY', { name: 'blocked_v1' }).source,
      counted('READ_ONLY', { name: 'secret_v1', roles: ['auditor'] }).source,
    ],
    { blocked: { blocked_v1: 'Under review.' } },
  )
  const { entries } = await proviso.surface(context)
  expect(entries.get('free_v1')).toMatchObject({ status: 'loaded' })
  expect(entries.get('blocked_v1')).toMatchObject({
    status: 'blocked',
    reason: 'policy_blocked',
    note: 'Under review.',
  })
  expect(entries.get('secret_v1')).toMatchObject({ status: 'excluded', reason: 'role_not_allowed' })
  expect(reasonOf(await proviso.call({ tool: 'secret_v1', arguments: { order_id: 'o' } }, context))).toBe(
    'unknown_tool',
  )
})
