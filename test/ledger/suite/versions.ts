// Decisions about versions and what runs began with, as every engine keeps them.
import { expect, it } from 'vitest'
import type { VersionChange } from '../../../src/contract/release/version-decision.ts'
import type { StartEngine } from '../suite.ts'

const promote = (version: string): VersionChange => ({ kind: 'promote', tool: 'order', version, from: null })
const decision = (seq: number, version: string) => ({
  seq,
  id: `id of ${version}`,
  by: 'ann',
  why: 'It is ready.',
  change: promote(version),
})

export function versionTests(start: StartEngine): void {
  it('keeps decisions in order, each once, with who, when and why [versions-are-decided]', async () => {
    const { ledger, peer } = await start()
    expect(await ledger.versions.decisions(0)).toEqual([])
    expect(await ledger.versions.decide(decision(1, '1.0.0'))).toBe(true)
    const other = await peer()
    expect(await other.versions.decide(decision(1, '9.0.0'))).toBe(false)
    expect(await other.versions.decide(decision(3, '9.0.0'))).toBe(false)
    expect(await other.versions.decide(decision(2, '1.1.0'))).toBe(true)
    const [first, second] = await ledger.versions.decisions(0)
    expect([first, second]).toEqual([
      { ...decision(1, '1.0.0'), at: expect.any(Number) },
      { ...decision(2, '1.1.0'), at: expect.any(Number) },
    ])
    expect(await ledger.versions.decisions(1)).toEqual([second])
  })

  it('lets one of many win who decide at once [versions-are-decided]', async () => {
    const { ledger, peer } = await start()
    const other = await peer()
    const tries = Array.from({ length: 20 }, (_, index) =>
      (index % 2 === 0 ? ledger : other).versions.decide(decision(1, `${index}.0.0`)),
    )
    expect((await Promise.all(tries)).filter(Boolean)).toHaveLength(1)
    expect(await ledger.versions.decisions(0)).toHaveLength(1)
  })

  it('keeps what a run began with, for all later questions [canary-by-run]', async () => {
    const { ledger, peer } = await start()
    const other = await peer()
    const begun = await Promise.all([
      ledger.versions.ofRun('acme', 'run-1', new Map([['order', '1.0.0']])),
      other.versions.ofRun('acme', 'run-1', new Map([['order', '1.1.0']])),
    ])
    const [first] = begun.map((versions) => versions.get('order'))
    expect(begun.map((versions) => versions.get('order'))).toEqual([first, first])
    const more = await other.versions.ofRun(
      'acme',
      'run-1',
      new Map([
        ['order', '9.0.0'],
        ['refund', '2.0.0'],
      ]),
    )
    expect(Object.fromEntries(more)).toEqual({ order: first, refund: '2.0.0' })
    const moved = await ledger.versions.ofRun('acme', 'run-1', new Map(), new Map([['order', '3.0.0']]))
    expect(Object.fromEntries(moved)).toEqual({ order: '3.0.0', refund: '2.0.0' })
    expect(await other.versions.ofRun('globex', 'run-1', new Map())).toEqual(new Map())
    // Beside what else is kept of the run.
    await ledger.runs.discover('acme', 'run-1', ['refund'])
    expect(await ledger.runs.discovered('acme', 'run-1')).toEqual(new Set(['refund']))
    expect((await ledger.versions.ofRun('acme', 'run-1', new Map())).get('order')).toBe('3.0.0')
  })
}
