import { describe, expect, it } from 'vitest'
import { domainOf, isDomainEntry, isListed } from './domain.ts'

describe('domainOf', () => {
  it.each([
    ['API.Example.COM', 'api.example.com'],
    ['api.example.com.', 'api.example.com'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['api。example．com', 'api.example.com'],
    ['[::1]', '::1'],
    ['[0:0:0:0:0:0:0:1]', '::1'],
    ['127.0.0.1', '127.0.0.1'],
  ])('reads %s as %s', (text, name) => expect(domainOf(text)).toBe(name))

  it.each([
    '',
    '.',
    'a..b',
    'a b.example',
    'example.com:443',
    'user@example.com',
    'example.com/path',
    '*.example.com',
    'a%2eb',
  ])('takes %j for no name', (text) => expect(domainOf(text)).toBeUndefined())
})

describe('isListed', () => {
  it('means a name by a name, and what is below it by a suffix', () => {
    expect(isListed('api.example.com', ['API.example.com.'])).toBe(true)
    expect(isListed('api.example.com', ['example.com'])).toBe(false)
    expect(isListed('api.example.com', ['*.example.com'])).toBe(true)
    expect(isListed('example.com', ['*.example.com'])).toBe(false)
    expect(isListed('evilexample.com', ['*.example.com'])).toBe(false)
    expect(isListed('example.com.evil.test', ['example.com', '*.example.com'])).toBe(false)
  })

  it('matches nothing by an entry that says nothing', () => {
    expect(isDomainEntry('*')).toBe(false)
    expect(isDomainEntry('https://example.com')).toBe(false)
    expect(isListed('example.com', ['*', '*.', '', 'https://example.com'])).toBe(false)
  })
})
