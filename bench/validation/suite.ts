// Runs the official JSON Schema test suite and real schemas against the validator and says what passed, test by test.
// A test counts as skipped only where preprocessing refuses its schema by name and the construct is on the list.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { JsonValue } from '../../src/json/value.ts'
import type { Dialect, FormatMode } from '../../src/schema/normal.ts'
import { type PreprocessOptions, preprocess } from '../../src/schema/preprocess.ts'
import { compileValidator } from '../../src/schema/validator.ts'

interface SuiteRow {
  readonly suite: string
  readonly group: string
  readonly test: string
  readonly outcome: 'passed' | 'failed' | 'skipped'
  /** Why, for everything but a pass. */
  readonly detail?: string
}

export interface SuiteResult {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
  readonly rows: readonly SuiteRow[]
}

interface Group {
  readonly description: string
  readonly schema: JsonValue
  readonly tests: readonly { readonly description: string; readonly data: JsonValue; readonly valid: boolean }[]
}

interface RealSchema {
  readonly id: string
  readonly draft: string
  readonly schema: JsonValue
  readonly tests: readonly { readonly name: string; readonly data: JsonValue; readonly valid: boolean }[]
}

/** Constructs that may be refused, with the reason; every other refusal is a failure. */
type Skippable = ReadonlyMap<string, string>

/** The official suite needs none. */
const suiteSkips: Skippable = new Map()

const realSkips: Skippable = new Map([
  ['format', 'an asserting format that is not known is refused, never passed over'],
])

const releases: readonly (readonly [folder: string, dialect: Dialect])[] = [
  ['draft2020-12', '2020-12'],
  ['draft7', 'draft-07'],
]

/** The required tests of the official suite, formats annotating; `dataFolder` holds `tests/` and `remotes/`. */
export function runSuite(dataFolder: string): SuiteResult {
  const resources = readRemotes(join(dataFolder, 'remotes'))
  const rows: SuiteRow[] = []
  for (const [folder, dialect] of releases) {
    for (const file of jsonFiles(join(dataFolder, 'tests', folder))) {
      for (const group of readJson<readonly Group[]>(file)) {
        const suite = relative(join(dataFolder, 'tests'), file)
        const tests = group.tests.map((test) => ({ name: test.description, data: test.data, valid: test.valid }))
        rows.push(
          ...judge(
            suite,
            group.description,
            group.schema,
            { dialect, resources, formats: 'annotate' },
            tests,
            suiteSkips,
          ),
        )
      }
    }
  }
  return count(rows)
}

/** The optional tests of the formats, formats asserting; a format the suite itself calls unknown is left out. */
export function runFormats(dataFolder: string): SuiteResult {
  const rows: SuiteRow[] = []
  for (const [folder, dialect] of releases) {
    for (const file of jsonFiles(join(dataFolder, 'tests', folder, 'optional/format'))) {
      if (file.endsWith('unknown.json')) continue
      for (const { description, schema, tests } of readJson<readonly Group[]>(file)) {
        const named = tests.map((test) => ({ name: test.description, data: test.data, valid: test.valid }))
        rows.push(...judge(relative(dataFolder, file), description, schema, { dialect }, named, suiteSkips))
      }
    }
  }
  return count(rows)
}

/** Real schemas with instances, one JSON object a line. Their labels were made with formats asserting. */
export function runRealSchemas(dataFolder: string, formats: FormatMode): SuiteResult {
  const dialects: Readonly<Record<string, Dialect>> = {
    'draft-04': 'draft-04',
    'draft-06': 'draft-06',
    'draft-07': 'draft-07',
  }
  const rows: SuiteRow[] = []
  for (const file of readdirSync(dataFolder).filter((name) => name.endsWith('.jsonl'))) {
    for (const line of readFileSync(join(dataFolder, file), 'utf8').split('\n')) {
      if (line === '') continue
      const row = JSON.parse(line) as RealSchema
      const dialect = dialects[row.draft] ?? '2020-12'
      rows.push(...judge(file, row.id, row.schema, { dialect, resources: new Map(), formats }, row.tests, realSkips))
    }
  }
  return count(rows)
}

function judge(
  suite: string,
  group: string,
  schema: JsonValue,
  options: PreprocessOptions,
  tests: RealSchema['tests'],
  skippable: Skippable,
): SuiteRow[] {
  const read = preprocess(schema, options)
  if (!read.ok) {
    const detail = read.refusals.map(({ pointer, message }) => `${pointer}: ${message}`).join('; ')
    const allowed = read.refusals.every(({ construct }) => skippable.has(construct))
    return tests.map(({ name }) => ({ suite, group, test: name, outcome: allowed ? 'skipped' : 'failed', detail }))
  }
  const validator = compileValidator(read.schema)
  return tests.map(({ name, data, valid }) => {
    const answer = validator.matches(data)
    if (answer === valid) return { suite, group, test: name, outcome: 'passed' }
    return { suite, group, test: name, outcome: 'failed', detail: `answered ${answer}` }
  })
}

function count(rows: readonly SuiteRow[]): SuiteResult {
  const of = (outcome: SuiteRow['outcome']): number => rows.filter((row) => row.outcome === outcome).length
  return { passed: of('passed'), failed: of('failed'), skipped: of('skipped'), rows }
}

/** The suite expects its remotes to be served under this address. */
function readRemotes(folder: string): ReadonlyMap<string, JsonValue> {
  const remotes = new Map<string, JsonValue>()
  if (!existsSync(folder)) return remotes
  for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.json')) continue
    remotes.set(`http://localhost:1234/${file.replaceAll('\\', '/')}`, readJson(join(folder, file)))
  }
  return remotes
}

function jsonFiles(folder: string): readonly string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .map((name) => join(folder, name))
}

function readJson<T>(file: string): T {
  return JSON.parse(readFileSync(file, 'utf8')) as T
}
