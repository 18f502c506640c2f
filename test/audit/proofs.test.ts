// Proofs made by a ledger and checked with nothing but a public key.
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { recordCalls } from '../../bench/audit/record-calls.ts'
import { rotateKey } from '../../src/ledger/log/keys/key-file.ts'
import { verifyProof } from '../../src/ledger/log/proof/verify-proof.ts'
import { auditDesk } from './audit-desk.ts'
import { openAudited } from './audited.ts'

const desk = auditDesk()

async function proven(url: string) {
  const audited = await openAudited(url, desk.folder)
  const ids = await recordCalls(audited.ledger, { tenant: 'acme', calls: 37 })
  const proving = await audited.log.prove(ids[17] ?? '')
  if (!proving.ok) throw new Error(proving.reason)
  return { ...audited, ids, proof: proving.proof }
}

describe('a proof', () => {
  it('holds for every call, with nothing but the public key', async () => {
    const { ledger, log, ids, publicKey } = await proven(await desk.databases.fresh())
    const key = await publicKey()
    for (const id of ids) {
      const proving = await log.prove(id)
      const check = verifyProof(proving.ok ? JSON.stringify(proving.proof) : '', [key])
      expect(check).toMatchObject({ ok: true, tenant: 'acme', callId: id, groups: [{ content: 'shown' }, {}] })
      expect(check.ok && check.groups[1]?.facts).toContain(`group 2 of ${id}`)
    }
    await ledger.close()
  })

  it('fails when any byte of it is changed', async () => {
    const { ledger, proof, publicKey } = await proven(await desk.databases.fresh())
    const key = await publicKey()
    const text = JSON.stringify(proof)
    expect(verifyProof(text, [key]).ok).toBe(true)
    const survived: string[] = []
    for (let at = 0; at < text.length; at++) {
      const changed = `${text.slice(0, at)}${text[at] === '0' ? '1' : '0'}${text.slice(at + 1)}`
      if (verifyProof(changed, [key]).ok) survived.push(text.slice(Math.max(0, at - 20), at + 20))
    }
    expect(survived).toEqual([])
    await ledger.close()
  })

  it('is still good after the key was rotated, by the old key and by the new', async () => {
    const url = await desk.databases.fresh()
    const { ledger, log, ids, proof, publicKey, verify } = await proven(url)
    const old = await publicKey()
    const rotation = await rotateKey(join(desk.folder, 'audit.key'))
    expect(rotation.ok).toBe(true)
    const fresh = await publicKey()
    expect(verifyProof(proof, [old]).ok).toBe(true)
    expect(verifyProof(proof, [fresh]).ok).toBe(false)
    const [more] = await recordCalls(ledger, { tenant: 'acme', calls: 1 })
    const proving = await log.prove(more ?? '')
    expect(proving.ok && verifyProof(proving.proof, [fresh]).ok).toBe(true)
    expect((await verify()).counts.has('checkpoint_forged')).toBe(true)
    const report = await log.verify({ kept: [], keys: [old, fresh] })
    expect(report).toMatchObject({ ok: true, leaves: 2 * ids.length + 2 })
    await ledger.close()
  })

  it('is given to the tenant whose call it is, and to no other', async () => {
    const { ledger, log, ids } = await proven(await desk.databases.fresh())
    expect((await log.prove(ids[3] ?? '', 'acme')).ok).toBe(true)
    expect(await log.prove(ids[3] ?? '', 'other')).toMatchObject({ ok: false })
    expect(await log.prove('not-an-id')).toMatchObject({ ok: false })
    expect(await log.prove('018f0000-0000-7000-8000-000000000001')).toMatchObject({ ok: false })
    const mine = await log.checkpoint('acme')
    const theirs = await log.checkpoint('other')
    expect(mine).toMatchObject({ ok: true, checkpoints: [{ tenant: 'acme', size: 74 }] })
    expect(theirs).toEqual({ ok: true, checkpoints: [] })
    await ledger.close()
  })

  it('cannot be made without a key', async () => {
    const { ledger, log } = await openAudited(await desk.databases.fresh(), desk.folder, { log: { sequence: false } })
    const [id] = await recordCalls(ledger, { tenant: 'acme', calls: 1 })
    expect(await log.prove(id ?? '')).toMatchObject({ ok: false, reason: expect.stringContaining('key') })
    expect(await log.checkpoint()).toMatchObject({ ok: false })
    await ledger.close()
  })
})
