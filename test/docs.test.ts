// The docs say what the code says: generated pages and snippets are fresh, links lead somewhere, and every command named exists.
import { existsSync } from 'node:fs'
import { posix } from 'node:path'
import { expect, test } from 'vitest'
import packageJson from '../package.json' with { type: 'json' }
import { generatedFiles, readProjectFile, writtenPages } from '../scripts/generated-files.ts'
import { refreshSnippets, regionOf } from '../scripts/snippets.ts'
import { projectRoot } from './source-files.ts'

const files = await generatedFiles()
const pages = [...writtenPages(), 'CHANGELOG.md'].map((path) => ({ path, text: readProjectFile(path) ?? '' }))

test('generated schemas, reference pages and snippets equal what the code says [docs-are-fresh]', () => {
  expect(files.filter(({ path, text }) => readProjectFile(path) !== text).map(({ path }) => path)).toEqual([])
  expect(files.flatMap(({ path, problems }) => problems.map((problem) => `${path}: ${problem}`))).toEqual([])
})

test('every link within the project leads to a file', () => {
  const broken = [...pages, ...files].flatMap(({ path, text }) =>
    [...text.matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)]
      .map((match) => match[1] ?? '')
      .filter((target) => !/^[a-z]+:/.test(target))
      .filter((target) => !existsSync(projectRoot + posix.join(posix.dirname(path), target)))
      .map((target) => `${path}: ${target}`),
  )
  expect(broken).toEqual([])
})

test('every npm script that the docs name exists', () => {
  const named = pages.flatMap(({ text }) =>
    [...text.matchAll(/npm run (?:-s )?([a-z][a-z:]*)/g)].map((match) => match[1] ?? ''),
  )
  expect(named.filter((script) => !Object.hasOwn(packageJson.scripts, script))).toEqual([])
})

test('a stale snippet, a nameless one and a missing region are found', () => {
  const source = [
    '  // #region one',
    "  import { x } from '../../src/index.ts'",
    '    x()',
    '  // #endregion one',
  ].join('\n')
  const refresh = (markdown: string) =>
    refreshSnippets({
      markdown,
      read: (path) => (path === 'examples/a/b.ts' ? source : undefined),
      publicName: (path) => (path === 'src/index.ts' ? 'proviso' : undefined),
    })
  expect(refresh('<!-- examples/a/b.ts#one -->\n```ts\nstale\n```')).toEqual({
    markdown: "<!-- examples/a/b.ts#one -->\n```ts\nimport { x } from 'proviso'\n  x()\n```",
    problems: [],
  })
  expect(refresh('```ts\nx()\n```').problems).toHaveLength(1)
  expect(refresh('<!-- examples/a/b.ts#two -->\n```ts\n```').problems).toHaveLength(1)
  expect(refresh('<!-- examples/none.ts#one -->\n```ts\n```').problems).toHaveLength(1)
  expect(regionOf(source, 'two')).toBeUndefined()
})
