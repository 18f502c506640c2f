// Every regular expression of the product may meet a text of others, and a backtracking engine may need the square of its length for it, or
// worse. So each is judged: linear by its form, or run by re2js, or with a stated bound on its text.
import { beforeAll, describe, expect, it } from 'vitest'
import { sourceFiles } from '../source-files.ts'
import { expressionsIn, expressionsOfProduct } from './expressions-in-source.ts'
import { growthOf, longestMatch } from './growth.ts'
import { madeLater, statedBounds } from './stated-bounds.ts'

const found = expressionsOfProduct()
const named = ({ path, line, code }: { path: string; line: number; code: string }) => `${path}:${line} ${code}`

/** Tried at one place it takes steps in proportion to this, whatever comes: so all tries together are linear. */
const shortTry = 600

function isLinear(source: string, flags: string): boolean {
  if (growthOf(source, flags).kind === 'linear') return true
  // Each try on its own, and short.
  return growthOf(`^(?:${source})`, flags).kind === 'linear' && longestMatch(source, flags) <= shortTry
}

describe('regular expressions', () => {
  it('are linear by their form, or have a stated bound on their text [expressions-are-judged]', () => {
    const open = found.filter(({ path, code, literal }) => {
      if (literal === undefined || isLinear(literal.source, literal.flags)) return false
      return !statedBounds.some((row) => row.path === path && code.startsWith(row.code))
    })
    expect(open.map(named)).toEqual([])
    for (const row of statedBounds)
      expect(
        found.some(({ path, code }) => path === row.path && code.startsWith(row.code)),
        row.code,
      ).toBe(true)
  })

  it.each(statedBounds.map((row) => [row.path, row] as const))(
    'take a few milliseconds on the worst text up to their bound: %s [expressions-are-judged]',
    (path, row) => {
      const { literal } = found.find((one) => one.path === path && one.code.startsWith(row.code)) ?? {}
      if (literal === undefined) throw new Error('There is no such expression')
      const growth = growthOf(literal.source, literal.flags)
      if (growth.kind === 'linear') throw new Error('It needs no bound')
      const text = (growth.before + growth.again.repeat(row.most)).slice(0, row.most - 1)
      const expression = new RegExp(literal.source, literal.flags)
      const began = process.cpuUsage()
      expression.test(`${text}\u0001`)
      expect(process.cpuUsage(began).user).toBeLessThan(50_000)
    },
  )

  describe('that modules make when they are loaded', () => {
    const made: { readonly source: string; readonly flags: string; readonly from: string }[] = []
    beforeAll(async () => {
      const original = globalThis.RegExp
      globalThis.RegExp = new Proxy(original, {
        construct(target, given, self) {
          const expression = Reflect.construct(target, given, self) as RegExp
          made.push({ source: expression.source, flags: expression.flags, from: new Error('made').stack ?? '' })
          return expression
        },
      })
      try {
        for (const path of new Set(found.filter(({ literal }) => literal === undefined).map((one) => one.path)))
          await import(/* @vite-ignore */ `../../${path}`)
      } finally {
        globalThis.RegExp = original
      }
    })

    it('are judged like those that are written out [expressions-are-judged]', () => {
      const own = made.filter(({ from }) => from.includes('/src/'))
      const open = own.filter(({ source, flags }) => !isLinear(source, flags))
      expect(open.map(({ source }) => source)).toEqual([])
      const silent = found.filter(
        ({ path, code, literal }) =>
          literal === undefined &&
          !own.some(({ from }) => from.includes(path)) &&
          !madeLater.some((row) => row.path === path && code.startsWith(row.code)),
      )
      expect(silent.map(named)).toEqual([])
    })
  })

  it('that are made of what others write are each decided about [expressions-are-judged]', () => {
    for (const row of madeLater)
      expect(
        found.some(({ path, code }) => path === row.path && code.startsWith(row.code)),
        row.code,
      ).toBe(true)
    const texts = new Map(sourceFiles('src').map(({ path, text }) => [path, text]))
    for (const { path, why } of madeLater)
      if (why.includes('isDeterministic')) expect(texts.get(path)).toContain('isDeterministic(')
  })

  it('of the rules for injections look a short way ahead, once [expressions-are-judged]', async () => {
    const { injectionRules, openings, roleMarks } = await import('../../src/execute/results/injection-rules.ts')
    for (const { id, pattern, followed = [] } of injectionRules) {
      expect([id, isLinear(pattern.source, pattern.flags)]).toEqual([id, true])
      for (const { find } of followed.flat()) expect([id, isLinear(find.source, find.flags)]).toEqual([id, true])
    }
    for (const { source, flags } of [openings.command, openings.request, roleMarks.pattern])
      expect([source, isLinear(source, flags)]).toEqual([source, true])
  })
})

describe('the judge of regular expressions', () => {
  it.each([
    ['a search that reads the rest again at each place', /\n\s+at /],
    ['what stands at the end only', /[.!?]+$/],
    ['two loops that share characters', /^(.*?)\s*<[^<>]*>$/],
    ['a loop in a loop', /^(?:a+)+$/],
    ['a loop that can be read in two ways', /^(?:a|a)*$/],
    ['a mark that is repeated', /#{2,}\s?system/],
    ['two kinds of letters one after the other', /[a-z]+0+[a-z0]*|0+[a-z]/g],
    ['a look ahead without an end', /\/(?=[^{}]*\})/],
  ])('finds %s', (_, { source, flags }) => {
    const growth = growthOf(source, flags)
    if (growth.kind === 'linear') throw new Error('It was found to be linear')
    // What it says is true: four times the text takes far more than four times the work.
    const expression = new RegExp(source, flags.replace('g', ''))
    const took = (length: number) => {
      const text = `${growth.before}${growth.again.repeat(length / growth.again.length)}\u0001`
      return Math.min(
        ...[1, 2, 3].map(() => {
          const began = performance.now()
          expression.test(text)
          return performance.now() - began
        }),
      )
    }
    if (source.includes(')+') || source.includes('|a)')) expect(took(22)).toBeGreaterThan(10 * took(16))
    else expect(took(8_000)).toBeGreaterThan(6 * took(2_000))
  })

  it.each([
    /^[0-9a-f]{64}$/,
    /\s+/g,
    /\[[^\]]*\]?/g,
    /\n[^\S\n]+at /,
    /^(?:\/(?:[^~]|~[01])*)?$/u,
    /^[A-Za-z][A-Za-z0-9_-]{0,63}$/,
    /^-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/,
  ])('lets %s be', ({ source, flags }) => {
    expect(growthOf(source, flags)).toEqual({ kind: 'linear' })
  })

  it('sees expressions wherever they stand', () => {
    const text = "const a = /x+$/\nconst b = new RegExp('y')\nconst c = 'z'.match('w+$')\nconst d = [/v/]\n"
    expect(expressionsIn({ path: 'src/a.ts', text }).map(({ code }) => code)).toEqual([
      '/x+$/',
      "new RegExp('y')",
      "'z'.match('w+$')",
      '/v/',
    ])
  })
})
