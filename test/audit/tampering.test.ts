// A person who can write to the database can change anything in it: each way is tried on a real one, and the audit has to name it.
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { plant } from '../../bench/audit/plant-all.ts'
import { tamperings } from '../../bench/audit/tamperings.ts'
import { findingKinds } from '../../src/ledger/log/audit/audit-finding.ts'
import { auditDesk } from './audit-desk.ts'

const desk = auditDesk()

const keyFile = () => join(desk.folder, 'audit.key')

describe('an audit', () => {
  it('finds nothing in an untouched log, also after retention', async () => {
    const report = await plant(await desk.databases.fresh(), keyFile(), undefined)
    expect(report.findings).toEqual([])
    expect(report).toMatchObject({ ok: true, leaves: 206, contents: 164, retired: 40, notSequenced: undefined })
    expect(report.tenants).toMatchObject([
      { tenant: 'acme', size: 103, agreesWithOwn: 103, agreesWithKept: 103 },
      { tenant: 'other', size: 103, agreesWithOwn: 103, agreesWithKept: 103 },
    ])
  })

  it.each(tamperings)('finds that $name, and says where [TC-030]', async (tampering) => {
    const { ok, findings } = await plant(await desk.databases.fresh(), keyFile(), tampering)
    expect(ok).toBe(false)
    expect(findings).toContainEqual(
      expect.objectContaining({ kind: tampering.kind, place: expect.stringMatching(tampering.place) }),
    )
  })

  it('is tried with every kind of finding there is', () => {
    const tried = new Set(tamperings.map(({ kind }) => kind))
    expect(Object.keys(findingKinds).filter((kind) => !tried.has(kind as keyof typeof findingKinds))).toEqual([])
  })
})
