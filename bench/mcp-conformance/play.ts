// Plays scenarios of the MCP project's own conformance suite: the suite is a server that judges what a client does with it. Two versions
// of it are installed side by side, because each judges revisions that the other does not.
import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const ways = ['sdk', 'executor'] as const

export type Way = (typeof ways)[number]

interface Suite {
  readonly name: string
  readonly package: 'conformance-2025' | 'conformance-2026'
  readonly revision: '2025-11-25' | '2026-07-28'
  /** Those that concern calling tools. The others are about OAuth, which an executor leaves to its credentials, and about skills. */
  readonly scenarios: readonly string[]
}

const withSession = ['initialize', 'tools_call', 'elicitation-sep1034-client-defaults', 'sse-retry']

export const suites: readonly Suite[] = [
  { name: '0.1.16', package: 'conformance-2025', revision: '2025-11-25', scenarios: withSession },
  {
    name: '0.2.0-alpha.12',
    package: 'conformance-2026',
    revision: '2025-11-25',
    scenarios: [...withSession, 'json-schema-2020-12-preservation'],
  },
  {
    name: '0.2.0-alpha.12',
    package: 'conformance-2026',
    revision: '2026-07-28',
    scenarios: [
      'tools_call',
      'request-metadata',
      'sep-2322-client-request-state',
      'http-standard-headers',
      'http-custom-headers',
      'http-invalid-tool-headers',
      'json-schema-ref-no-deref',
      'json-schema-2020-12-preservation',
    ],
  },
]

export interface Marks {
  readonly suite: string
  readonly revision: string
  readonly scenario: string
  readonly way: Way
  readonly passed: number
  readonly failed: number
  readonly warned: number
  /** Checks that passed, by their names; one that is made several times stands there several times. */
  readonly passedChecks: readonly string[]
  /** What is wrong with the others. */
  readonly problems: readonly string[]
}

interface Check {
  readonly id: string
  readonly name: string
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'INFO' | 'SKIPPED'
  readonly errorMessage?: string
}

const client = fileURLToPath(new URL('./client.ts', import.meta.url))
const longestMs = 60_000

export async function play(suite: Suite, scenario: string, way: Way): Promise<Marks> {
  const folder = await mkdtemp(join(tmpdir(), 'proviso-conformance-'))
  try {
    const package_ = dirname(createRequire(import.meta.url).resolve(`${suite.package}/package.json`))
    const command = `${process.execPath} ${client} ${way}`
    const version = suite.package === 'conformance-2026' ? ['--spec-version', suite.revision] : []
    const flags = ['client', '--command', command, '--scenario', scenario, '--output-dir', folder, ...version]
    await new Promise<void>((resolve) => {
      // Its exit code says whether all checks passed, which is read from what it wrote.
      execFile(process.execPath, [join(package_, 'dist', 'index.js'), ...flags], { timeout: longestMs }, () =>
        resolve(),
      )
    })
    return { suite: suite.name, revision: suite.revision, scenario, way, ...marksOf(await checksIn(folder)) }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function checksIn(folder: string): Promise<readonly Check[]> {
  const files = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('checks.json'))
  const [file] = files
  return file === undefined ? [] : JSON.parse(await readFile(join(folder, file), 'utf8'))
}

function marksOf(checks: readonly Check[]): Omit<Marks, 'suite' | 'revision' | 'scenario' | 'way'> {
  const of = (status: Check['status']) => checks.filter((check) => check.status === status)
  return {
    passed: of('SUCCESS').length,
    failed: of('FAILURE').length,
    warned: of('WARNING').length,
    passedChecks: of('SUCCESS')
      .map(({ id, name }) => `${id} ${name}`)
      .sort(),
    problems: [...of('FAILURE'), ...of('WARNING')].map(({ id, errorMessage = '' }) => `${id}: ${errorMessage}`),
  }
}

/** Checks that the bare client passes, and the executor does not. */
export function missedBy(executor: Marks, bare: Marks): readonly string[] {
  const left = [...executor.passedChecks]
  return bare.passedChecks.filter((check) => {
    const at = left.indexOf(check)
    if (at !== -1) left.splice(at, 1)
    return at === -1
  })
}
