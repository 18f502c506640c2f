import { assert, property, string } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ToolError } from '../../../contract/fault.ts'
import type { JsonObject } from '../../../json/value.ts'
import { urlTemplate } from './url-template.ts'

const credentials = new Map([['key', 's e&c#r/et']])
const fill = (url: string, args: JsonObject, query?: Record<string, string>) =>
  urlTemplate(url, query).fill({ args, credentials }).href

describe('urlTemplate', () => {
  it('fills segments and parameters, encoded', () => {
    expect(fill('https://api.example.com/a/{x}/b-{/y/z}?q={q}&n=1', { x: 'ü/1', y: { z: 2 }, q: 'a&b=c' })).toBe(
      'https://api.example.com/a/%C3%BC%2F1/b-2?q=a%26b%3Dc&n=1',
    )
  })

  it('leaves out a parameter whose argument is absent, and repeats one for a list', () => {
    expect(fill('https://api.example.com/', {}, { q: '{q}', tag: '{tags}' })).toBe('https://api.example.com/')
    expect(fill('https://api.example.com', { tags: ['a', true, 2] }, { q: '{q}', tag: '{tags}' })).toBe(
      'https://api.example.com/?tag=a&tag=true&tag=2',
    )
  })

  it('puts credentials where values stand', () => {
    expect(fill('https://api.example.com/{credential:key}?k={credential:key}', {})).toBe(
      'https://api.example.com/s%20e%26c%23r%2Fet?k=s%20e%26c%23r%2Fet',
    )
    expect(() => fill('https://api.example.com/{credential:other}', {})).toThrow('credential other')
  })

  it.each([[undefined], [null], [{}], [[]], ['']])('refuses %j in a path', (value) => {
    expect(() => fill('https://api.example.com/{x}', value === undefined ? {} : { x: value })).toThrow(ToolError)
  })

  it('refuses text around a value that makes dots of it', () => {
    expect(() => fill('https://api.example.com/a/.{x}/b', { x: '.' })).toThrow(ToolError)
    expect(fill('https://api.example.com/a/v{x}', { x: '1.2' })).toBe('https://api.example.com/a/v1.2')
  })

  it('gives the value back when the URL is taken apart, or refuses it [values-stay-values]', () => {
    const template = urlTemplate('https://api.example.com/v1/{x}/end?a=1&q={q}')
    const filled = (x: string, q: string): URL | undefined => {
      try {
        return template.fill({ args: { x, q }, credentials })
      } catch (error) {
        if (error instanceof ToolError) return undefined
        throw error
      }
    }
    assert(
      property(string({ unit: 'binary' }), string({ unit: 'binary' }), (x, q) => {
        const url = filled(x, q)
        if (url === undefined) return true
        const path = url.pathname.split('/').map(decodeURIComponent)
        const query = [...url.searchParams].flat()
        return (
          url.origin === 'https://api.example.com' &&
          url.hash === '' &&
          JSON.stringify([path, query]) ===
            JSON.stringify([
              ['', 'v1', x, 'end'],
              ['a', '1', 'q', q],
            ])
        )
      }),
      { numRuns: 500 },
    )
  })
})
