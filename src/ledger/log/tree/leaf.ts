// What the log holds for one committed group of facts, or for a range of facts that were dropped on purpose. A leaf
// names its content only by a salted commitment: once content and salt are gone, the leaf reveals nothing of them and
// can still be hashed, chained and proven.
import { canonicalize } from '../../../json/canonical.ts'
import type { EpochMs } from '../../../json/clock.ts'
import { digest, type Hash, hashBytes, hexOf, leafHashOfText, noHash } from './tree-hash.ts'

export interface FactsLeaf {
  readonly kind: 'facts'
  readonly tenant: string
  readonly callId: string
  readonly pass: number
  /** Counts the groups of the call, from 1. */
  readonly group: number
  readonly commitment: Hash
  /** Leaf hash of the call's group before this one; zeros before the first. */
  readonly previous: Hash
}

/** Says which content was dropped, so that what is missing without such a leaf was not dropped by the rules. */
export interface RetirementLeaf {
  readonly kind: 'retirement'
  readonly tenant: string
  /** Counts the retirements of the tenant, from 1. */
  readonly number: number
  /** Calls whose id is not below `from`, and below `to`; compared as text, which orders UUIDv7 by time. */
  readonly from: string
  readonly to: string
  /** How many leaves lost their content by it. */
  readonly leaves: number
  readonly reason: string
  readonly at: EpochMs
  /** Leaf hash of the tenant's retirement before this one; zeros before the first. */
  readonly previous: Hash
}

export type Leaf = FactsLeaf | RetirementLeaf

export interface Content {
  /** 32 bytes that cannot be guessed, drawn for this group alone and dropped together with its content. */
  readonly salt: Uint8Array
  /** The bytes of the facts, as they are stored. */
  readonly bytes: Uint8Array
}

/** What the commitment begins with, also where a database computes it. */
export const contentTag: Uint8Array = Buffer.from('proviso.audit-content.v1\n')
const leafTag = 'proviso.audit-leaf.v1'
export const noHashHex = '00'.repeat(hashBytes)

/** Binds a leaf to its content. Salt and tag have fixed lengths, so no other pair has the same bytes. */
export function commit({ salt, bytes }: Content): Hash {
  if (salt.length !== hashBytes) throw new RangeError('A salt has 32 bytes')
  return digest([contentTag, salt, bytes])
}

/** A canonical JSON array that begins with its domain: readable, and different leaves have different bytes. */
export function leafText(leaf: Leaf): string {
  const previous = toHex(leaf.previous)
  if (leaf.kind === 'retirement') {
    const { tenant, number, from, to, leaves, reason, at } = leaf
    return canonicalize([leafTag, leaf.kind, tenant, number, from, to, leaves, reason, at, previous])
  }
  return factsLeafText({ ...leaf, commitment: toHex(leaf.commitment), previous })
}

/** The same as for a list of all of it, in a fraction of the time: every call has one. Hashes are in hex. */
function factsLeafText({ tenant, callId, pass, group, commitment, previous }: FactsLeafInHex): string {
  return `["${leafTag}","facts",${canonicalize(tenant)},${canonicalize(callId)},${canonicalize(pass)},${canonicalize(group)},"${commitment}","${previous}"]`
}

/** A leaf of facts as the sequencer has it, which need not turn hashes to bytes and back. */
export interface FactsLeafInHex extends Omit<FactsLeaf, 'kind' | 'commitment' | 'previous'> {
  readonly commitment: string
  readonly previous: string
}

export function hashOfFactsLeaf(leaf: FactsLeafInHex): Hash {
  if (leaf.commitment.length !== noHashHex.length || leaf.previous.length !== noHashHex.length)
    throw new RangeError('A hash has 32 bytes')
  return leafHashOfText(factsLeafText(leaf))
}

export function hashOfLeaf(leaf: Leaf): Hash {
  return leafHashOfText(leafText(leaf))
}

/** Whether the retirement, which stands at `retiredAt`, accounts for the missing content of a leaf before it. */
export function retires(retirement: RetirementLeaf, retiredAt: number, callId: string, index: number): boolean {
  return index < retiredAt && callId >= retirement.from && callId < retirement.to
}

function toHex(bytes: Uint8Array): string {
  if (bytes === noHash) return noHashHex
  if (bytes.length !== hashBytes) throw new RangeError('A hash has 32 bytes')
  return hexOf(bytes)
}
