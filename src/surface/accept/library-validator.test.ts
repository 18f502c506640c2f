// A validator's answer in each case: a value, issues, a throw, a rejection, or nonsense.
import { toStandardJsonSchema } from '@valibot/to-json-schema'
import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { acceptSchema } from './accept-schema.ts'
import type { LibraryOutcome } from './library-validator.ts'

async function validate(schema: unknown, value: unknown): Promise<LibraryOutcome> {
  const accepted = acceptSchema(schema, 'input')
  if (!accepted.ok || accepted.validate === undefined) throw new Error('no validator')
  return accepted.validate(value)
}

describe('A validator never throws through', () => {
  const standard = (validate: (value: unknown) => unknown) => ({
    '~standard': { version: 1, vendor: 'other', validate, jsonSchema: { input: () => ({}), output: () => ({}) } },
  })

  test('A throw and a rejection become issues without stack text', async () => {
    const boom = () => {
      throw new TypeError('bad\n    at somewhere (file.ts:1:1)')
    }
    const expected = { ok: false, issues: [{ path: [], message: 'The validator threw TypeError: bad' }] }
    expect(await validate(standard(boom), 1)).toEqual(expected)
    expect(
      await validate(
        standard(async () => boom()),
        1,
      ),
    ).toEqual(expected)
    expect(await validate(z.object({ a: z.string().transform(boom) }), { a: 'x' })).toEqual(expected)
  })

  test('A synchronous validator answers at once, an asynchronous one later', async () => {
    const accepted = acceptSchema(z.string(), 'input')
    expect(accepted.ok && accepted.validate?.('x')).toEqual({ ok: true, value: 'x' })
    const later = z.string().refine(async (text) => text === 'x')
    expect(await validate(later, 'x')).toEqual({ ok: true, value: 'x' })
    expect((await validate(later, 'y')).ok).toBe(false)
  })

  test('Issues decide, even where a failing library hands back a value', async () => {
    const outcome = await validate(toStandardJsonSchema(v.object({ a: v.array(v.object({ b: v.string() })) })), {
      a: [{ b: 1 }],
    })
    expect(outcome).toMatchObject({ ok: false, issues: [{ path: ['a', 0, 'b'] }] })
  })

  test('Empty issues, strange paths and absent results are refusals', async () => {
    expect(
      (
        await validate(
          standard(() => ({ issues: [] })),
          1,
        )
      ).ok,
    ).toBe(false)
    expect(
      (
        await validate(
          standard(() => undefined),
          1,
        )
      ).ok,
    ).toBe(false)
    const odd = { issues: [{ message: '', path: [Symbol('s'), { key: 2 }, 'k'] }] }
    expect(
      await validate(
        standard(() => odd),
        1,
      ),
    ).toEqual({
      ok: false,
      issues: [{ path: ['s', 2, 'k'], message: 'The value was refused.' }],
    })
  })

  test('a message as long as one likes is cut before it is searched for a stack [text-in-linear-time]', async () => {
    const boom = () => {
      throw new TypeError(`bad${'\n'.repeat(60_000)}`)
    }
    const began = process.cpuUsage()
    expect(await validate(standard(boom), 1)).toMatchObject({ ok: false })
    expect(process.cpuUsage(began).user).toBeLessThan(100_000)
  })
})
