// A retirement as it is stored: the fields of its leaf, and where that leaf stands.
import type { EpochMs } from '../../../json/clock.ts'
import type { RetirementLeaf } from '../../log/leaf.ts'

export type RetirementRow = [
  tenant: string,
  number: number,
  index: number,
  from: string,
  to: string,
  leaves: number,
  reason: string,
  at: number,
  previous: Buffer,
]

export function readRetirement(row: RetirementRow): { readonly index: number; readonly leaf: RetirementLeaf } {
  const [tenant, number, index, from, to, leaves, reason, at, previous] = row
  return {
    index,
    leaf: { kind: 'retirement', tenant, number, from, to, leaves, reason, at: at as EpochMs, previous },
  }
}
