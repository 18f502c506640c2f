import { describe, expect, it } from 'vitest'
import { readTextTemplate } from './text-template.ts'

describe('readTemplate', () => {
  it('finds arguments by name and by pointer, and credentials', () => {
    expect(readTextTemplate('a {x_1} b {/y/0/z} {credential:api-key}', 'It')).toEqual([
      { kind: 'text', text: 'a ' },
      { kind: 'argument', pointer: '/x_1' },
      { kind: 'text', text: ' b ' },
      { kind: 'argument', pointer: '/y/0/z' },
      { kind: 'text', text: ' ' },
      { kind: 'credential', name: 'api-key' },
    ])
  })

  it('takes doubled braces for braces', () => {
    expect(readTextTemplate('{{a}} {b}', 'It')).toEqual([
      { kind: 'text', text: '{a} ' },
      { kind: 'argument', pointer: '/b' },
    ])
  })

  it.each(['{', '}', 'a {b', 'a b}', '{}', '{a b}', '{credential:}', '{credential:a b}', '{/a~2}', '{env:HOME}'])(
    'refuses %j',
    (text) => expect(() => readTextTemplate(text, 'It')).toThrow('It '),
  )
})
