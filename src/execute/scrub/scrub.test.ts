import { assert, constantFrom, integer, property, string } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { copyResult } from '../../json/copy.ts'
import { createScrubbedStream, type StreamedMessage } from './scrub-stream.ts'
import { scrubValue } from './scrub-value.ts'
import { createScrubber } from './scrubber.ts'

const secret = 'p@ss/w0rd+"of Ann"&<é>=\\x!'
const scrubber = createScrubber(new Map([['api', secret]]))
const nothing = createScrubber(new Map())

const bytes = (text: string) => Buffer.from(text)
const percentAll = (text: string) => [...bytes(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')
const escapeAll = (text: string) =>
  Array.from({ length: text.length }, (_, at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`).join('')
const entitiesOf = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')

/** Every way of writing a text that a tool may come by. */
const encodings: Readonly<Record<string, (text: string) => string>> = {
  raw: (text) => text,
  base64: (text) => bytes(text).toString('base64'),
  'base64 after one byte': (text) => bytes(`:${text}`).toString('base64'),
  'base64 after two bytes': (text) => bytes(`u:${text}`).toString('base64'),
  'base64 within more': (text) => bytes(`user:${text}\nmore`).toString('base64'),
  base64url: (text) => bytes(text).toString('base64url'),
  'base64 in lines': (text) =>
    (
      bytes(text)
        .toString('base64')
        .match(/.{1,9}/g) ?? []
    ).join('\r\n'),
  hex: (text) => bytes(text).toString('hex'),
  'hex in capitals': (text) => bytes(text).toString('hex').toUpperCase(),
  'percent signs': encodeURIComponent,
  'percent signs in small letters': (text) => encodeURIComponent(text).replaceAll(/%../g, (byte) => byte.toLowerCase()),
  'percent signs everywhere': percentAll,
  'percent signs in part': (text) => text.replaceAll('/', '%2f').replaceAll('"', '%22'),
  form: (text) => new URLSearchParams({ a: text }).toString().slice(2),
  JSON: (text) => JSON.stringify(text).slice(1, -1),
  'JSON with slashes escaped': (text) => JSON.stringify(text).slice(1, -1).replaceAll('/', '\\/'),
  'escapes everywhere': escapeAll,
  entities: entitiesOf,
  'numbered entities': (text) => [...text].map((character) => `&#${character.codePointAt(0)};`).join(''),
  'numbered entities in hex': (text) => [...text].map((one) => `&#x${one.codePointAt(0)?.toString(16)};`).join(''),
  'UTF-16 in base64': (text) => Buffer.from(text, 'utf16le').toString('base64'),
  'broken into lines': (text) => (text.match(/.{1,7}/g) ?? []).join('\n'),
}

const twice: readonly (readonly [string, string])[] = [
  ['percent signs', 'percent signs'],
  ['JSON', 'JSON'],
  ['base64', 'base64'],
  ['base64', 'percent signs'],
  ['percent signs', 'base64'],
  ['JSON', 'base64'],
  ['hex', 'base64'],
  ['base64', 'hex'],
  ['form', 'JSON'],
  ['entities', 'percent signs'],
  ['base64', 'JSON with slashes escaped'],
]
const chains = [
  ...Object.keys(encodings).map((name) => [name]),
  ...twice.map(([inner, outer]) => [inner, outer]),
] as readonly (readonly string[])[]
const written = (text: string, chain: readonly string[]) =>
  chain.reduce((so, name) => encodings[name]?.(so) ?? so, text)

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

  it('is found whatever it is, in every encoding, wherever it stands [secrets-are-scrubbed]', () => {
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

/** Milliseconds of processor time, whatever else the machine does. */
function cpuMs(work: () => void): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}

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
  // In two parts each, so that nobody who searches this file takes them for real ones.
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

  it('takes time in proportion to the text, whatever stands in it', () => {
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

describe('what is said in pieces', () => {
  const told = (pieces: readonly string[], how: 'progress' | 'partial' | 'member', own = scrubber) => {
    const said: StreamedMessage[] = []
    const stream = createScrubbedStream(own, (one) => said.push(one))
    for (const piece of pieces) {
      if (how === 'progress') stream.progress(piece)
      else stream.partial(how === 'partial' ? piece : { delta: { text: piece } })
    }
    stream.end()
    stream.progress('after the end')
    return said.map((one) => (one.event === 'progress' ? one.text : JSON.stringify(one.value))).join('|')
  }

  it.each(['progress', 'partial', 'member'] as const)(
    'holds no secret, wherever it is cut: %s [secrets-are-scrubbed]',
    (how) => {
      for (const name of ['raw', 'base64', 'percent signs', 'JSON', 'escapes everywhere', 'hex']) {
        const encoded = `see ${written(secret, [name])} there`
        for (let cut = 1; cut < encoded.length; cut++) {
          const heard = told([encoded.slice(0, cut), encoded.slice(cut), 'more'], how)
          expect(heard).toContain('[secret:api]')
          // At most the first characters were told before anybody could know.
          expect(longestShared(heard, encoded.slice(4, -6))).toBeLessThan(name === 'raw' ? 4 : 24)
        }
      }
    },
    60_000,
  )

  it.each([
    ['percent signs everywhere', 'percent signs'],
    ['percent signs everywhere', 'percent signs everywhere'],
    ['escapes everywhere', 'JSON'],
    ['escapes everywhere', 'percent signs everywhere'],
    ['numbered entities in hex', 'escapes everywhere'],
    ['entities', 'numbered entities'],
  ])(
    'holds no secret written as %s, then %s, wherever it is cut [secrets-are-scrubbed]',
    (...names) => {
      const encoded = `see ${written(secret, names)} there`
      for (let cut = 5; cut < encoded.length - 6; cut++) {
        const heard = told([encoded.slice(0, cut), encoded.slice(cut), 'more'], 'progress')
        expect(heard).toContain('[secret:api]')
        // Of twenty-six characters the first three or four may have been told, and of the last none.
        expect(heard).not.toContain(encoded.slice(4, encoded.length / 4))
        expect(heard).not.toContain(encoded.slice(-30, -6))
      }
    },
    60_000,
  )

  it('holds no secret that looks like a spelling where it is cut [secrets-are-scrubbed]', () => {
    for (const own of ['k&bcdefg-1', '&abcdefgh', 'é%c3abcdef', 'a\\u00bcdef']) {
      const single = createScrubber(new Map([['x', own]]))
      for (let cut = 4; cut < own.length; cut++)
        expect(longestShared(told([own.slice(0, cut), own.slice(cut)], 'progress', single), own)).toBeLessThan(4)
    }
  })

  it('holds no secret whose beginning lies behind a page of white space [secrets-are-scrubbed]', () => {
    const heard = told([`see ${secret.slice(0, 2)}${' '.repeat(4_000)}`, secret.slice(2)], 'progress')
    expect(heard).toContain('[secret:api]')
    expect(heard).not.toContain(secret.slice(2))
  })

  it('holds no secret that comes character by character [secrets-are-scrubbed]', () => {
    const heard = told([...`a ${secret} b`], 'progress').replaceAll('|', '')
    expect(heard).toContain('[secret:api]')
    expect(longestShared(heard, secret)).toBeLessThan(4)
  })

  it('holds no password of an address, whatever it is made of and wherever it is cut', () => {
    const address = 'postgres://ann:p!s$w%0rd+(x)*1@db'
    for (let cut = 4; cut < address.length; cut++)
      expect(told([`at ${address.slice(0, cut)}`, address.slice(cut)], 'progress', nothing)).not.toMatch(/p!s|x\)\*1/)
  })

  it('holds no token cut in two either', () => {
    const key = `AKIA${'IOSFODNN7EXAMPLE'}`
    for (let cut = 4; cut < key.length; cut++)
      expect(told([`a ${key.slice(0, cut)}`, `${key.slice(cut)} b`], 'progress', nothing)).not.toContain(
        key.slice(4, 12),
      )
  })

  it('takes time in proportion to a list, and holds none of its secrets', () => {
    const said: StreamedMessage[] = []
    const stream = createScrubbedStream(scrubber, (one) => said.push(one))
    // Looked through once for each of its texts it took minutes.
    const ms = cpuMs(() => {
      stream.partial(
        Array.from({ length: 4_000 }, (_, index) => `row ${index} with ${index === 3_999 ? secret : 'more'} `),
      )
      stream.end()
    })
    expect(ms).toBeLessThan(10_000)
    expect(JSON.stringify(said)).toContain('[secret:api]')
  }, 60_000)

  it('takes no longer for a long secret than for a short one, and finds it cut in a hundred [secrets-are-scrubbed]', () => {
    const long = Array.from({ length: 400 }, (_, at) => `MIIEvQIBADANBgkqhkiG9w0BAQ${at}`).join('')
    const patient = createScrubber(new Map([['pem', long]]))
    const told: string[] = []
    const stream = createScrubbedStream(patient, (said) => void (said.event === 'progress' && told.push(said.text)))
    const ms = cpuMs(() => {
      for (let at = 0; at < 1_000; at++) stream.progress(`step ${at} of 1000, \\n%20 ${'x'.repeat(80)}`)
      const step = Math.ceil(long.length / 60)
      for (let at = 0; at < long.length; at += step) stream.progress(long.slice(at, at + step))
      stream.progress('.')
      stream.end()
    })
    expect(told.filter((text) => text.startsWith('step '))).toHaveLength(1_000)
    expect(told.join('')).not.toMatch(/MIIE|BAQ/)
    // Far less; every message was once looked through with all that the secret may reach over.
    expect(ms).toBeLessThan(3_000)
  })

  it('comes whole, in order and at once where nothing can be a secret', () => {
    const said: StreamedMessage[] = []
    const stream = createScrubbedStream(scrubber, (one) => said.push(one))
    stream.progress('Looking up the order')
    stream.partial({ rows: [1, 2] })
    stream.progress('50 %')
    expect(said).toEqual([
      { event: 'progress', text: 'Looking up the order' },
      { event: 'partial_result', value: { rows: [1, 2] } },
      { event: 'progress', text: '50 %' },
    ])
  })

  it('never holds a secret, however it is cut [secrets-are-scrubbed]', () => {
    const cuts = integer({ min: 1, max: 30 })
    assert(
      property(string({ minLength: 12, maxLength: 40 }), cuts, cuts, (random, first, second) => {
        const text = random.replaceAll(/\s/g, '_')
        if (new Set(text).size < 4) return
        const own = createScrubber(new Map([['x', text]]))
        const pieces = [text.slice(0, first), text.slice(first, first + second), text.slice(first + second)]
        const heard = told(pieces, 'progress', own).replaceAll('|', '')
        expect(heard.includes(text)).toBe(false)
      }),
      { numRuns: 200 },
    )
  }, 60_000)
})

/** How much of one text stands in another in one piece. */
function longestShared(text: string, part: string): number {
  for (let length = part.length; length > 0; length--)
    for (let at = 0; at + length <= part.length; at++) if (text.includes(part.slice(at, at + length))) return length
  return 0
}

function inspected(value: unknown): string {
  if (value instanceof Error) return [value.message, value.stack, JSON.stringify(value.cause)].join()
  if (value instanceof Map || value instanceof Set) return JSON.stringify([...value])
  if (ArrayBuffer.isView(value)) return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString()
  return value instanceof ArrayBuffer ? Buffer.from(value).toString() : ''
}
