import { assert, integer, property, string } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cpuMs, secret, written } from '../../../test/execute/secret-spellings.ts'
import { createScrubbedStream, type StreamedMessage } from './scrub-stream.ts'
import { createScrubber } from './scrubber.ts'

const scrubber = createScrubber(new Map([['api', secret]]))
const nothing = createScrubber(new Map())

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
          // At most the first characters were passed on before they could be noticed.
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

  it('holds no password of an address, for every password and every cut', () => {
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
