import { describe, expect, it } from 'vitest'
import { epochMs } from './clock.ts'
import { type Entropy, isUuid, systemEntropy, uuidv7 } from './id.ts'

const version7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

function constantEntropy(byte: number): Entropy {
  return { bytes: (count) => new Uint8Array(count).fill(byte) }
}

function millisecondsOf(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)
}

describe('uuidv7', () => {
  it('carries the time, the version, the variant and the randomness it was given', () => {
    const id = uuidv7(epochMs(0x0192_3456_789a), constantEntropy(0xff))
    expect(id).toBe('01923456-789a-77ff-bfff-ffffffffffff')
    expect(uuidv7(epochMs(0), constantEntropy(0))).toBe('00000000-0000-7000-8000-000000000000')
  })

  it('rises strictly while the clock stands still, beyond what the counter holds', () => {
    const entropy: Entropy = { bytes: (count) => systemEntropy.bytes(count) }
    const now = epochMs(1_800_000_000_000)
    let last = ''
    for (let count = 0; count < 20_000; count++) {
      const id = uuidv7(now, entropy)
      if (!(id > last) || !version7.test(id)) expect.fail(`${id} after ${last}`)
      last = id
    }
    expect(millisecondsOf(last) - now).toBeLessThan(12)
  })

  it('rises when the clock is set back a little, and follows it when it is set back far', () => {
    const entropy = constantEntropy(1)
    const first = uuidv7(epochMs(2_000_000_000), entropy)
    const second = uuidv7(epochMs(1_999_990_000), entropy)
    expect(second > first).toBe(true)
    expect(millisecondsOf(uuidv7(epochMs(1_000_000_000), entropy))).toBe(1_000_000_000)
  })

  it('is unique over many draws of system entropy', () => {
    const ids = Array.from({ length: 20_000 }, (_, index) =>
      uuidv7(epochMs(1_700_000_000_000 + (index >> 4)), systemEntropy),
    )
    expect(new Set(ids).size).toBe(ids.length)
    expect([...ids].sort()).toEqual(ids)
  })
})

describe('systemEntropy', () => {
  it('gives bytes that do not change when more are drawn', () => {
    const drawn = systemEntropy.bytes(16)
    const before = Buffer.from(drawn).toString('hex')
    for (let count = 0; count < 2_000; count++) systemEntropy.bytes(16)
    expect(Buffer.from(drawn).toString('hex')).toBe(before)
    expect(drawn.buffer.byteLength).toBe(16)
  })

  it('gives as many bytes as were asked for', () => {
    for (const count of [0, 1, 8_192, 8_193, 100_000]) expect(systemEntropy.bytes(count)).toHaveLength(count)
  })
})

describe('isUuid', () => {
  it('knows one spelling only', () => {
    expect(isUuid('01923456-789a-77ff-bfff-ffffffffffff')).toBe(true)
    for (const text of [
      '',
      '01923456-789A-77FF-BFFF-FFFFFFFFFFFF',
      '0192345678 9a',
      '{01923456-789a-77ff-bfff-ffffffffffff}',
      '01923456-789a-77ff-bfff-ffffffffffff\n',
    ]) {
      expect(isUuid(text)).toBe(false)
    }
  })
})
