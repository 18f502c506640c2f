// A leaf as a ledger has stored it: possibly edited by anyone who could write to the database, so nothing about it is
// taken for granted, not even the length of a hash.
import { type Content, hashOfLeaf, type Leaf } from './leaf.ts'
import type { StoredNode } from './subtrees.ts'
import { type Hash, hashBytes } from './tree-hash.ts'

export interface StoredLeaf {
  /** Whose log the leaf was found in. */
  readonly tenant: string
  readonly index: number
  readonly leafHash: Hash
  readonly leaf: Leaf
  /** `retired`: marked so where it is stored. `missing`: simply not there. A retirement has no content of its own. */
  readonly content: Content | 'retired' | 'missing' | undefined
  /** Tenant and pass as they are stored with the content, where they are. */
  readonly contentOf?: { readonly tenant: string; readonly pass: number }
  /** The interior nodes stored together with this leaf, where they are to be checked as well. */
  readonly nodes?: readonly StoredNode[]
}

/** The hash that the fields ought to have; undefined where they cannot be those of a leaf. */
export function recomputeHash(leaf: Leaf): Hash | undefined {
  const numbers = leaf.kind === 'facts' ? [leaf.pass, leaf.group] : [leaf.number, leaf.leaves, leaf.at]
  const hashes = leaf.kind === 'facts' ? [leaf.commitment, leaf.previous] : [leaf.previous]
  if (!numbers.every(Number.isSafeInteger) || hashes.some(({ length }) => length !== hashBytes)) return undefined
  return hashOfLeaf(leaf)
}

export const leafCall = (leaf: Leaf): { readonly callId?: string } =>
  leaf.kind === 'facts' ? { callId: leaf.callId } : {}
