// What runs carry, and how often they were denied, as every engine keeps it.
import { expect, it } from 'vitest'
import { admission, callRecord, distinct } from '../requests.ts'
import type { StartEngine } from '../suite.ts'

const sorted = (labels: readonly string[]) => labels.toSorted()

export function runTests(start: StartEngine): void {
  it('keeps what a run carries, adds to it and never takes from it [labels-only-grow]', async () => {
    const { ledger, peer } = await start()
    expect(await ledger.runs.labels('acme', 'run-1')).toEqual([])
    expect(await ledger.runs.addLabels('acme', 'run-1', ['untrusted'])).toEqual(['untrusted'])
    expect(sorted(await ledger.runs.addLabels('acme', 'run-1', ['secret', 'untrusted']))).toEqual([
      'secret',
      'untrusted',
    ])
    expect(await ledger.runs.addLabels('acme', 'run-2', [])).toEqual([])
    const other = await peer()
    expect(sorted(await other.runs.labels('acme', 'run-1'))).toEqual(['secret', 'untrusted'])
    expect(await other.runs.labels('globex', 'run-1')).toEqual([])
  })

  it('lets a family of runs carry its labels together, each gained by any of them at any time [children-inherit-labels]', async () => {
    const { ledger } = await start()
    await ledger.runs.addLabels('acme', 'parent', ['confidential'])
    expect(await ledger.runs.addLabels('acme', 'child', [], 'parent')).toEqual(['confidential'])
    await ledger.runs.addLabels('acme', 'grandchild', ['untrusted'], 'child')
    for (const run of ['parent', 'child', 'grandchild'])
      expect(sorted(await ledger.runs.labels('acme', run))).toEqual(['confidential', 'untrusted'])
    // Two families become one when a member of either is made the child of the other's.
    await ledger.runs.addLabels('acme', 'second', [], 'first')
    await ledger.runs.addLabels('acme', 'first', ['secret'])
    await ledger.runs.addLabels('acme', 'parent', [], 'second')
    for (const run of ['first', 'second', 'parent', 'grandchild'])
      expect(sorted(await ledger.runs.labels('acme', run))).toEqual(['confidential', 'secret', 'untrusted'])
    expect(await ledger.runs.labels('globex', 'child')).toEqual([])
    await ledger.runs.addLabels('acme', 'first', ['regulated'], 'grandchild')
    expect(await ledger.runs.labels('acme', 'child')).toContain('regulated')
  })

  it('leaves no run out that joins a family while it gains a label [children-inherit-labels]', async () => {
    const { ledger, peer } = await start()
    const other = await peer()
    for (let round = 0; round < 20; round++) {
      const root = `root-${round}`
      await Promise.all([
        ledger.runs.addLabels('acme', root, ['untrusted']),
        other.runs.addLabels('acme', `${root}/a`, [], root),
        ledger.runs.addLabels('acme', `${root}/a/b`, ['secret'], `${root}/a`),
        other.runs.addLabels('acme', root, ['confidential']),
      ])
      for (const run of [root, `${root}/a`, `${root}/a/b`])
        expect(sorted(await ledger.runs.labels('acme', run))).toEqual(['confidential', 'secret', 'untrusted'])
    }
  })

  it('reads what the run carries together with the call', async () => {
    const { ledger } = await start()
    const { key } = callRecord()
    expect((await ledger.operations.lookUp({ key, slot: undefined, labels: true })).labels).toEqual([])
    await ledger.runs.addLabels(key.tenant, key.run ?? '', ['untrusted'])
    expect((await ledger.operations.lookUp({ key, slot: undefined, labels: true })).labels).toEqual(['untrusted'])
    expect((await ledger.operations.lookUp({ key, slot: undefined })).labels).toBeUndefined()
  })

  it('does not admit a call that was judged as one of a run without labels where the run has some [stale-labels-admit-nothing]', async () => {
    const { ledger } = await start()
    const fresh = (number: number) => ({ ...distinct(number), unseen: true, unlabelled: true })
    const first = fresh(1)
    expect(await ledger.operations.admit(first)).toMatchObject({ kind: 'admitted' })
    const { run = '' } = admission().slot ?? {}
    await ledger.runs.addLabels('acme', run, ['untrusted'])
    expect(await ledger.operations.admit(fresh(2))).toEqual({ kind: 'known' })
    // The same admission again, because its answer was lost, is what it was.
    expect(await ledger.operations.admit(first)).toMatchObject({ kind: 'admitted' })
    expect(await ledger.operations.admit({ ...distinct(3), unseen: true })).toMatchObject({ kind: 'admitted' })
  })

  it('counts denials per tenant, run and tool', async () => {
    const { ledger, peer } = await start()
    expect(await ledger.runs.countDenial('acme', 'r', 't')).toBe(1)
    expect(await (await peer()).runs.countDenial('acme', 'r', 't')).toBe(2)
    expect(await ledger.runs.countDenial('acme', 'r', 'other')).toBe(1)
    expect(await ledger.runs.countDenial('globex', 'r', 't')).toBe(1)
  })
}
