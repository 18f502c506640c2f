import { describe, expect, it } from 'vitest'
import { renderTemplate, templatePointers } from './argument-template.ts'

const known = { input: { id: 'o1', lines: [{ cents: 5 }] }, results: { draft: { number: 7, none: null } } }

describe('a template of arguments', () => {
  it('takes what its pointers find, at any depth, and everything else as it is', () => {
    const template = {
      order: { $from: '/input/id' },
      list: [{ $from: '/input/lines/0/cents' }, 2],
      deep: { number: { $from: '/results/draft/number' }, flag: true },
      none: { $from: '/results/draft/none' },
    }
    expect(renderTemplate(template, known)).toEqual({
      ok: true,
      value: { order: 'o1', list: [5, 2], deep: { number: 7, flag: true }, none: null },
    })
    expect(renderTemplate({ $from: '/results/draft' }, known)).toEqual({ ok: true, value: { number: 7, none: null } })
  })

  it('leaves nothing out in silence: a pointer that finds nothing is a failure with its place', () => {
    const rendered = renderTemplate({ a: [{ $from: '/results/charge/id' }] }, known)
    expect(rendered).toEqual({
      ok: false,
      message: 'The arguments cannot be made; /a/0: nothing is at /results/charge/id.',
    })
    expect(renderTemplate({ $from: '/input/id' }, known)).toMatchObject({ ok: false })
    expect(renderTemplate({ x: { $from: '/constructor' } }, known)).toMatchObject({ ok: false })
  })

  it('takes a literal for what it is, and an object with other keys for no reference', () => {
    const template = { a: { $literal: { $from: '/input/id' } }, b: { $from: '/input/id', more: 1 } }
    expect(renderTemplate(template, known)).toEqual({
      ok: true,
      value: { a: { $from: '/input/id' }, b: { $from: '/input/id', more: 1 } },
    })
  })

  it('tells every pointer that it reads, and which of them are none', () => {
    const template = { a: { $from: '/input/id' }, b: [{ $from: 'input' }], c: { $literal: { $from: '/x' } } }
    expect(templatePointers(template)).toEqual([
      { pointer: '/input/id', valid: true },
      { pointer: 'input', valid: false },
    ])
  })
})
