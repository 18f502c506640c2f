import { assert, constantFrom, property, string } from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { bytes, chains, cpuMs, escapeAll, secret, written } from '../../../test/execute/secret-spellings.ts'
import { copyResult } from '../../json/copy.ts'
import { scrubValue } from './scrub-value.ts'
import { createScrubber } from './scrubber.ts'

const scrubber = createScrubber(new Map([['api', secret]]))
const nothing = createScrubber(new Map())

describe('a secret that was handed out', () => {
  it.each(chains.map((chain) => chain.join(', then ')))('is found as %s [secrets-are-scrubbed]', (name) => {
    const encoded = written(secret, name.split(', then '))
    const { value, count } = scrubValue({ text: `before ${encoded} after` }, scrubber)
    expect(count).toBeGreaterThan(0)
    const text = (value as { text: string }).text
    expect(text).toContain('[secret:api]')
    expect(text).toMatch(/^before .* after$/s)
    expect(text.length).toBeLessThanOrEqual('before [secret:api] after'.length + 16)
  })

  it('is found for every secret, in every encoding, in every place [secrets-are-scrubbed]', () => {
    const secrets = string({ unit: 'binary', minLength: 8, maxLength: 60 }).filter(
      (text) => text.isWellFormed() && text.trim().length >= 8 && !/\s/.test(text) && new Set(text).size > 3,
    )
    const around = string({ maxLength: 12 })
    assert(
      property(secrets, constantFrom(...chains), around, around, (random, chain, before, after) => {
        const own = createScrubber(new Map([['x', random]]))
        const encoded = written(random, chain)
        const { count, value } = scrubValue(`${before} ${encoded} ${after}`, own)
        expect([count > 0, encoded.length > 8 && String(value).includes(encoded)]).toEqual([true, false])
      }),
      { numRuns: 400 },
    )
  }, 60_000)

  it('is found in every place of a value [secrets-are-scrubbed]', () => {
    class Holder {
      token = secret
    }
    class Silent {
      readonly #token = secret
      toJSON() {
        return { token: this.#token }
      }
    }
    const places: Readonly<Record<string, unknown>> = {
      text: secret,
      array: [1, [secret]],
      member: { a: { b: secret } },
      key: { [secret]: 1 },
      buffer: Buffer.from(`x${secret}y`),
      bytes: new Uint8Array(Buffer.from(`x${secret}y`)),
      'bytes of UTF-16': Buffer.from(`x${secret}y`, 'utf16le'),
      'bytes of UTF-16, shifted': Buffer.concat([Buffer.from('x'), Buffer.from(secret, 'utf16le')]),
      'array buffer': Uint8Array.from(Buffer.from(secret)).buffer,
      map: new Map([['a', secret]]),
      'key of a map': new Map([[secret, 1]]),
      set: new Set([secret]),
      error: new Error(`failed with ${secret}`),
      cause: new Error('failed', { cause: { headers: { authorization: secret } } }),
      instance: new Holder(),
      'what it says of itself': new Silent(),
      'what a plain object says of itself': { toJSON: () => ({ token: secret }) },
      'what an array says of itself': Object.assign([], { toJSON: () => [secret] }),
      url: new URL(`https://example.com/?key=${encodeURIComponent(secret)}`),
    }
    for (const [name, value] of Object.entries(places)) {
      const scrubbed = scrubValue({ value }, scrubber)
      const { value: clean } = scrubbed.value as { value: unknown }
      const seen = [JSON.stringify(clean), String(clean), inspected(clean)].join()
      expect([name, scrubbed.count > 0, seen.includes('p@ss'), scrubbed.whole]).toEqual([name, true, false, true])
    }
    const digits = createScrubber(new Map([['pin', '8401957362']]))
    expect(scrubValue({ pin: 8401957362, big: 8401957362n, other: 5 }, digits).value).toEqual({
      pin: '[secret:pin]',
      big: '[secret:pin]',
      other: 5,
    })
  })

  it('is taken out of thousands of keys, of which each is tried a few times only', () => {
    const keys = Array.from(
      { length: 1_000 },
      (_, at) => `ghp_${String(at).padStart(36, 'aB3dE5gH7jK9mN2pQ4sT6vW8yZ1cX0fR5uL6')}`,
    )
    const record = Object.fromEntries([...keys, '[secret]#7'].map((key) => [key, 1]))
    const tried = vi.spyOn(Object, 'hasOwn')
    const { value } = scrubValue(record, nothing)
    const { length: times } = tried.mock.calls
    tried.mockRestore()
    expect(times).toBeLessThan(4 * keys.length)
    expect(Object.keys(value as object)).toHaveLength(keys.length + 1)
    expect(JSON.stringify(value)).not.toContain('ghp_')
  })

  it.each(['\ufe0e', '\ufe0f', '\u20e3', '\u2800'])(
    'is found with a mark that is not seen in it: %j [secrets-are-scrubbed]',
    (mark) => {
      for (let at = 1; at < secret.length; at++)
        expect(scrubValue(`a ${secret.slice(0, at)}${mark}${secret.slice(at)} b`, scrubber).value).toBe(
          'a [secret:api] b',
        )
    },
  )

  it('leaves what holds none untouched, and of the rest copies only what it must', () => {
    const clean = { list: [Number.NaN, { a: null, at: new Date(0), map: new Map([[1, 'x']]) }], text: 'Bought at 5 %' }
    expect(scrubValue(clean, scrubber)).toEqual({ value: clean, count: 0, names: new Set(), whole: true })
    expect(scrubValue(clean, scrubber).value).toBe(clean)
    const mixed = { clean, dirty: [secret], [Symbol.for('mark')]: true }
    const { value } = scrubValue(mixed, scrubber)
    expect(value).toEqual({ clean, dirty: ['[secret:api]'], [Symbol.for('mark')]: true })
    expect((value as typeof mixed).clean).toBe(clean)
    expect(mixed.dirty).toEqual([secret])
  })

  it('is found behind as many values as a result may hold; what is not looked at is not shown [secrets-are-scrubbed]', () => {
    const behind = (count: number) => [...Array.from({ length: count }, () => []), secret]
    expect(scrubValue(behind(900_000), scrubber).count).toBe(1)
    const tooMany = scrubValue(behind(2_000_000), scrubber)
    expect([tooMany.whole, copyResult(tooMany.value, { maxBytes: 1e9, maxValues: 1e9 }).ok]).toEqual([false, false])
  }, 60_000)

  it('is not looked for without end, nor in what cannot be read', () => {
    const cyclic: Record<string, unknown> = {}
    cyclic.self = cyclic
    let shared: unknown = [secret]
    for (let depth = 0; depth < 40; depth++) shared = [shared, shared]
    const throwing = {
      get x() {
        throw new Error('no')
      },
    }
    expect(scrubValue(shared, scrubber).count).toBeGreaterThan(0)
    for (const value of [cyclic, throwing, new Array(4_000_000_000)])
      expect(scrubValue(value, scrubber).whole).toBe(false)
  })
})

describe('what is spelled character by character', () => {
  const megabytes = 10 * 1_048_576
  const spellings = ['\\u0061', '\\', '\\n', '%41', '%C3%A9', '%2525', '&amp;', '&#x61;', '&zzzzzzzz', 'a ', '\\u4e2d']

  it.each(spellings)('%s is looked through in a moment, ten megabytes of it', (spelling) => {
    const text = spelling.repeat(megabytes / spelling.length)
    // 0.12 to 0.28 s on two busy cores.
    expect(cpuMs(() => expect(scrubValue(text, scrubber).value).toBe(text))).toBeLessThan(2_000)
  })

  it('is looked through in a moment as bytes, and a secret at its end is found [secrets-are-scrubbed]', () => {
    const noise = '\\'.repeat(megabytes)
    const ms = cpuMs(() => {
      const scrubbed = scrubValue(Buffer.from(`${noise} ${escapeAll(secret)}`), scrubber)
      expect([scrubbed.count, String(scrubbed.value).slice(megabytes)]).toEqual([1, ' [secret:api]'])
    })
    expect(ms).toBeLessThan(4_000)
  })

  it('is found as often as it stands there, also a hundred thousand times', () => {
    const times = 100_000
    const { count, value } = scrubValue(`${escapeAll('ab cd')}${secret}`.repeat(times), scrubber)
    expect([count, String(value).length]).toEqual([
      times,
      times * '\\u0061\\u0062\\u0020\\u0063\\u0064[secret:api]'.length,
    ])
  })

  it('stands for what it is read as, and in its place', () => {
    const plain = '\u{1f600}é%zz\\q&nope;'
    for (const spelled of [
      '%F0%9F%98%80%c3%a9%zz\\q&nope;',
      '&#128512;&#xE9;%zz\\q&nope;',
      '\\ud83d\\ude00\\xe9%zz\\q&nope;',
    ]) {
      const known = createScrubber(new Map([['odd', plain]]))
      expect(scrubValue(`a ${spelled} b`, known).value).toBe('a [secret:odd] b')
    }
    // Bytes that are no UTF-8 stand for themselves.
    const latin = createScrubber(new Map([['latin', 'pass\xe0\x80\x80word']]))
    expect(scrubValue('pass%E0%80%80word', latin).value).toBe('[secret:latin]')
  })

  it('is found as UTF-16 among any number of bytes, and every other byte stays [secrets-are-scrubbed]', () => {
    for (const before of ['', 'a', 'ab'])
      for (const after of ['', 'y', 'yz']) {
        const given = Buffer.concat([bytes(before), Buffer.from(secret, 'utf16le'), bytes(after)])
        const { value } = scrubValue(given, scrubber) as { value: Buffer }
        const mark = Buffer.from('[secret:api]', 'utf16le')
        expect(value.equals(Buffer.concat([bytes(before), mark, bytes(after)]))).toBe(true)
      }
  })

  it('is found as UTF-16 also where no byte is zero [secrets-are-scrubbed]', () => {
    const wide = createScrubber(new Map([['wide', '山川草木花鳥風月春夏']]))
    const scrubbed = scrubValue(Buffer.from('山川草木花鳥風月春夏', 'utf16le'), wide)
    expect((scrubbed.value as Buffer).toString('utf16le')).toBe('[secret:wide]')
  })
})

describe('what looks like a secret', () => {
  const token = ['eyJhbGciOiJIUzI1NiJ9', 'eyJzdWIiOiIxMjM0NTY3ODkwIn0', 'dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U']
  // In two parts each, so that a search for secrets does not take them for real ones.
  const shapes: readonly (readonly [string, string])[] = [
    ['AKIA', 'IOSFODNN7EXAMPLE'],
    ['ghp', '_16C7e42F292c6912E7710c838347Ae178B4a'],
    ['github', '_pat_11ABCDEFG0abcdefghijkl_mnopqrstuvwxyz0123456789'],
    ['xoxb', '-123456789012-abcdefABCDEF'],
    ['sk', '_live_4eC39HqLyjWDarjtT1zdp7dc'],
    ['sk', '-proj-AbCd1234EfGh5678IjKl9012'],
    ['sk', '-ant-api03-AbCd1234EfGh5678IjKl9012_-x'],
    ['AIza', 'SyD-9tSrke72PouQMnMX-a7eZSW0jkFMBWY'],
    ['npm', '_abcdefghijklmnopqrstuvwxyz0123456789'],
    [token[0] ?? '', `.${token[1]}.${token[2]}`],
    ['-----BEGIN RSA PRIVATE', ' KEY-----\nMIIEow==\n-----END RSA PRIVATE KEY-----'],
    ['-----BEGIN PRIVATE', ' KEY-----\nMIIEowcut off'],
  ]

  it.each(shapes)('is taken out: %s… [secrets-are-scrubbed]', (head, rest) => {
    const { value, count } = scrubValue(`key "${head}${rest}"`, nothing)
    expect([count, String(value).startsWith('key "[secret]')]).toEqual([1, true])
    expect(String(value)).not.toContain(rest.slice(-6, -1))
  })

  it('is taken out of headers and addresses, whose other parts stay', () => {
    const lines = [
      ['Authorization: Bearer abcDEF123456789012345', 'Authorization: Bearer [secret]'],
      ['postgres://ann:hunter2!@db.example.com/x', 'postgres://ann:[secret]@db.example.com/x'],
    ] as const
    for (const [line, expected] of lines) expect(scrubValue(line, nothing).value).toBe(expected)
  })

  it('is not seen in ordinary text', () => {
    const ordinary = [
      'https://example.com:8080/a/b?c=d@e',
      'a risk-management-and-task-force-overview-of-everything',
      'the bearer responsibilities-of-the-office',
      'sk-learn-style-estimators-are-nice-to-have',
      '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----',
      'AKIA is a prefix; eyJ too, and eyJhbGciOiJI.x',
      '018f2b7e-7c1a-7d3e-9c54-0a1b2c3d4e5f',
      'd41d8cd98f00b204e9800998ecf8427e',
    ]
    for (const text of ordinary) expect(scrubValue(text, nothing)).toMatchObject({ value: text, count: 0 })
  })

  it('takes time in proportion to the text, for every text', () => {
    for (const part of [
      'sk-',
      'eyJaaaaaaaa_',
      '-----BEGIN PRIVATE KEY',
      'bearer ',
      '://a:b',
      '%25',
      '&amp;',
      '\\u005c',
    ]) {
      const text = part.repeat(200_000 / part.length)
      const ms = cpuMs(() => {
        scrubber.find(text)
        scrubber.open(text)
      })
      expect(ms).toBeLessThan(5_000)
    }
  }, 60_000)
})

function inspected(value: unknown): string {
  if (value instanceof Error) return [value.message, value.stack, JSON.stringify(value.cause)].join()
  if (value instanceof Map || value instanceof Set) return JSON.stringify([...value])
  if (ArrayBuffer.isView(value)) return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString()
  return value instanceof ArrayBuffer ? Buffer.from(value).toString() : ''
}
