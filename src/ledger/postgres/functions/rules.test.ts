// How hand-written SQL asks the generated rules: each is asked somewhere, and what it is told has a name where it is told more than one thing.
import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const root = new URL('../', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, root), 'utf8')
const inFolder = (folder: string) => readdirSync(new URL(folder, root)).map((name) => `${folder}${name}`)

const rules = [...read('functions/rules.sql').matchAll(/^create function proviso\.(\w+)\((.*)\)$/gm)].map(
  ([, name = '', parameters = '']) => ({
    name,
    parameters: parameters.split(', ').map((each) => each.split(' ')[0] ?? ''),
  }),
)
const sources = [...inFolder('functions/'), ...inFolder('statements/')]
  .filter((path) => path.endsWith('.sql') && !/(?:rules|grants)\.sql$/.test(path))
  .map((path) => ({ path, text: read(path) }))

/** Everything that stands between the brackets of each call. */
function callsOf(name: string): readonly { readonly path: string; readonly told: string }[] {
  return sources.flatMap(({ path, text }) =>
    [...text.matchAll(new RegExp(`proviso\\.${name}\\(`, 'g'))].map((match) => {
      const from = match.index + match[0].length
      let open = 1
      let at = from
      for (; open > 0; at++) open += text[at] === '(' ? 1 : text[at] === ')' ? -1 : 0
      return { path, told: text.slice(from, at - 1) }
    }),
  )
}

it('finds the rules', () => {
  expect(rules.length).toBeGreaterThan(20)
})

it.each(rules)('$name is asked', ({ name }) => {
  expect(callsOf(name)).not.toEqual([])
})

it.each(rules.filter(({ parameters }) => parameters.length > 1))('$name is told by names', ({ name, parameters }) => {
  for (const { path, told } of callsOf(name)) {
    const missing = parameters.filter((each) => !new RegExp(`(?:^|[\\s,])${each} => `).test(told))
    expect([path, missing]).toEqual([path, []])
  }
})
