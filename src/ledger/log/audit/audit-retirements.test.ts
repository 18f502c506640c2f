import { describe, expect, it } from 'vitest'
import { callId, change, factsOf, kinds, makeLog, now, sourceOf } from '../../../../test/audit/honest-log.ts'
import { epochMs } from '../../../json/clock.ts'
import type { RetirementLeaf } from '../tree/leaf.ts'
import { noHash } from '../tree/tree-hash.ts'
import { audit } from './audit.ts'

describe('retention', () => {
  it('drops content and leaves a log that still verifies', async () => {
    const { log } = makeLog()
    log.retire(callId(0), callId(5))
    log.group(callId(2))
    log.retire(callId(0), callId(9))
    const report = await audit(sourceOf([log], [log.sign()]))
    expect(report.findings).toEqual([])
    expect(report).toMatchObject({ ok: true, retired: 19, contents: 22 })
    expect(report.retirements.map(({ dropped }) => dropped)).toEqual([10, 9])
  })

  it('does not excuse what lies outside it, came after it, or is more than it says', async () => {
    const { log } = makeLog()
    log.retire(callId(0), callId(5))
    log.group(callId(2))
    const kept = log.sign()
    const last = log.rows.length - 1
    change(log, last, (row) => ({ ...row, content: 'retired' }))
    const outside = log.rows.findIndex(({ leaf }) => leaf.kind === 'facts' && leaf.callId === callId(5))
    change(log, outside, (row) => ({ ...row, content: 'missing' }))
    expect(await kinds(sourceOf([log], [kept]))).toEqual(['fact_deleted', 'retirement_false'])
  })

  it('is found false when the log does not have it, or when its numbers do not fit', async () => {
    const { log, kept } = makeLog()
    const invented: RetirementLeaf = {
      kind: 'retirement',
      tenant: 'acme',
      number: 1,
      from: callId(0),
      to: callId(1),
      leaves: 2,
      reason: 'because',
      at: now,
      previous: noHash,
    }
    log.rows = log.rows.map((row) => (factsOf(row).callId === callId(0) ? { ...row, content: 'retired' } : row))
    const listed = { retirements: [{ index: 40, leaf: invented }] }
    expect(await kinds(sourceOf([log], [kept], listed))).toEqual(['retirement_false'])
    for (const leaves of [7, 1]) {
      const miscounted = makeLog()
      miscounted.log.rows = log.rows
      miscounted.log.add({ ...invented, leaves }, undefined)
      const { findings } = await audit(sourceOf([miscounted.log], [kept]))
      expect(findings).toMatchObject([
        { kind: 'retirement_false', message: expect.stringContaining(`${leaves} leaves`) },
      ])
      log.rows = log.rows.slice(0, 40)
    }
    log.rows = log.rows.slice(1)
    log.add(invented, undefined)
    expect(await kinds(sourceOf([log], [kept]))).toContain('leaf_missing')
  })

  it('that waits for its place excuses what it covers, but not for ever', async () => {
    const { log, kept } = makeLog()
    const leaf = log.retire(callId(0), callId(5))
    log.rows.pop()
    const waiting = { retirements: [{ index: undefined, leaf }] }
    expect(await kinds(sourceOf([log], [kept], waiting))).toEqual([])
    expect(await kinds(sourceOf([log], [kept], { ...waiting, now: epochMs(now + 61_000) }))).toEqual(['unlogged'])
  })
})
