// Holds the imports of the source to the table of rooms, and the files to the style of the house.
import { expect, test } from 'vitest'
import { fileImports, findCycle, importEdges } from './import-edges.ts'
import { allowedImports, roomOf, rooms } from './rooms.ts'
import { type SourceFile, sourceFiles } from './source-files.ts'

const isTest = ({ path }: SourceFile) => /\.test(?:-d)?\.ts$/.test(path)
const product = sourceFiles('src', 'examples').filter((file) => !isTest(file))
const everything = sourceFiles('src', 'examples', 'test', 'bench', 'scripts')
const pathsWhere = (files: readonly SourceFile[], matches: (file: SourceFile) => boolean) =>
  files.filter(matches).map(({ path }) => path)

const strays = (files: readonly SourceFile[]) =>
  importEdges(files)
    .filter(({ from, to }) => !allowedImports(from).has(to))
    .map(({ from, to, where }) => `${from} may not import ${to}: ${where}`)

test('every source file belongs to a room of the table', () => {
  expect(pathsWhere(product, ({ path }) => !rooms.has(roomOf(path) ?? ''))).toEqual([])
})

test('a room imports only what its arrow names [rooms-keep-their-arrows]', () => {
  expect(strays(product)).toEqual([])
})

/** What the other rooms may know of the ledger: its ports, its rules, its log, what it does with files and exact values, and how engines open. */
const openOfLedger =
  /^src\/ledger\/(?:index\.ts$|(?:ports|rules|log|files|exact)\/|(?:memory\/memory|postgres\/postgres|embedded\/embedded)\.ts$)/

const insideLedger = (files: readonly SourceFile[]) =>
  fileImports(files)
    .filter(({ from, to }) => !from.startsWith('src/ledger/') && to.startsWith('src/ledger/') && !openOfLedger.test(to))
    .map(({ from, to }) => `${from} imports the inside of an engine: ${to}`)

test('no room imports the inside of an engine [rooms-keep-their-arrows]', () => {
  expect(insideLedger(product)).toEqual([])
  const planted = { path: 'src/pipeline/planted.ts', text: "import { a } from '../ledger/postgres/driver/errors.ts'" }
  expect(insideLedger([planted])).toHaveLength(1)
})

test('no rooms import each other in a circle [rooms-keep-their-arrows]', () => {
  expect(findCycle(importEdges(product))).toBeUndefined()
})

test('an arrow of the table leads to a room of the table, and none leads back', () => {
  const arrows = [...rooms].flatMap(([from, named]) => named.map((to) => ({ from, to, where: 'the table' })))
  expect(arrows.filter(({ to }) => !rooms.has(to))).toEqual([])
  expect(findCycle(arrows)).toBeUndefined()
})

test('the check finds a planted import of any form [rooms-keep-their-arrows]', () => {
  const forms = [
    "import { run } from '../pipeline/run.ts'",
    "import type { Pass } from '../pipeline/run.ts'",
    "import {\n  type Pass,\n  run,\n} from '../pipeline/run.ts'",
    "export { run } from '../pipeline/run.ts'",
    "import '../pipeline/run.ts'",
    "const { run } = await import('../pipeline/run.ts')",
  ]
  for (const text of forms) expect(strays([{ path: 'src/ledger/planted.ts', text }])).toHaveLength(1)
  expect(strays([{ path: 'src/ledger/planted.ts', text: "import { hashJson } from '../json/hash.ts'" }])).toEqual([])
  expect(
    strays([{ path: 'src/adapters/planted.ts', text: "import { hashJson } from '../json/hash.ts'" }]),
  ).toHaveLength(1)
  expect(strays([{ path: 'src/json/planted.ts', text: "import { run } from '../../test/x.ts'" }])).toHaveLength(1)
})

test('the check finds a planted circle', () => {
  const files = [
    { path: 'src/policy/a.ts', text: "import '../ledger/b.ts'" },
    { path: 'src/ledger/b.ts', text: "import '../policy/a.ts'" },
  ]
  expect(findCycle(importEdges(files))).toEqual(['policy', 'ledger', 'policy'])
})

test('no file has more than 500 lines', () => {
  expect(pathsWhere(everything, ({ text }) => text.split('\n').length > 501)).toEqual([])
})

test('no file is named after a drawer', () => {
  const drawer = /(?:^|\/)(?:utils?|helpers?|lib|types|interfaces|shared|common|misc)\.ts$/
  expect(pathsWhere(everything, ({ path }) => drawer.test(path))).toEqual([])
})

test('file names are kebab-case', () => {
  const kebab = /^[a-z0-9]+(?:-[a-z0-9]+)*(?:\.(?:test|test-d|config))?\.ts$/
  expect(pathsWhere(everything, ({ path }) => !kebab.test(path.split('/').at(-1) ?? ''))).toEqual([])
})

test('nothing is exported wholesale or by default', () => {
  const wholesale = /^\s*export\s+(?:\*|default\b)/m
  expect(pathsWhere(everything, ({ path, text }) => !path.endsWith('.config.ts') && wholesale.test(text))).toEqual([])
})

test('every module of the product opens with a comment that says its job', () => {
  expect(pathsWhere(product, ({ text }) => !text.startsWith('// '))).toEqual([])
})

test('to settle is to write the end of an attempt, and nothing else: rooms that do not write it do not say it', () => {
  const written = /\b\w*settl(?!ement\.ts)/i
  const isElsewhere = (path: string) => path.startsWith('src/') && !/^src\/(?:ledger|pipeline|contract)\//.test(path)
  const said = (text: string) =>
    written.test(text.replaceAll('allSettled', '').replaceAll('[late-settle-resolves]', ''))
  expect(
    pathsWhere(product, ({ path, text }) => isElsewhere(path) && !path.endsWith('.test.ts') && said(text)),
  ).toEqual([])
})

test('nothing is switched off, left for later or tied to one machine', () => {
  // Written in parts, so that this file passes its own test.
  const words = [
    'TO' + 'DO',
    'FIX' + 'ME',
    '@ts-' + 'ignore',
    '@ts-' + 'nocheck',
    'biome-' + 'ignore',
    '/wo' + 'rk/',
    '/ro' + 'ot/',
  ]
  const unwanted = new RegExp(words.join('|'))
  expect(pathsWhere(everything, ({ text }) => unwanted.test(text))).toEqual([])
})
