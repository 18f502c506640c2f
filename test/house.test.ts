// The style of the house, as far as it can be counted: one name for one thing, no files that import each other in a circle, no file that
// is two ideas, and words that say who does what.
import { expect, test } from 'vitest'
import { fileImports } from './import-edges.ts'
import { type SourceFile, sourceFiles } from './source-files.ts'

const isTest = ({ path }: SourceFile) => /\.test(?:-d)?\.ts$/.test(path)
const product = sourceFiles('src').filter((file) => !isTest(file))

const declared = /^export (?:async )?(?:function\*?|const|class|interface|type|let) (\w+)/gm

/** Names that two files export, each with those files. Overloads of one function are one. */
function repeatedNames(files: readonly SourceFile[]): readonly string[] {
  const owners = new Map<string, Set<string>>()
  for (const { path, text } of files) {
    for (const [, name = ''] of text.matchAll(declared)) owners.set(name, (owners.get(name) ?? new Set()).add(path))
  }
  return [...owners].filter(([, paths]) => paths.size > 1).map(([name, paths]) => `${name}: ${[...paths].join(', ')}`)
}

test('a name that is exported means one thing [one-name-one-thing]', () => {
  expect(repeatedNames(product)).toEqual([])
  const planted = ['a', 'b'].map((name) => ({ path: `src/json/${name}.ts`, text: 'export interface Place {}' }))
  expect(repeatedNames(planted)).toHaveLength(1)
})

/** The first circle of files that is found; an import of a type counts like any other. */
function circleOf(files: readonly SourceFile[]): readonly string[] | undefined {
  const next = Map.groupBy(fileImports(files), ({ from }) => from)
  const done = new Set<string>()
  const walk = (file: string, path: readonly string[]): readonly string[] | undefined => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file]
    if (done.has(file)) return undefined
    for (const { to } of next.get(file) ?? []) {
      const circle = walk(to, [...path, file])
      if (circle !== undefined) return circle
    }
    done.add(file)
    return undefined
  }
  return files.map(({ path }) => walk(path, [])).find((circle) => circle !== undefined)
}

test('no files import each other in a circle [one-name-one-thing]', () => {
  expect(circleOf(product)).toBeUndefined()
  const planted = [
    { path: 'src/json/a.ts', text: "import type { B } from './b.ts'" },
    { path: 'src/json/b.ts', text: "import { a } from './a.ts'" },
  ]
  expect(circleOf(planted)).toEqual(['src/json/a.ts', 'src/json/b.ts', 'src/json/a.ts'])
})

const longest = 400

test(`no file of the product has more than ${longest} lines`, () => {
  const isLong = ({ text }: SourceFile) => text.split('\n').length - 1 > longest
  expect(product.filter(isLong).map(({ path }) => path)).toEqual([])
})

/** Words that leave open who is meant. */
const riddles = /\b(?:whoever|nobody|somebody|anybody|everybody|whatever)\b/i

/** The user of that name, and constants of the operating system, are no riddles. */
const isAUser = (line: string) => /['"`]nobody['"`]|\bnobody\.(?:uid|gid)\b|\{ \.\.\.nobody\b|const nobody\b/.test(line)

/** The id of a row, and a name that people give an owner. */
const isWire = (line: string) => line.includes("'key-reaches-nobody'")

const riddlesOf = (files: readonly SourceFile[]) =>
  files.flatMap(({ path, text }) =>
    text
      .split('\n')
      .flatMap((line, index) =>
        riddles.test(line) && !isAUser(line) && !isWire(line) ? [`${path}:${index + 1} ${line.trim()}`] : [],
      ),
  )

test('names, comments and sentences of the product say who does what', () => {
  expect(riddlesOf(product)).toEqual([])
  expect(riddlesOf([{ path: 'src/json/a.ts', text: '// Whoever reads this.\nconst nobodyKnows = 1' }])).toHaveLength(1)
})
