import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runFormats, runRealSchemas, runSuite, type SuiteResult } from '../../bench/validation/suite.ts'

// Third-party data lies beside the checkout; a fresh clone has none.
const data = join(import.meta.dirname, '../../../shared/data')
const suite = join(data, 'json-schema-test-suite')
const schemas = join(data, 'json-schemas')

function missing(folder: string): boolean {
  const absent = !existsSync(folder)
  if (absent) console.warn(`SKIPPED: there is no ${folder}; the validator was not held against it`)
  return absent
}

function failures(result: SuiteResult): readonly string[] {
  return result.rows
    .filter((row) => row.outcome === 'failed')
    .map(({ suite: file, group, test, detail }) => `${file} | ${group} | ${test} | ${detail}`)
}

describe('the official test suite', () => {
  it.skipIf(missing(suite))('is passed in full by 2020-12 and draft-07, nothing left out [TC-076, VD-09]', () => {
    const result = runSuite(suite)
    expect(failures(result)).toEqual([])
    expect(result).toMatchObject({ passed: 2226, failed: 0, skipped: 0 })
  })

  it.skipIf(missing(suite))('is passed in full by the formats', () => {
    const result = runFormats(suite)
    expect(failures(result)).toEqual([])
    expect(result.passed).toBeGreaterThan(1400)
  })
})

describe('real schemas', () => {
  it.skipIf(missing(schemas))('are answered as their labels say, but for undeclared formats', () => {
    const result = runRealSchemas(schemas, 'assert')
    expect(failures(result)).toEqual([])
    expect(result.passed).toBeGreaterThan(1280)
    const refused = new Set(result.rows.filter((row) => row.outcome === 'skipped').map((row) => row.group))
    expect(refused.size).toBeLessThanOrEqual(16)
  })

  it.skipIf(missing(schemas))('can all be read where formats only annotate', () => {
    const result = runRealSchemas(schemas, 'annotate')
    const refused = result.rows.filter((row) => row.detail?.startsWith('answered') === false)
    expect(refused).toEqual([])
  })
})
