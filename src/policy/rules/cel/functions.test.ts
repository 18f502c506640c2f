import { describe, expect, it } from 'vitest'
import { faultOf, judgeOne, order } from '../../../../test/policy/rule-fixture.ts'
import { functionTable } from './functions.ts'

const astral = { ...order, email: '😀a' }

describe('functions', () => {
  it.each([
    'args.email.size() == 15 && size(args.email) == 15',
    'args.items.size() == 2 && size({"a": 1, "b": 2}) == 2',
    'args.email.startsWith("ada") && args.email.endsWith(".com") && args.email.contains("@ex")',
    'args.email.indexOf("@") == 3 && args.email.indexOf("#") == -1',
    'args.email.substring(4) == "example.com" && args.email.substring(0, 3) == "ada"',
    'size(args.email.split("@")) == 2 && args.email.split("@").all(part, part != "")',
    '"İÀAZ".lowerAscii() == "İÀaz" && "ßàaz".upperAscii() == "ßàAZ"',
    '"  a ".trim() == "a"',
    'int("42") == 42 && int(-2.9) == -2 && int("-7") == -7',
    'double("1.5") == 1.5 && double(args.amount) == 120.0',
    'string(args.amount) == "120" && string(1.5) == "1.5" && string(true) == "true" && string("a") == "a"',
    'int(timestamp("1970-01-01T00:01:00Z")) == 60',
    'timestamp("2024-02-29T12:00:00.250Z").getMilliseconds() == 250',
    'timestamp("2024-12-31T00:00:00Z").getDayOfYear() == 365 && timestamp("2024-12-31T00:00:00Z").getDayOfMonth() == 30',
    'timestamp("2024-12-31T00:00:00Z").getDate() == 31 && timestamp("2024-12-31T00:00:00Z").getMonth() == 11',
    'timestamp("2024-12-31T01:02:03Z").getMinutes() == 2 && timestamp("2024-12-31T01:02:03Z").getSeconds() == 3',
    'timestamp("2024-12-31T20:00:00Z").getHours("Asia/Tokyo") == 5 && timestamp("2024-12-31T20:00:00Z").getFullYear("Asia/Tokyo") == 2025',
    'timestamp("2024-12-31T20:00:00Z").getHours("-02:30") == 17',
    'duration("1h30m").getMinutes() == 90 && duration("90m").getHours() == 1 && duration("-1.5s") < duration("0s")',
    'timestamp("2024-01-02T00:00:00Z") - timestamp("2024-01-01T00:00:00Z") == duration("24h")',
    '"\\uE000" < "😀" && "a" < "b" && !("b" < "a") && "a" <= "a" && "a" < "aa"',
  ])('hold: %s', (when) => {
    expect(judgeOne(when)).toBe(true)
  })

  it('count characters, not halves of them', () => {
    expect(
      judgeOne('args.email.size() == 2 && args.email.indexOf("a") == 1 && args.email.substring(1) == "a"', astral),
    ).toBe(true)
    expect(judgeOne('args.email.split("").size() == 2', astral)).toBe(true)
  })

  it.each([
    'args.email.substring(99) == ""',
    'args.email.substring(3, 1) == ""',
    'int(args.email) == 1',
    'int("12345678901234567890") == 1',
    'double("1,5") == 1.5',
    'double("") == 0.0',
    'timestamp("2024-02-30T00:00:00Z") < context.now',
    'timestamp("yesterday") < context.now',
    'timestamp("2024-01-01") < context.now',
    'duration(args.email) < duration("1h")',
  ])('fail, and so refuse: %s', (when) => {
    expect(judgeOne(when)).toBe('error')
  })

  it('refuse literals that can never do', () => {
    expect(faultOf('duration("1 hour") > duration("1s")')).toContain('a duration is written like')
    expect(faultOf('duration("1.0001ms") > duration("1s")')).toContain('a duration is written like')
    expect(faultOf('context.now.getHours("Mars/Olympus") > 1')).toContain('there is no time zone')
    expect(faultOf('context.now.getHours(args.email) > 1')).toContain('a time zone is a literal')
  })

  it('have no two rows for the same operands', () => {
    const signatures = functionTable.map(({ name, as, takes }) => `${name}/${as}/${JSON.stringify(takes)}`)
    expect(new Set(signatures).size).toBe(signatures.length)
  })
})
