// Holds the fields of one stored leaf against its stored hash, and tells a leaf that was edited from one that was moved
// from another tenant's log.

import type { Leaf } from '../tree/leaf.ts'
import { leafCall, recomputeHash, type StoredLeaf } from '../tree/stored-leaf.ts'
import { type Hash, hashBytes, noHash, sameHash } from '../tree/tree-hash.ts'
import type { AuditFindings } from './audit-finding.ts'

/** The hash to go on with: the stored one, so that one edited field does not make every later root differ. */
export function checkLeaf(row: StoredLeaf, findHome: HomeFinder, findings: AuditFindings): Hash {
  const { tenant, index, leaf, leafHash } = row
  const place = `leaf ${index}`
  const foreign = leaf.tenant === tenant ? undefined : leaf.tenant
  const expected = recomputeHash(leaf)
  if (expected !== undefined && sameHash(expected, leafHash)) {
    if (foreign !== undefined) noteForeign(row, foreign, findings)
    return leafHash
  }
  const home = findHome(leaf, leafHash)
  if (home !== undefined) noteForeign(row, home, findings)
  else {
    const message = 'Its fields do not have the hash that is stored with them: one or the other was edited.'
    findings.note({ kind: 'leaf_edited', tenant, ...leafCall(leaf), index, place, message })
  }
  return leafHash.length === hashBytes ? leafHash : (expected ?? noHash)
}

export type HomeFinder = (leaf: Leaf, hash: Hash) => string | undefined

/**
 * Where the tenant is stored once, a leaf that was moved takes on its new tenant and keeps the hash of the old one: the
 * others are tried, so many in all, or a log edited throughout would be tried against every tenant for ever.
 */
export function homeFinder(tenants: readonly string[]): HomeFinder {
  let attempts = 100_000
  return (leaf, hash) => {
    for (const tenant of tenants) {
      if (tenant === leaf.tenant) continue
      if (attempts-- <= 0) return undefined
      const expected = recomputeHash({ ...leaf, tenant })
      if (expected !== undefined && sameHash(expected, hash)) return tenant
    }
    return undefined
  }
}

function noteForeign({ tenant, index, leaf }: StoredLeaf, home: string, findings: AuditFindings): void {
  const message = `It was made for the tenant ${JSON.stringify(home)}.`
  findings.note({ kind: 'wrong_tenant', tenant, ...leafCall(leaf), index, place: `leaf ${index}`, message })
}
