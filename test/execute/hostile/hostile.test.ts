// The hostile program, four ways. What it may reach beside us is said in the guide; all else has to come to nothing.
import { describe, expect, it } from 'vitest'
import { attacks, ways } from './attacks.ts'
import { attackEveryWay, reasonToSkip, type WayReport } from './every-way.ts'

const reports = new Map<string, WayReport>()

describe('the hostile program', () => {
  it('is run in every way that this machine has', { timeout: 300_000 }, async () => {
    for (const report of await attackEveryWay(() => undefined)) reports.set(report.way, report)
    expect([...reports.keys()]).toEqual([...ways])
  })

  it.each(ways)('%s: reaches nothing that it may not [hostile-program-reaches-nothing]', (way) => {
    const report = reports.get(way)
    if (report?.skipped !== undefined) console.warn(`Skipped: ${way}: ${report.skipped}.`)
    expect(report?.faults).toEqual([])
  })

  it.each(ways)('%s: tries every attack of the table', (way) => {
    const report = reports.get(way)
    if (reasonToSkip(way) !== undefined) return
    expect(Object.keys(report?.reached ?? {}).sort()).toEqual(Object.keys(attacks).sort())
  })
})
