import { describe, expect, it } from 'vitest'
import { caller, order } from '../../../test/policy/rule-fixture.ts'
import type { CodeRule } from '../../contract/tool/rule.ts'
import type { JsonObject } from '../../json/value.ts'
import { askCodeRules, joinJudgements, judgeCodeRules } from './code-rules.ts'

const rule = (id: string, check: CodeRule['check']): CodeRule => ({
  id,
  phase: 'semantics',
  message: `Not ${id}.`,
  check,
})
const values = { args: order, context: caller }

describe('rules in code', () => {
  it('pass on true alone, at once or later', async () => {
    const rules = [
      rule('now', ({ amount }) => amount === 120),
      rule('later', async (_, { tenant }) => tenant === 'acme'),
    ]
    const answers = await askCodeRules(rules, values)
    expect(answers).toEqual([
      { id: 'now', says: 'holds' },
      { id: 'later', says: 'holds' },
    ])
    expect(judgeCodeRules(rules, answers)).toEqual({ kind: 'pass' })
  })

  it('report every failure in order', async () => {
    const rules = [
      rule('a', () => false),
      rule('b', () => true),
      { ...rule('c', async () => false), fields: ['/amount'] },
    ]
    expect(judgeCodeRules(rules, await askCodeRules(rules, values))).toEqual({
      kind: 'fail',
      failures: [
        { id: 'a', message: 'Not a.', fields: [] },
        { id: 'c', message: 'Not c.', fields: ['/amount'] },
      ],
    })
  })

  it('refuse where they throw, reject or answer with anything but a boolean', async () => {
    const hostile: readonly CodeRule['check'][] = [
      () => {
        throw new Error('broken')
      },
      () => Promise.reject(new Error('later')),
      () => 'true' as never,
      () => undefined as never,
      () => JSON.parse('{ "then": true }'),
    ]
    for (const check of hostile) {
      const rules = [rule('bad', check)]
      expect(judgeCodeRules(rules, await askCodeRules(rules, values))).toMatchObject({ kind: 'error', id: 'bad' })
    }
  })

  it('are judged from recorded answers without running, and refuse where an answer is missing', () => {
    const rules = [
      rule('a', () => {
        throw new Error('must not run')
      }),
    ]
    expect(judgeCodeRules(rules, [{ id: 'a', says: 'holds' }])).toEqual({ kind: 'pass' })
    expect(judgeCodeRules(rules, [])).toMatchObject({ kind: 'error', id: 'a' })
    expect(judgeCodeRules(rules, [{ id: 'a', says: 'maybe' as never }])).toMatchObject({ kind: 'error' })
  })

  it('get copies: what they change stays theirs', async () => {
    const args: JsonObject = { list: [1] }
    const change = rule('change', (given) => {
      ;(given.list as number[]).push(2)
      return true
    })
    await askCodeRules([change, rule('see', (given) => (given.list as number[]).length === 1)], {
      args,
      context: caller,
    })
    expect(args).toEqual({ list: [1] })
  })

  it('are told the state where there is one', async () => {
    const rules = [rule('s', (_, __, state) => (state as JsonObject).open === true)]
    expect(await askCodeRules(rules, { ...values, state: { open: true } })).toEqual([{ id: 's', says: 'holds' }])
  })
})

describe('two judgements', () => {
  const failure = (id: string) => ({ id, message: 'm', fields: [] })
  const pass = { kind: 'pass' } as const
  const fail = (id: string) => ({ kind: 'fail', failures: [failure(id)] }) as const
  const error = { kind: 'error', id: 'e', reason: 'r' } as const

  it('become one: an error wins, failures add up', () => {
    expect(joinJudgements(pass, pass)).toEqual(pass)
    expect(joinJudgements(fail('a'), pass)).toEqual(fail('a'))
    expect(joinJudgements(pass, fail('b'))).toEqual(fail('b'))
    expect(joinJudgements(fail('a'), fail('b'))).toEqual({ kind: 'fail', failures: [failure('a'), failure('b')] })
    expect(joinJudgements(error, fail('b'))).toEqual(error)
    expect(joinJudgements(fail('a'), error)).toEqual(error)
    expect(joinJudgements(error, pass)).toEqual(error)
    expect(joinJudgements(pass, error)).toEqual(error)
  })
})
