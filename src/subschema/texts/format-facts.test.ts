import { expect, it } from 'vitest'
import { fitsFormat, formatCheck, formatNames } from '../../schema/formats/formats.ts'
import { alwaysFits, formatExamples, formatImplications, formatShapes, numberFormat } from './format-facts.ts'

const texts = [
  ...new Set(Object.values(formatExamples).flat()),
  'x',
  'ü@example.com',
  'xn--a',
  'a b',
  '%',
  'P',
  '1.2.3',
  'T12:00:00Z',
  '2024-13-01',
]

it('has examples that obey their format, for every format on texts', () => {
  for (const name of formatNames) {
    if (formatCheck(name)?.type !== 'string' || alwaysFits(name)) continue
    expect(formatExamples[name]?.length, name).toBeGreaterThan(0)
    for (const text of formatExamples[name] ?? []) expect(fitsFormat(name, text), `${name} ${text}`).toBe(true)
  }
})

it.each(formatImplications)('finds no text of the format %s outside %s', (one, other) => {
  expect(texts.filter((text) => fitsFormat(one, text) && !fitsFormat(other, text))).toEqual([])
})

it.each(formatShapes)('finds no text of the format %s that lacks its shape', (name, shape) => {
  expect(texts.filter((text) => fitsFormat(name, text) && !new RegExp(shape, 'u').test(text))).toEqual([])
})

it('knows the range of every format on numbers', () => {
  for (const name of formatNames) {
    if (formatCheck(name)?.type !== 'number' || alwaysFits(name)) continue
    const range = numberFormat(name)
    expect(range, name).toBeDefined()
    if (range === undefined) continue
    const inside = (value: number): boolean =>
      value >= range.least &&
      (range.isBelow ? value < range.most : value <= range.most) &&
      (!range.whole || Number.isInteger(value))
    for (const value of [
      0,
      0.5,
      -1,
      range.least,
      range.least - 1,
      range.most,
      range.most - 1,
      range.most * 2,
      range.least * 2,
    ]) {
      expect(inside(value), `${name} ${value}`).toBe(fitsFormat(name, value))
    }
  }
})
