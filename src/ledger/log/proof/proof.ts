// The portable proof of one call: everything that shows, with a public key alone, that these facts were recorded in this
// order under a signed checkpoint. A wire shape: names are snake_case, hashes hex, paths base64.
import { toIso } from '../../../json/clock.ts'
import type { Content, FactsLeaf, RetirementLeaf } from '../tree/leaf.ts'
import type { HashAt } from '../tree/subtrees.ts'
import { hexOf } from '../tree/tree-hash.ts'
import { inclusionPath } from '../tree/tree-path.ts'

export const proofFormat = 'proviso.audit-proof.v1'

/** Where a leaf stands in the tree of the checkpoint, and its siblings on the way to the root. */
interface Placed {
  readonly index: number
  readonly path: readonly string[]
}

export type ProofGroup = Placed & {
  readonly group: number
  readonly pass: number
  readonly previous: string
} & (
    | { readonly salt: string; readonly facts: string }
    /** Content and salt are gone, or kept back; the commitment still ties the group to its leaf. */
    | { readonly commitment: string }
  )

/** Shown where content is gone, so that the reader need not trust the giver of the proof. */
export interface ProofRetirement extends Placed {
  readonly number: number
  readonly from: string
  readonly to: string
  readonly leaves: number
  readonly reason: string
  readonly at: string
  readonly previous: string
}

export interface AuditProof {
  readonly format: typeof proofFormat
  readonly tenant: string
  readonly call_id: string
  readonly checkpoint: string
  /** All groups of the call that the checkpoint covers, from the first. */
  readonly groups: readonly ProofGroup[]
  readonly retirements?: readonly ProofRetirement[]
  /** The group that is recorded but not under this checkpoint yet. Said by the maker of the proof, and not proven. */
  readonly next?: number
}

export interface ProofSource {
  readonly tenant: string
  readonly callId: string
  readonly checkpoint: string
  /** The size that the checkpoint names. */
  readonly size: number
  readonly groups: readonly {
    readonly leaf: FactsLeaf
    readonly index: number
    readonly content: Content | undefined
  }[]
  readonly retirements: readonly { readonly leaf: RetirementLeaf; readonly index: number }[]
  readonly hashAt: HashAt
  readonly next: number | undefined
}

export function makeProof({ retirements, next, ...source }: ProofSource): AuditProof {
  const place = (index: number): Placed => ({
    index,
    path: inclusionPath(index, source.size, source.hashAt).map((hash) => Buffer.from(hash).toString('base64')),
  })
  return {
    format: proofFormat,
    tenant: source.tenant,
    call_id: source.callId,
    checkpoint: source.checkpoint,
    groups: source.groups.map(({ leaf, index, content }) => ({
      group: leaf.group,
      pass: leaf.pass,
      previous: hexOf(leaf.previous),
      ...(content === undefined
        ? { commitment: hexOf(leaf.commitment) }
        : { salt: hexOf(content.salt), facts: decoder.decode(content.bytes) }),
      ...place(index),
    })),
    ...(retirements.length > 0 && {
      retirements: retirements.map(({ leaf: { kind, tenant, at, previous, ...leaf }, index }) => ({
        ...leaf,
        at: toIso(at),
        previous: hexOf(previous),
        ...place(index),
      })),
    }),
    ...(next !== undefined && { next }),
  }
}

// Bytes that are no UTF-8 have no text, and a mark at the front is part of what was hashed.
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
