// The offline verifier: needs a proof and the public keys one trusts, and nothing else. It recomputes everything
// from the facts up to the signed root; what the proof says without showing it is reported as such.
import { type Checkpoint, checkpointOrigin, verifyCheckpoint } from '../checkpoint.ts'
import type { PublicKey } from '../keys/public-key.ts'
import { commit, hashOfLeaf, retires } from '../tree/leaf.ts'
import { type Hash, noHash, sameHash } from '../tree/tree-hash.ts'
import { verifyInclusion } from '../tree/verify-path.ts'
import { type ReadGroup, type ReadProof, type ReadRetirement, readProof } from './read-proof.ts'

export interface ProvenGroup {
  readonly group: number
  readonly pass: number
  readonly index: number
  /** `retired`: a proven retirement accounts for it. `withheld`: the proof does not show it and does not say why. */
  readonly content: 'shown' | 'retired' | 'withheld'
  /** Exactly the text that was recorded. */
  readonly facts: string | undefined
}

export type ProofCheck =
  | {
      readonly ok: true
      readonly tenant: string
      readonly callId: string
      readonly groups: readonly ProvenGroup[]
      readonly checkpoint: Checkpoint
      readonly signers: readonly PublicKey[]
      /** Not proven: what the maker of the proof says is recorded but not covered yet. */
      readonly next: number | undefined
    }
  | ProofFailure

interface ProofFailure {
  readonly ok: false
  /** Pointer into the proof. */
  readonly where: string
  readonly reason: string
}

/** Takes the proof as text or as parsed JSON. Throws for no input. */
export function verifyProof(source: unknown, trusted: readonly PublicKey[]): ProofCheck {
  const reading = readProof(source)
  if (!reading.ok) return reading
  const { proof } = reading
  const signed = verifyCheckpoint(proof.checkpoint, trusted)
  if (!signed.ok) return proofFailure('/checkpoint', signed.reason)
  const { checkpoint, signers } = signed
  if (checkpoint.origin !== checkpointOrigin(proof.tenant))
    return proofFailure('/tenant', 'The checkpoint is that of another log than the tenant names.')
  if (proof.groups.length === 0) return proofFailure('/groups', 'The proof shows no group of the call.')
  if (proof.next !== undefined && proof.next !== proof.groups.length + 1)
    return proofFailure('/next', `After ${proof.groups.length} groups comes group ${proof.groups.length + 1}.`)
  const wrong = checkRetirements(proof, checkpoint) ?? checkGroups(proof, checkpoint)
  if (wrong !== undefined) return wrong
  const groups = proof.groups.map((group) => describe(group, proof))
  return { ok: true, tenant: proof.tenant, callId: proof.callId, groups, checkpoint, signers, next: proof.next }
}

function checkGroups(proof: ReadProof, checkpoint: Checkpoint): ProofFailure | undefined {
  let previous: Hash = noHash
  let before = -1
  for (const [at, group] of proof.groups.entries()) {
    const where = `/groups/${at}`
    if (group.group !== at + 1) return proofFailure(`${where}/group`, `Group ${at + 1} of the call is missing here.`)
    if (!sameHash(group.previous, previous))
      return proofFailure(`${where}/previous`, 'It does not continue the group before it: one of them was replaced.')
    if (group.index <= before) return proofFailure(`${where}/index`, 'It stands before the group that it continues.')
    const commitment = 'commitment' in group.content ? group.content.commitment : commit(group.content)
    const { tenant, callId } = proof
    const leaf = hashOfLeaf({ kind: 'facts', tenant, callId, pass: group.pass, group: at + 1, commitment, previous })
    if (!isIncluded(leaf, group, checkpoint)) return proofFailure(where, 'It is not in the tree that was signed.')
    previous = leaf
    before = group.index
  }
  return undefined
}

function checkRetirements(proof: ReadProof, checkpoint: Checkpoint): ProofFailure | undefined {
  const wrong = proof.retirements.findIndex((placed) => !isIncluded(hashOfLeaf(placed.leaf), placed, checkpoint))
  return wrong < 0 ? undefined : proofFailure(`/retirements/${wrong}`, 'It is not in the tree that was signed.')
}

function isIncluded(leaf: Hash, { index, path }: ReadGroup | ReadRetirement, { size, root }: Checkpoint): boolean {
  return verifyInclusion({ leaf, index, size, path, root })
}

function describe({ group, pass, index, content }: ReadGroup, proof: ReadProof): ProvenGroup {
  if ('facts' in content) return { group, pass, index, content: 'shown', facts: content.facts }
  const retired = proof.retirements.some((retirement) =>
    retires(retirement.leaf, retirement.index, proof.callId, index),
  )
  return { group, pass, index, content: retired ? 'retired' : 'withheld', facts: undefined }
}

function proofFailure(where: string, reason: string): ProofFailure {
  return { ok: false, where, reason }
}
