import { describe, expect, it } from 'vitest'
import { isAllowed, isRecipientEntry, readAddress } from './address.ts'

describe('readAddress', () => {
  it.each([
    ['ann@example.com', '', 'ann@example.com'],
    [' ann.o+x@Example.COM ', '', 'ann.o+x@example.com'],
    ['Ann <ann@example.com>', 'Ann', 'ann@example.com'],
    ['"Ann O" <ann@example.com>', 'Ann O', 'ann@example.com'],
    ['Änn <ann@bücher.example>', 'Änn', 'ann@xn--bcher-kva.example'],
  ])('reads %j', (text, name, address) => expect(readAddress(text)).toMatchObject({ name, address }))

  it.each([
    '',
    'ann',
    'ann@',
    '@example.com',
    'ann@localhost',
    'ann@example..com',
    'ann@[127.0.0.1]',
    'ann@example.com, bob@evil.test',
    'ann@example.com;bob@evil.test',
    'Friends: ann@example.com, bob@evil.test;',
    '"ann@example.com" <bob@evil.test>',
    'ann@example.com <bob@evil.test>',
    '"bob@evil.test"@example.com',
    '"bob@evil.test x"@example.com',
    'bob@evil.test(@example.com)',
    'bob@evil.test@example.com',
    '<ann@example.com> <bob@evil.test>',
    'ann@example.com\r\nBcc: bob@evil.test',
    'Ann\nBcc: bob@evil.test <ann@example.com>',
    'ann@example.com\u0000@evil.test',
    'ann\u202e@example.com',
    '.ann@example.com',
    'ann.@example.com',
    `${'a'.repeat(65)}@example.com`,
    'ünn@example.com',
  ])('takes %j for no address [recipients-are-checked]', (text) => expect(readAddress(text)).toBeUndefined())
})

describe('isAllowed', () => {
  const allowed = (text: string, ...entries: string[]) => {
    const address = readAddress(text)
    return address !== undefined && isAllowed(address, entries)
  }

  it('means one address, a domain, or what is below one', () => {
    expect(allowed('Ann@Example.com', 'ann@example.com')).toBe(true)
    expect(allowed('bob@example.com', 'ann@example.com')).toBe(false)
    expect(allowed('bob@example.com', 'example.com')).toBe(true)
    expect(allowed('bob@eu.example.com', 'example.com')).toBe(false)
    expect(allowed('bob@eu.example.com', '*.example.com')).toBe(true)
    expect(allowed('bob@example.com.evil.test', 'example.com', '*.example.com')).toBe(false)
    expect(allowed('bob@bücher.example', 'xn--bcher-kva.example')).toBe(true)
  })

  it('knows entries that say nothing', () => {
    expect(['ann@example.com', 'example.com', '*.example.com'].every(isRecipientEntry)).toBe(true)
    expect(['*', '', '@', 'Ann <ann@example.com>', 'a b', '*@example.com.'].some(isRecipientEntry)).toBe(true)
    expect(['*', '', '@', 'Ann <ann@example.com>', 'a b'].some(isRecipientEntry)).toBe(false)
  })

  it.each([`a${' '.repeat(60_000)}b`, `${'<'.repeat(60_000)}>`, '@'.repeat(60_000), `${'a.'.repeat(30_000)}@`])(
    'refuses a long text that is none in no time [text-in-linear-time]',
    (text) => {
      const began = process.cpuUsage()
      expect(readAddress(text)).toBeUndefined()
      expect(process.cpuUsage(began).user).toBeLessThan(100_000)
    },
  )
})
