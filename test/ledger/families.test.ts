// What it costs a run to join a family, on Postgres and in memory: the same, however many runs the family has, and no run of another
// family waits for it.
import fc from 'fast-check'
import pg from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import { createFamilies } from '../../src/ledger/memory/families.ts'
import { runKey } from '../../src/ledger/postgres/codec/call-text.ts'
import { postgres } from '../../src/ledger/postgres/postgres.ts'
import { databasesOfFile } from './databases-of-file.ts'

const databases = databasesOfFile()

async function opened() {
  const url = await databases.fresh()
  const ledger = await postgres(url)
  const client = new pg.Client(url)
  await client.connect()
  const join = (child: string, parent: string) => ledger.runs.addLabels('acme', child, [], parent)
  onTestFinished(async () => {
    await client.end()
    await ledger.close()
  })
  return { ledger, client, url, join }
}

it('a run that joins changes no row of its family, and no label changes more than one [family-at-constant-cost]', async () => {
  const { ledger, client, join } = await opened()
  await Promise.all(Array.from({ length: 200 }, (_, n) => join(`child-${n}`, 'parent')))
  const stamps = async () => {
    const { rows } = await client.query<{ run: string; stamp: string }>(
      'select run, xmin::text as stamp from proviso.runs',
    )
    return new Map(rows.map(({ run, stamp }) => [run, stamp]))
  }
  const changedBy = async (work: () => unknown) => {
    const before = await stamps()
    await work()
    const after = await stamps()
    return [...after].filter(([run, stamp]) => before.get(run) !== stamp).map(([run]) => run)
  }
  expect(await changedBy(() => join('last', 'parent'))).toEqual(['last'])
  expect(await changedBy(() => join('of-a-child', 'child-7'))).toEqual(['of-a-child'])
  expect(await changedBy(() => ledger.runs.addLabels('acme', 'child-3', ['untrusted']))).toHaveLength(1)
  expect(await ledger.runs.labels('acme', 'of-a-child')).toEqual(['untrusted'])
})

it('families of one tenant do not wait for each other, nor the runs of one [family-at-constant-cost]', async () => {
  const { client, join } = await opened()
  await join('a-1', 'a')
  await join('b-1', 'b')
  await client.query('begin')
  // As the ledger sends it, by another process that has not committed yet.
  const key = (run: string) => Buffer.from(runKey('acme', run), 'hex')
  const values = ['acme', 'a-2', key('a-2'), [], 'a', key('a')]
  await client.query('select proviso.label_run_v1($1, $2, $3, $4, $5, $6)', values)
  await join('b-2', 'b')
  await join('a-3', 'a')
  await client.query('commit')
})

it('whatever runs join at once in whatever order, each family carries what its members gained [children-inherit-labels]', async () => {
  const { ledger, url } = await opened()
  const other = await postgres(url)
  onTestFinished(() => other.close())
  const name = fc.integer({ min: 0, max: 11 }).map((n) => `run-${n}`)
  const labels = fc.subarray(['untrusted', 'confidential', 'regulated', 'secret'])
  const step = fc.record({ run: name, parent: fc.option(name, { nil: undefined }), labels, peer: fc.boolean() })
  let tenant = 0
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 40 }), async (steps) => {
      const owner = `tenant-${++tenant}`
      const families = createFamilies()
      await Promise.all(
        steps.map(({ run, parent, labels, peer }) =>
          (peer ? other : ledger).runs.addLabels(owner, run, labels, parent === run ? undefined : parent),
        ),
      )
      for (const { run, parent, labels } of steps) families.add(owner, run, labels, parent === run ? undefined : parent)
      for (const run of new Set(steps.map((step) => step.run)))
        expect([run, (await ledger.runs.labels(owner, run)).toSorted()]).toEqual([
          run,
          families.labels(owner, run).toSorted(),
        ])
    }),
    { numRuns: 40 },
  )
})

it('in memory the cost of a run does not grow with its family either [family-at-constant-cost]', () => {
  const families = createFamilies()
  for (let n = 0; n < 50_000; n++) families.add('acme', `child-${n}`, [], 'parent')
  // From below: every run begins as the child, and its parent is named later.
  for (let n = 0; n < 50_000; n++) families.add('acme', `step-${n}`, [], `step-${n + 1}`)
  families.add('acme', 'step-50000', ['untrusted'], 'parent')
  for (const run of ['child-49999', 'parent', 'step-0']) expect(families.labels('acme', run)).toEqual(['untrusted'])
})
