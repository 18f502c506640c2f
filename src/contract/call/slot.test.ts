// The specification's key over its eight fields: each of them counts, in this order, and none runs into its neighbour.
import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { hashFields } from '../../json/hash.ts'
import { idempotencyKey, type KeyFields } from './slot.ts'

const fields: KeyFields = {
  workflow: 'billing',
  run: 'run-1',
  tenant: 'acme',
  user: 'ann',
  tool: 'charge_v2',
  version: '2.1.0',
  operation: 'op-7',
  payloadHash: 'ab'.repeat(32),
}

describe('an idempotency key', () => {
  it('is the SHA-256 over the eight fields in their order [TC-158]', () => {
    const inOrder = ['billing', 'run-1', 'acme', 'ann', 'charge_v2', '2.1.0', 'op-7', 'ab'.repeat(32)]
    expect(idempotencyKey(fields, 1)).toBe(hashFields('proviso.idempotency-key.v1', inOrder))
    const text = JSON.stringify(['proviso.idempotency-key.v1', ...inOrder])
    expect(idempotencyKey(fields, 1)).toBe(createHash('sha256').update(text).digest('hex'))
  })

  it.each(Object.keys(fields) as (keyof KeyFields)[])(
    'is another one where only the %s differs, and the same otherwise [TC-156, TC-159 to TC-166]',
    (name) => {
      const key = idempotencyKey(fields, 1)
      expect(idempotencyKey({ ...fields, [name]: `${fields[name]}x` }, 1)).not.toBe(key)
      expect(idempotencyKey({ ...fields }, 1)).toBe(key)
    },
  )

  it('keeps neighbours and generations apart', () => {
    const shifted = { ...fields, workflow: 'billin', run: 'grun-1' }
    expect(idempotencyKey(shifted, 1)).not.toBe(idempotencyKey(fields, 1))
    expect(idempotencyKey(fields, 2)).not.toBe(idempotencyKey(fields, 1))
  })
})
