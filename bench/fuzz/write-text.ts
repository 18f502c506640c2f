// From a value to a text that a model might really send: odd spellings of the same value, and texts that are no JSON any more.
import { isObject, type JsonValue } from '../../src/json/value.ts'
import type { Random } from './random.ts'

const numberSpellings = [
  '1e400',
  '-1e400',
  '1e-400',
  '0.1000000000000000055',
  '12345678901234567890',
  '9007199254740993',
  '1E2',
  '1.0',
  '-0',
  '-0.0',
  '00',
  '+1',
  '.5',
  '1.',
  '0x10',
  'NaN',
  'Infinity',
  '-Infinity',
  '1_000',
  '1e',
  '٣',
] as const
const fragments = [
  '"__proto__":{"polluted":true},',
  '"__proto__":1,',
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '"',
  '\\',
  '\\u',
  '\\ud800',
  '\u0000',
  '\u0007',
  '\ufeff',
  '\u2028',
  '//',
  '/*',
  '```json\n',
  'undefined',
  'None',
  'True',
  "'",
  '\ud83d',
  '\udc00',
  '\n',
  '\t',
  '"a":1,"a":2,',
] as const

/** The value in a spelling of its own: space, escapes, key twice, number written otherwise. Mostly still JSON. */
export function spellValue(value: JsonValue, random: Random): string {
  const space = (): string => (random.chance(0.1) ? random.pick([' ', '\n', '\t', '  \r\n']) : '')
  if (isObject(value)) {
    const members = Object.entries(value).map(
      ([key, own]) => `${space()}${spellText(key, random)}${space()}:${space()}${spellValue(own, random)}`,
    )
    const first = members[0]
    if (first !== undefined && random.chance(0.02)) members.push(first)
    if (random.chance(0.02)) members.push(`"__proto__":${random.pick(['{}', '1', '{"admin":true}'])}`)
    return `{${members.join(',')}${space()}}`
  }
  if (Array.isArray(value))
    return `[${value.map((own: JsonValue) => `${space()}${spellValue(own, random)}`).join(',')}${space()}]`
  if (typeof value === 'number' && random.chance(0.08)) return random.pick(numberSpellings)
  return typeof value === 'string' ? spellText(value, random) : JSON.stringify(value)
}

function spellText(text: string, random: Random): string {
  if (random.chance(0.9)) return JSON.stringify(text)
  const units = Array.from(
    { length: text.length },
    (_, at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`,
  )
  return `"${units.join('')}"`
}

/** Damages the text as a broken stream, a careless hand or an attacker would. */
export function damageText(text: string, random: Random): string {
  let damaged = text
  for (let times = 1 + random.int(3); times > 0; times--) {
    const at = random.int(damaged.length + 1)
    const until = Math.min(damaged.length, at + 1 + random.int(8))
    damaged = random.pick<() => string>([
      () => damaged.slice(0, at),
      () => damaged.slice(at),
      () => damaged.slice(0, at) + damaged.slice(until),
      () => damaged.slice(0, at) + random.pick(fragments) + damaged.slice(at),
      () => damaged.slice(0, at) + damaged.slice(at, until) + damaged.slice(at),
      () => damaged.slice(0, at) + String.fromCharCode(random.int(0x1_0000)) + damaged.slice(at + 1),
      () =>
        damaged.slice(0, at) +
        String.fromCharCode(damaged.charCodeAt(at) ^ (1 << random.int(8))) +
        damaged.slice(at + 1),
      () => damaged.replace(/\d+/, random.pick(numberSpellings)),
      () => damaged + damaged,
    ])()
  }
  return damaged
}

export function garbageText(random: Random): string {
  return random.pick<() => string>([
    () => '',
    () =>
      random.pick([
        'NaN',
        'undefined',
        'null',
        'true',
        '0',
        '"text"',
        '[]',
        '{}',
        '[[]]',
        ' ',
        '\ufeff{}',
        '<tool_call>',
        '{}{}',
        '{} {}',
        "{'a':1}",
      ]),
    () => Array.from({ length: random.int(60) }, () => random.pick(fragments)).join(''),
    () => Buffer.from(Array.from({ length: random.int(200) }, () => random.int(256))).toString('latin1'),
    () => Buffer.from(Array.from({ length: random.int(200) }, () => random.int(256))).toString('utf8'),
    () => String.fromCharCode(...Array.from({ length: random.int(100) }, () => random.int(0x1_0000))),
  ])()
}
