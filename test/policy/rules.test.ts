// A tool's own rules through the whole pipeline: in CEL and in code, over arguments and over state.
import { describe, expect, it } from 'vitest'
import { defineTool, type RuleSource } from '../../src/index.ts'
import { classOf, context, counted, open, order, reasonOf } from '../pipeline/bench-desk.ts'

const refusalOf = (answer: Awaited<ReturnType<Awaited<ReturnType<typeof open>>['call']>>) => ({
  class: classOf(answer),
  reason: reasonOf(answer),
  errors: answer.feedback?.field_errors.map(({ field, message }) => [field, message]),
})

const large: RuleSource = {
  id: 'large-needs-note',
  when: '!has(args.amount) || args.amount <= 100 || has(args.note)',
  message: 'Say in a note what the money is for.',
  fields: ['/note'],
}

describe('rules over the arguments', () => {
  it('refuse with every message and field, and let the rest through [rules-across-fields] [TC-057, TC-073, TC-077, TC-087, TC-191, TC-299, TC-320]', async () => {
    const clerk = {
      id: 'clerk',
      when: '"clerk" in context.roles && context.tenant == "acme"',
      message: 'A clerk does this.',
    }
    const tool = counted('LOW_RISK_INTERNAL', { rules: [large, clerk] })
    const proviso = await open(tool.source)
    expect(refusalOf(await proviso.call(order('c1', { order_id: 'o', amount: 500 }), context))).toEqual({
      class: 'SEMANTIC_INVALIDITY',
      reason: 'invalid_arguments',
      errors: [
        ['note', 'Say in a note what the money is for.'],
        ['$', 'A clerk does this.'],
      ],
    })
    const fine = order('c2', { order_id: 'o', amount: 500, note: 'bench' })
    expect(classOf(await proviso.call(fine, { ...context, roles: ['clerk'] }))).toBe('SUCCESS')
    expect(tool.seen).toHaveLength(1)
  })

  it('refuse where they cannot be judged, and repeat no value [rules-across-fields]', async () => {
    const rules = [{ id: 'ratio', when: '100 / (args.amount - 7) > 1', message: 'Never said.' }]
    const tool = counted('READ_ONLY', {
      rules,
      input: {
        type: 'object',
        properties: { order_id: { type: 'string' }, amount: { type: 'integer' } },
        required: ['order_id', 'amount'],
        additionalProperties: false,
      } as never,
    })
    const answer = await (await open(tool.source)).call(order('c1', { order_id: 'o', amount: 7 }), context)
    expect([classOf(answer), tool.seen.length]).toEqual(['SEMANTIC_INVALIDITY', 0])
    expect(answer.feedback?.field_errors[0]?.message).toContain('a division by zero')
  })

  it('in code are given copies, are bounded in time, and refuse unless they say true [rules-across-fields]', async () => {
    const answers = [true, false, 'yes', undefined, new Promise<boolean>(() => {}), Promise.resolve(true)]
    const outcomes: string[] = []
    for (const answer of answers) {
      const rules = [{ id: 'code', message: 'No.', check: () => answer as boolean }]
      const tool = counted('READ_ONLY', { timeoutMs: 30, rules })
      outcomes.push(classOf(await (await open(tool.source)).call(order('c1'), context)))
    }
    const refused = 'SEMANTIC_INVALIDITY'
    expect(outcomes).toEqual(['SUCCESS', refused, refused, refused, refused, 'SUCCESS'])
  })

  it('are asked again for each caller, and on record as they were asked [replay-reaches-verdicts]', async () => {
    const rules = [{ id: 'ann', when: 'has(context.user) && context.user == "ann"', message: 'Only ann.' }]
    const tool = counted('LOW_RISK_INTERNAL', { rules })
    const proviso = await open(tool.source)
    expect(classOf(await proviso.call(order('c1'), { ...context, user: 'bob' }))).toBe('SEMANTIC_INVALIDITY')
    expect(classOf(await proviso.call(order('c1'), context))).toBe('SUCCESS')
  })
})

