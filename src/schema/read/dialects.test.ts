import { describe, expect, it } from 'vitest'
import type { Dialect } from '../normal.ts'
import { dialectOf, keywordsOf, knownSchemaUris } from './dialects.ts'
import { keywordReaders } from './keyword-readers.ts'

const dialects: readonly Dialect[] = ['2020-12', '2019-09', 'draft-07', 'draft-06', 'draft-04', 'openapi-3.0']

describe('dialects', () => {
  it('use every kind of keyword that has a reader, and no other', () => {
    const used = new Set(dialects.flatMap((dialect) => [...keywordsOf(dialect).values()].map((row) => row.kind)))
    expect([...used].sort()).toEqual(Object.keys(keywordReaders).sort())
  })

  it('are named by their $schema, with or without fragment, over http or https', () => {
    expect(knownSchemaUris.map(dialectOf)).toEqual(dialects.slice(0, 5))
    expect(dialectOf('https://json-schema.org/draft-07/schema')).toBe('draft-07')
    expect(dialectOf('http://json-schema.org/schema#')).toBeUndefined()
  })

  it('differ where the drafts do', () => {
    const has = (dialect: Dialect, word: string): boolean => keywordsOf(dialect).has(word)
    expect(dialects.filter((dialect) => has(dialect, 'const'))).toEqual(['2020-12', '2019-09', 'draft-07', 'draft-06'])
    expect(dialects.filter((dialect) => has(dialect, 'if'))).toEqual(['2020-12', '2019-09', 'draft-07'])
    expect(dialects.filter((dialect) => has(dialect, 'patternProperties'))).not.toContain('openapi-3.0')
    expect(dialects.filter((dialect) => has(dialect, '$dynamicRef'))).toEqual(['2020-12'])
    expect(dialects.filter((dialect) => has(dialect, 'nullable'))).toEqual(['openapi-3.0'])
  })
})
