// What an audit can find, one row per kind, and where findings are gathered: so many of each kind, so that a flood of one
// neither fills the memory nor hides another.

export const findingKinds = {
  content_edited: 'The facts are not those that the leaf was made of.',
  fact_deleted: 'The facts of a leaf are gone, and nothing says that they were retired.',
  call_edited: 'The record of a call is not the one that its facts were written with.',
  call_missing: 'The record of a call is gone, and its facts are not.',
  answer_edited: 'The stored answer of an operation is none that facts were written with.',
  slot_edited: 'The record of an operation is not as its last fact has left it.',
  slot_missing: 'The record of an operation is gone, and the operation was opened.',
  row_edited: 'A row is not as it was written.',
  row_missing: 'A row that was written is gone.',
  row_unknown: 'Nothing says that a row was ever written.',
  leaf_missing: 'The tree has a gap.',
  leaf_reordered: 'A leaf stands at another place than it was given.',
  leaf_edited: 'The stored hash of a leaf is not that of its fields.',
  node_edited: 'A stored hash of the tree does not fit the leaves below it.',
  chain_broken: 'A group does not continue the group of its call before it.',
  wrong_tenant: 'A leaf of one tenant stands in the log of another.',
  tree_truncated: 'The tree is shorter than a signed checkpoint says.',
  root_mismatch: 'The tree is another one than a checkpoint was signed for.',
  checkpoint_forged: 'A checkpoint is not signed by a trusted key.',
  checkpoint_rolled_back: 'Signed checkpoints contradict each other or are missing.',
  unlogged: 'Facts were recorded and have not come into the log within its delay.',
  retirement_false: 'Content is said to be retired that no retirement accounts for, or the other way round.',
} as const

export type FindingKind = keyof typeof findingKinds

export interface AuditFinding {
  readonly kind: FindingKind
  /** The log's origin where the tenant is not known. */
  readonly tenant: string
  readonly callId?: string
  readonly index?: number
  /** Where to look, in words. */
  readonly place: string
  readonly message: string
}

export interface AuditFindings {
  note(finding: AuditFinding): void
  readonly list: readonly AuditFinding[]
  /** How many of each kind were found, also those no longer listed. */
  readonly counts: ReadonlyMap<FindingKind, number>
}

export function gatherFindings(mostOfAKind: number): AuditFindings {
  const list: AuditFinding[] = []
  const counts = new Map<FindingKind, number>()
  return {
    list,
    counts,
    note(finding) {
      const count = (counts.get(finding.kind) ?? 0) + 1
      counts.set(finding.kind, count)
      if (count <= mostOfAKind) list.push(finding)
    },
  }
}
