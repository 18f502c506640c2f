import { describe, expect, it } from 'vitest'
import { readPublished } from './read-published.ts'

const operation = (id: string) => ({ get: { operationId: id, responses: { 200: { description: 'ok' } } } })
const document = (paths: object, more: object = {}) => ({
  openapi: '3.1.0',
  info: { title: 'Shop', version: '1' },
  paths,
  ...more,
})
const read = (published: unknown) => {
  const reading = readPublished(published)
  return reading.ok
    ? [reading.source.tools.map(({ name }) => name), reading.source.malformed.map(({ name }) => name)]
    : reading.message
}

describe('what was published', () => {
  it('loses a path that cannot be read, and no other [one-bad-tool-hides-no-other]', () => {
    const broken = JSON.parse('{"get":{"operationId":"bad","__proto__":{"x":1}}}')
    expect(read(document({ '/a': operation('a'), '/b': broken }))).toEqual([['a'], ['/paths/~1b']])
    expect(read(document({ '/a': operation('a'), '/b': operation('\ud800') }))).toEqual([['a'], ['/paths/~1b']])
    const key = JSON.parse('{"__proto__":{},"/a":{"get":{"operationId":"a"}}}')
    expect(read(document(key))).toEqual([['a'], ['/paths/__proto__']])
  })

  it('is refused where something cannot be read that any operation may refer to', () => {
    expect(read(document({ '/a': operation('a') }, { components: { schemas: { A: '\ud800' } } }))).toContain(
      'surrogate',
    )
  })

  it('is a document if it says so, also with a list of tools in it', () => {
    expect(read(document({ '/a': operation('a') }, { tools: [] }))).toEqual([['a'], []])
    expect(read({ tools: [{ name: 'a', inputSchema: {} }] })).toEqual([['a'], []])
  })

  it('never makes the reading throw', () => {
    const hostile = document({}, {})
    Object.defineProperty(hostile, 'paths', {
      enumerable: true,
      get() {
        throw new Error('no')
      },
    })
    for (const value of [hostile, null, 7, 'x', [], {}, { openapi: '3.1.0', paths: { '/a': 1n } }])
      expect(() => readPublished(value)).not.toThrow()
  })
})
