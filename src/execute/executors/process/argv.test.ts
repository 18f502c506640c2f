// One item of the template is one argument of the program, for every value.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../json/value.ts'
import { readArgv, renderArgv } from './argv.ts'

function rendered(items: readonly string[], args: JsonObject) {
  const reading = readArgv(items)
  if (!reading.ok) return reading.problem
  const rendering = renderArgv(reading.template, args)
  return rendering.ok ? rendering.argv : rendering.message
}

describe('the arguments of a program', () => {
  it('are constants, arguments, and options with arguments behind their equals sign', () => {
    const items = ['log', '--max={max}', '--author={/who/name}', '{{x}}', '--', '{path}']
    const args = { max: 3, who: { name: 'Ada L' }, path: 'a b' }
    expect(rendered(items, args)).toEqual(['log', '--max=3', '--author=Ada L', '{x}', '--', 'a b'])
  })

  it('leave out what is optional and absent, and spread a list', () => {
    const items = ['{limit?}', '--name={name?}', '--', '{files...}']
    expect(rendered(items, { files: ['a', '-b', 'c d'] })).toEqual(['--', 'a', '-b', 'c d'])
  })

  it.each([
    ['an option in place of a value', ['{path}'], { path: '--output=/etc/passwd' }],
    ['a short option', ['{path}'], { path: '-rf' }],
    ['a dash alone', ['{path}'], { path: '-' }],
    ['an option in a list', ['{paths...}'], { paths: ['a', '--exec=x'] }],
    ['an option behind an empty value', ['{a}{b}'], { a: '', b: '--exec' }],
    ['a negative number', ['{n}'], { n: -1 }],
    ['a NUL', ['--', '{path}'], { path: 'a\0b' }],
    ['an object', ['--', '{path}'], { path: { a: 1 } }],
    ['a list where a value is meant', ['--', '{path}'], { path: ['a'] }],
    ['a value where a list is meant', ['--', '{paths...}'], { paths: 'a' }],
    ['nothing', ['--', '{path}'], {}],
    ['null', ['--', '{path}'], { path: null }],
    ['too much', ['--', '{path}'], { path: 'x'.repeat(200_000) }],
  ])('are refused for %s', (_name, items, args) => {
    expect(rendered(items, args as JsonObject)).toEqual(expect.any(String))
  })

  it.each([
    ['-{x}'],
    ['--{x}'],
    ['-n{x}'],
    ['--name{x}'],
    ['{'],
    ['}'],
    ['{}'],
    ['{credential:key}'],
    ['a{x...}'],
    ['a\0'],
    ['{~2}'.replace('~2', '/~2')],
  ])('refuse the template %j', (item) => {
    expect(readArgv([item]).ok).toBe(false)
  })

  it.each([
    [['--branch', '{branch?}', '--', '{path}']],
    [['-b', '{branch?}', '{path}']],
    [['-b', 'refs/{branch?}', '--', '{path}']],
  ])('refuse a template whose option would take what follows where its value is left out: %j', (items) => {
    expect(rendered(items, { path: '--upload-pack=x' })).toMatch(/--name=\{value\?\}/)
  })

  it('refuse an empty list behind an option, which would take what follows', () => {
    const items = ['-e', '{patterns...}', '--', '{path}']
    expect(rendered(items, { patterns: [], path: '-x' })).toMatch(/at least one/)
    expect(rendered(items, { patterns: ['a'], path: '-x' })).toEqual(['-e', 'a', '--', '-x'])
  })

  it('may leave out what stands behind a value, or behind the dashes', () => {
    const items = ['-', '--max={max?}', '{branch?}', '--', '-x', '{path?}', '{more...}']
    expect(rendered(items, { more: [] })).toEqual(['-', '--', '-x'])
  })

  it('are one for each item, and none of them an option that the template did not write', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (a, b) => {
        const found = rendered(['{a}', '--b={b}', '--', '{a}'], { a, b })
        if (typeof found === 'string') return
        expect(found).toEqual([a, `--b=${b}`, '--', a])
        expect(found[0]?.startsWith('-')).toBe(false)
      }),
    )
  })
})
