import { expect, it } from 'vitest'
import { keywordsOf } from '../../schema/read/dialects.ts'
import { keywordRules } from './keyword-rules.ts'

const notAsserted = new Set([
  'identity',
  'definitions',
  'note',
  'note-schema',
  'text',
  'dynamic-reference',
  'recursive-reference',
])

it('has one row for every asserting keyword of 2020-12, and no other [every-keyword-is-proven]', () => {
  const asserting = [...keywordsOf('2020-12')].filter(([, { kind }]) => !notAsserted.has(kind)).map(([word]) => word)
  expect(keywordRules.map(({ keyword }) => keyword).sort()).toEqual(asserting.sort())
})
