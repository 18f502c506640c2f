// Holds the validators that confirm witnesses to what they are asked for: they deny a wrong one, and where the second falls short
// the third and our own are right.
import { describe, expect, it } from 'vitest'
import { askOthers } from '../../bench/prover/ask-others.ts'
import { hyperjumpAccepts } from '../../bench/prover/hyperjump-accepts.ts'
import { typeboxAccepts } from '../../bench/prover/typebox-accepts.ts'
import type { JsonValue } from '../../src/json/value.ts'
import { preprocess } from '../../src/schema/preprocess.ts'
import { compileValidator } from '../../src/schema/validator.ts'
import { shortcomings } from './hyperjump-shortcomings.ts'

const pair = { id: 'own', draft: 'draft2020-12', lhs: { type: 'number' }, rhs: { minimum: 1 }, expected: false }

describe('validators of other making', () => {
  it('confirm a value that R accepts and L refuses', async () => {
    expect(await askOthers(pair, 0)).toEqual({ second: 'confirmed' })
  })

  it.each([
    ['both accept', 1],
    ['R refuses', 'a'],
  ] as const)('deny a value that %s', async (_case, value) => {
    expect(await askOthers(pair, value)).toEqual({ second: 'denied', third: 'denied' })
  })

  it('say that they cannot read a schema instead of judging by half of it', async () => {
    const rhs = { $ref: '#/$defs/absent' }
    expect((await askOthers({ ...pair, rhs }, 0)).second).toBe('unread')
  })

  it('read a schema that a file URI identifies', async () => {
    const schema = { $id: 'file:///folder/file.json', $defs: { a: { type: 'number' } }, $ref: '#/$defs/a' }
    expect(await hyperjumpAccepts(schema, 'draft2020-12', 1)).toBe(true)
    expect(await hyperjumpAccepts(schema, 'draft2020-12', 'a')).toBe(false)
  })

  it('keep nothing of one schema for the next', async () => {
    const $id = 'https://proviso.example/same'
    expect(await hyperjumpAccepts({ $id, type: 'number' }, 'draft7', 1)).toBe(true)
    expect(await hyperjumpAccepts({ $id, type: 'string' }, 'draft7', 1)).toBe(false)
  })

  describe.each(shortcomings)('$name', ({ draft, schema, accepted, refused }) => {
    it('is judged rightly by the third validator and by ours', () => {
      const read = preprocess(schema, { dialect: draft === 'draft7' ? 'draft-07' : '2020-12' })
      if (!read.ok) throw new Error(read.refusals[0]?.message)
      const ours = compileValidator(read.schema)
      for (const value of accepted) expect([typeboxAccepts(schema, value), ours.matches(value)]).toEqual([true, true])
      for (const value of refused) expect([typeboxAccepts(schema, value), ours.matches(value)]).toEqual([false, false])
    })

    it('is beyond the second validator', async () => {
      const rightly = async (value: JsonValue, truth: boolean): Promise<boolean> => {
        try {
          return (await hyperjumpAccepts(schema, draft, value)) === truth
        } catch {
          return false
        }
      }
      const judged = [
        ...accepted.map((value) => rightly(value, true)),
        ...refused.map((value) => rightly(value, false)),
      ]
      expect(await Promise.all(judged)).toContain(false)
    })
  })
})