describe('rules over the state', () => {
  const state = {
    schema: {
      type: 'object',
      required: ['balance', 'status'],
      properties: { balance: { type: 'integer' }, status: { enum: ['open', 'closed'] } },
    },
    read: ({ order_id }: { order_id: string }) =>
      order_id === 'odd' ? { balance: 'much', status: 'open' } : { balance: 80, status: 'open' },
  }
  const enough = {
    id: 'enough',
    when: 'has(args.amount) && state.balance >= args.amount',
    message: 'There is not enough on the account.',
    fields: ['/amount'],
  }

  it('are judged once the state was read, on what was read [rules-read-state] [TC-073]', async () => {
    const tool = counted('LOW_RISK_INTERNAL', { rules: [enough], state })
    const proviso = await open(tool.source)
    const refused = await proviso.call(order('c1', { order_id: 'o', amount: 81 }), context)
    expect(refusalOf(refused)).toEqual({
      class: 'SEMANTIC_INVALIDITY',
      reason: 'invalid_arguments',
      errors: [['amount', 'There is not enough on the account.']],
    })
    const facts = await proviso.calls.facts(refused.observation.tool_identity.call_id)
    expect(facts.at(-2)?.phase).toBe('state')
    expect(classOf(await proviso.call(order('c2', { order_id: 'o', amount: 80 }), context))).toBe('SUCCESS')
    const odd = await proviso.call(order('c3', { order_id: 'odd', amount: 1 }), context)
    expect(odd.feedback?.field_errors[0]?.message).toContain('not what its declared schema says')
  })

  it('in code are given the state [rules-read-state]', async () => {
    const seen: unknown[] = []
    const rule = {
      id: 'sees',
      phase: 'state' as const,
      message: 'No.',
      check: (_: unknown, __: unknown, found: unknown) => seen.push(found) === 1,
    }
    const proviso = await open(counted('LOW_RISK_INTERNAL', { rules: [rule], state }).source)
    expect(classOf(await proviso.call(order('c1'), context))).toBe('SUCCESS')
    expect(classOf(await proviso.call(order('c2'), context))).toBe('SEMANTIC_INVALIDITY')
    expect(seen[0]).toEqual({ balance: 80, status: 'open' })
  })
})

describe('registration', () => {
  it('refuses rules that cannot be judged, each at its place [rules-are-compiled]', async () => {
    const bad: readonly (readonly [object, RegExp])[] = [
      [{ ...large, when: 'args.amont <= 100' }, /rule-refused at \/binding\/rules\/1\/when: .*amont/],
      [{ ...large, when: 'args.amount <=' }, /no CEL/],
      [{ ...large, when: 'state.open' }, /state/],
      [{ ...large, when: '!has(args.note) || args.note.matches("^(a+)+$")' }, /maxLength for args\.note/],
      [{ ...large, fields: ['/nothing'] }, /\/binding\/rules\/1\/fields\/0: .*no \/nothing/],
      [{ ...large, id: 'fine' }, /an id of its own/],
      [{ id: 'c', phase: 'state', message: 'm', check: () => true }, /Nothing reads a state/],
      [{ id: 'c', phase: 'later', message: 'm', check: () => true }, /semantics or state/],
      [{ id: 'c', phase: 'semantics', message: ' ', check: () => true }, /has to be told/],
      [{ id: 'fine', phase: 'semantics', message: 'm', check: () => true }, /an id of its own/],
      [{ id: 'c', message: 'm' }, /either when, in CEL, or check, in code/],
      [{ id: 'c', message: 'm', when: 'true', check: () => true }, /either when, in CEL, or check, in code/],
      [{ id: 7, message: 'm', when: 'true' }, /either when/],
    ]
    for (const [rule, message] of bad) {
      const { contract, binding } = counted('READ_ONLY').source
      const rules = [{ id: 'fine', when: 'true', message: 'm' }, rule] as typeof binding.rules
      await expect(open({ contract, binding: { ...binding, rules } })).rejects.toThrow(message)
    }
    const { source } = counted('READ_ONLY', { state: { read: () => ({}), schema: { format: 'moon' } } })
    await expect(open(source)).rejects.toThrow(/state-schema-refused at \/binding\/state\/schema/)
  })

  it('types a rule in code by what the input schema takes, before a library transforms it', async () => {
    const { z } = await import('zod')
    const seen: unknown[] = []
    const tool = defineTool({
      name: 'order_v1',
      description: 'x',
      effect: 'READ_ONLY',
      input: z.object({ when: z.string().transform((text) => text.length) }),
      rules: [{ id: 'short', message: 'm', check: ({ when }) => seen.push(when.slice(0, 3)) > 0 }],
      execute: ({ when }) => seen.push(when),
    })
    expect(classOf(await (await open(tool)).call(order('c1', { when: 'tomorrow' }), context))).toBe('SUCCESS')
    expect(seen).toEqual(['tom', 8])
  })
})
