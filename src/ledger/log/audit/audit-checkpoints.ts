// The checkpoints that an audit holds the stored tree against: those of the ledger itself, and those kept elsewhere,
// which a writer of the ledger cannot reach. Signatures first; then whether they agree among themselves.

import { type Checkpoint, checkpointOrigin, readCheckpoint, verifyCheckpoint } from '../checkpoint.ts'
import type { PublicKey } from '../keys/public-key.ts'
import { sameHash } from '../tree/tree-hash.ts'
import type { AuditFindings } from './audit-finding.ts'

export interface HeldCheckpoint extends Checkpoint {
  readonly source: 'own' | 'kept'
}

export interface CheckpointTexts {
  /** As the ledger stored them, oldest first. */
  readonly own: readonly string[]
  readonly kept: readonly string[]
  readonly keys: readonly PublicKey[]
  /** To name tenants in findings, where origins are all that checkpoints tell. */
  readonly tenants: readonly string[]
}

/** By origin, those of one origin by size. What is forged is noted and not held against anything. */
export function judgeCheckpoints(
  texts: CheckpointTexts,
  findings: AuditFindings,
): ReadonlyMap<string, HeldCheckpoint[]> {
  const tenantOf = new Map(texts.tenants.map((tenant) => [checkpointOrigin(tenant), tenant]))
  const byOrigin = new Map<string, HeldCheckpoint[]>()
  for (const source of ['own', 'kept'] as const) {
    for (const [at, text] of texts[source].entries()) {
      const check = verifyCheckpoint(text, texts.keys)
      if (check.ok) {
        const { origin } = check.checkpoint
        const held = byOrigin.get(origin) ?? []
        byOrigin.set(origin, held)
        held.push({ ...check.checkpoint, source })
        continue
      }
      const reading = readCheckpoint(text)
      const origin = reading.ok ? reading.checkpoint.origin : ''
      const place = reading.ok
        ? checkpointPlace({ ...reading.checkpoint, source })
        : `checkpoint ${at + 1} ${whose(source)}`
      findings.note({ kind: 'checkpoint_forged', tenant: tenantOf.get(origin) ?? origin, place, message: check.reason })
    }
  }
  for (const [origin, held] of byOrigin) {
    judgeOrder(tenantOf.get(origin) ?? origin, held, findings)
    held.sort((a, b) => a.size - b.size)
  }
  return byOrigin
}

export function checkpointPlace({ size, source }: HeldCheckpoint): string {
  return `checkpoint over ${size} leaves ${whose(source)}`
}

function whose(source: 'own' | 'kept'): string {
  return source === 'own' ? 'stored with the ledger' : 'kept elsewhere'
}

function judgeOrder(tenant: string, held: readonly HeldCheckpoint[], findings: AuditFindings): void {
  const note = (place: string, message: string) =>
    findings.note({ kind: 'checkpoint_rolled_back', tenant, place, message })
  const bySize = new Map<number, HeldCheckpoint>()
  let newest: HeldCheckpoint | undefined
  let largest = 0
  for (const checkpoint of held) {
    const same = bySize.get(checkpoint.size)
    if (same === undefined) bySize.set(checkpoint.size, checkpoint)
    else if (!sameHash(same.root, checkpoint.root))
      note(checkpointPlace(checkpoint), `Another tree of this size was signed as well (${checkpointPlace(same)}).`)
    if (checkpoint.source === 'kept') {
      largest = Math.max(largest, checkpoint.size)
      continue
    }
    if (newest !== undefined && checkpoint.size < newest.size)
      note(checkpointPlace(checkpoint), `It was stored after one over ${newest.size} leaves; a log does not shrink.`)
    newest = checkpoint
  }
  if (largest > (newest?.size ?? 0))
    note(
      newest === undefined ? 'checkpoints stored with the ledger' : checkpointPlace(newest),
      `One over ${largest} leaves is kept elsewhere; the ledger no longer has it, nor a later one.`,
    )
}
