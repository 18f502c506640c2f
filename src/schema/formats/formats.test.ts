import { describe, expect, it } from 'vitest'
import { fitsFormat, formatCheck, formatNames } from './formats.ts'

/** For every format some texts (or numbers) that fit and some that do not. */
const samples: Readonly<
  Record<string, readonly [good: readonly (string | number)[], bad: readonly (string | number)[]]>
> = {
  date: [['2024-02-29'], ['2023-02-29', '2024-13-01', '2024-1-1', '2024-01-01T00:00:00Z', '২০২৪-01-01']],
  time: [
    ['23:59:60Z', '01:29:60+01:30', '12:00:00.5-23:59'],
    ['22:59:60Z', '24:00:00Z', '12:00:00', '12:00Z'],
  ],
  'date-time': [
    ['2024-02-29T12:00:00Z', '1998-12-31T15:59:60.123-08:00'],
    ['2024-02-29 12:00:00Z', '2024-02-30T12:00:00Z', '2024-02-29T12:00:00'],
  ],
  duration: [
    ['P1Y2M3D', 'PT36H', 'P4W', 'P1DT1S'],
    ['P', 'PT', 'P1Y2D', 'P1W1D', 'P1', '1D', 'P1.5D'],
  ],
  email: [
    ['joe@example.test', '"a b"@example.test', 'a@[127.0.0.1]'],
    ['joe', 'a..b@example.test', 'a@-x.test', 'a b@example.test', 'a@[300.0.0.1]'],
  ],
  'idn-email': [['실례@실례.테스트'], ['2962', 'a@b@c d']],
  hostname: [
    ['example.test', 'xn--nxasmq6b', 'a'.repeat(63)],
    ['-a', 'a-', 'a_b', 'a..b', 'xn--X', 'a'.repeat(64), ''],
  ],
  'idn-hostname': [
    ['실례.테스트', 'l·l'],
    ['〮실례', 'a·l', '-x', ''],
  ],
  ipv4: [['127.0.0.1'], ['256.0.0.1', '01.2.3.4', '1.2.3', '1.2.3.4 ']],
  ipv6: [
    ['::1', '1:2:3:4:5:6:7:8', '::ffff:1.2.3.4'],
    ['1::2::3', '12345::', 'fe80::1%eth0', '::1/64'],
  ],
  uri: [
    ['https://a.test/b?c#d', 'urn:x:y', 'http://[::1]:80/'],
    ['/a', 'a b:c', 'http://a b', 'http://[::1', ':a', '%41:x', 'http://a.test/%zz'],
  ],
  'uri-reference': [
    ['/a', '#x', '', 'a:b'],
    ['\\a', '1a:b', '//[', 'a b'],
  ],
  iri: [['https://ƒøø.test/ß'], ['/ß', 'http://a\u0000']],
  'iri-reference': [['/ß'], ['\\ß']],
  'uri-template': [
    ['/a/{b}{?c,d*}', '{x:3}'],
    ['/a/{b', '{}', '{a b}'],
  ],
  'json-pointer': [
    ['', '/a~0/b~1'],
    ['a', '/~', '/~2'],
  ],
  'relative-json-pointer': [
    ['0', '1/a', '2#'],
    ['/a', '-1', '01', '0##'],
  ],
  regex: [
    ['^a$', '(?=x)'],
    ['[', '\\Z', '('],
  ],
  uuid: [
    ['2EB8AA08-AA98-11EA-B4AA-73B441D16380'],
    ['urn:uuid:2EB8AA08-AA98-11EA-B4AA-73B441D16380', '2eb8aa08aa9811eab4aa73b441d16380'],
  ],
  int8: [
    [-128, 127],
    [128, 0.5],
  ],
  int16: [[-32768], [32768]],
  int32: [[2 ** 31 - 1], [2 ** 31, 1.5]],
  int64: [[-(2 ** 63)], [2 ** 63]],
  uint8: [
    [0, 255],
    [-1, 256],
  ],
  uint16: [[65535], [65536]],
  uint32: [[2 ** 32 - 1], [2 ** 32]],
  uint64: [[2 ** 63], [-1, 2 ** 64]],
  float: [[1.5], [1e39]],
  double: [[1e308], []],
  byte: [
    ['', 'YQ==', 'YWJj'],
    ['YQ', 'Y Q=', 'YWJj\nx'],
  ],
  binary: [['anything'], []],
  password: [['anything'], []],
}

describe('formats', () => {
  it('has samples for every row', () => {
    expect(Object.keys(samples)).toEqual([...formatNames])
  })

  it.each(Object.entries(samples))('knows %s', (name, [good, bad]) => {
    for (const value of good) expect([value, fitsFormat(name, value)]).toEqual([value, true])
    for (const value of bad) expect([value, fitsFormat(name, value)]).toEqual([value, false])
  })

  it('says nothing about values of another type', () => {
    for (const name of formatNames)
      expect(fitsFormat(name, formatCheck(name)?.type === 'string' ? 5 : 'text')).toBe(true)
  })

  it('stays linear on hostile texts', () => {
    const parts = ['a', '-', '.', '1', ':', '/', '%', '{', '@', '~', '"', 'P1', 'xn--', '\\', 'a.', '::', '😀', 'é']
    const started = performance.now()
    for (const name of formatNames) {
      const check = formatCheck(name)
      if (check?.type !== 'string') continue
      for (const part of parts) for (const end of ['', '!', '@']) check.test(part.repeat(20_000) + end)
    }
    expect(performance.now() - started).toBeLessThan(5000)
  })
})
