// The docs say what the code says: generated pages and snippets are fresh, links lead somewhere, and every command named exists.
import { existsSync, readdirSync } from 'node:fs'
import { posix } from 'node:path'
import { expect, test } from 'vitest'
import packageJson from '../package.json' with { type: 'json' }
import { generatedFiles, readProjectFile, writtenPages } from '../scripts/generated-files.ts'
import { refreshSnippets, regionOf } from '../scripts/snippets.ts'
import { projectRoot } from './source-files.ts'

const files = await generatedFiles()
const pages = [...writtenPages(), 'CHANGELOG.md'].map((path) => ({ path, text: readProjectFile(path) ?? '' }))

test('generated schemas, reference pages and snippets equal what the code says [docs-are-fresh] [TC-405]', () => {
  expect(files.filter(({ path, text }) => readProjectFile(path) !== text).map(({ path }) => path)).toEqual([])
  expect(files.flatMap(({ path, problems }) => problems.map((problem) => `${path}: ${problem}`))).toEqual([])
})

test('every link within the project leads to a file, and to a heading that is there [docs-are-fresh]', () => {
  const texts = new Map([...pages, ...files].map(({ path, text }) => [path, text]))
  expect([...texts].flatMap(([path, text]) => brokenLinks({ path, text, texts }))).toEqual([])
})

test('a link to a missing file, and one to a missing heading, are found', () => {
  const text =
    '## Who may `act`\n## Who may `act`\n[a](#who-may-act) [b](README.md#who-may-act-1) [c](#who) [d](none.md) [e](README.md)'
  expect(brokenLinks({ path: 'README.md', text, texts: new Map([['README.md', text]]) })).toEqual([
    'README.md: #who',
    'README.md: none.md',
  ])
})

test('every source file that a page names in code exists, by its path or by the end of it', () => {
  const sources = ['src', 'test', 'bench', 'examples', 'scripts']
    .flatMap((folder) =>
      readdirSync(projectRoot + folder, { recursive: true, encoding: 'utf8' }).map((path) => `/${folder}/${path}`),
    )
    .map((path) => path.replaceAll('\\', '/'))
  const known = (name: string) => sources.some((path) => path.endsWith(`/${name}`))
  const named = pages.flatMap(({ path, text }) =>
    [...withoutCode(text).matchAll(/`([\w-]+(?:\/[\w.-]+)+\.(?:ts|sql|mjs))`/g)].map((match) => ({
      path,
      file: match[1] ?? '',
    })),
  )
  const templates = new Set(['postgres/migrations/000N_what.sql'])
  expect(named.length).toBeGreaterThan(10)
  expect(named.filter(({ file }) => !known(file) && !templates.has(file))).toEqual([])
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

/** The links of a page whose file is missing, or whose anchor is no heading of the page it leads to. */
function brokenLinks({ path, text, texts }: { path: string; text: string; texts: ReadonlyMap<string, string> }) {
  const links = [...withoutCode(text).matchAll(/\]\(([^)\s]+)\)/g)].map((match) => match[1] ?? '')
  return links
    .filter((link) => !/^[a-z]+:/.test(link))
    .filter((link) => {
      const [file = '', anchor] = link.split('#')
      const target = file === '' ? path : posix.join(posix.dirname(path), file)
      const known = texts.get(target)
      if (known === undefined && !existsSync(projectRoot + target)) return true
      return anchor !== undefined && !anchorsOf(known ?? readProjectFile(target) ?? '').has(anchor)
    })
    .map((link) => `${path}: ${link}`)
}

/** The anchors of a page as GitHub names them: by heading, a repeated one with a number. */
function anchorsOf(text: string): ReadonlySet<string> {
  const times = new Map<string, number>()
  return new Set(
    [...withoutCode(text).matchAll(/^#+ +(.+)$/gm)].map((match) => {
      const slug = (match[1] ?? '')
        .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
        .replaceAll(' ', '-')
      const before = times.get(slug) ?? 0
      times.set(slug, before + 1)
      return before === 0 ? slug : `${slug}-${before}`
    }),
  )
}

function withoutCode(text: string): string {
  return text.replaceAll(/^```[\s\S]*?^```/gm, '')
}
