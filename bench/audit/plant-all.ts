// Plants every tampering in a ledger of its own and asks whether the audit names it, at its place. An untouched ledger comes first: a
// checker that always finds something finds nothing.
import pg from 'pg'
import { epochMs } from '../../src/json/clock.ts'
import { loadOrCreateKey } from '../../src/ledger/log/keys/key-file.ts'
import type { PublicKey } from '../../src/ledger/log/keys/public-key.ts'
import type { LogVerification, TransparencyLog } from '../../src/ledger/ports/transparency-log.ts'
import { postgres } from '../../src/ledger/postgres/postgres.ts'
import { recordCalls, recordOperations } from './record-calls.ts'
import { type Tampering, tamperings } from './tamperings.ts'

export interface Planted {
  readonly name: string
  readonly expected: string
  readonly found: boolean
  /** What the audit said, kind and place. */
  readonly said: readonly string[]
}

const weekMs = 7 * 86_400_000

/** A ledger with two tenants and a retirement, verified clean; then tampered with, and verified again. */
export async function plant(url: string, keyFile: string, tampering: Tampering | undefined): Promise<LogVerification> {
  const ledger = await postgres(url, { connections: 4, log: { keyFile, sequence: false } })
  const client = new pg.Client(url)
  await client.connect()
  try {
    const log = ledger.log
    if (log === undefined) throw new Error('This ledger keeps no log.')
    const { kept, keys } = await fill(ledger, log, keyFile)
    await tampering?.plant(client)
    return await log.verify({ kept, keys })
  } finally {
    await client.end()
    await ledger.close()
  }
}

async function fill(
  ledger: Awaited<ReturnType<typeof postgres>>,
  log: TransparencyLog,
  keyFile: string,
): Promise<{ readonly kept: readonly string[]; readonly keys: readonly PublicKey[] }> {
  const now = Date.now()
  for (const tenant of ['acme', 'other']) {
    await recordCalls(ledger, { tenant, calls: 10, from: now - 4 * weekMs })
    await recordCalls(ledger, { tenant, calls: 20, from: now - 60_000 })
  }
  await log.checkpoint()
  const retired = await log.retire({ before: epochMs(now - 2 * weekMs), reason: 'kept for two weeks' })
  if (!retired.ok) throw new Error(retired.reason)
  for (const tenant of ['acme', 'other']) await recordCalls(ledger, { tenant, calls: 20, from: now - 30_000 })
  for (const tenant of ['acme', 'other']) await recordOperations(ledger, tenant, now - 20_000)
  const signed = await log.checkpoint()
  const key = await loadOrCreateKey(keyFile)
  if (!signed.ok || !key.ok) throw new Error('Nothing was signed.')
  return { kept: signed.checkpoints.map(({ text }) => text), keys: [key.key.publicKey] }
}

export async function plantAll(
  database: (name: string) => Promise<string>,
  keyFile: string,
): Promise<{ readonly cleanFindings: number; readonly planted: readonly Planted[] }> {
  const clean = await plant(await database('clean'), keyFile, undefined)
  const planted: Planted[] = []
  for (const [at, tampering] of tamperings.entries()) {
    const { findings } = await plant(await database(`planted_${at}`), keyFile, tampering)
    const { name, kind, place } = tampering
    const found = findings.some((finding) => finding.kind === kind && place.test(finding.place))
    const said = findings.map((finding) => `${finding.kind}: ${finding.tenant}, ${finding.place}`)
    planted.push({ name, expected: kind, found, said: said.slice(0, 20) })
  }
  return { cleanFindings: clean.findings.length, planted }
}
