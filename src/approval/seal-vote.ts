// A vote is signed by the process that saw the credential, so that a vote which was written into the row in another way is not counted
// when the token is issued.
import { sign, verify } from 'node:crypto'
import type { Approval, Decision } from '../contract/approval/approval.ts'
import { canonicalize } from '../json/canonical.ts'
import type { PublicKey } from '../ledger/log/public-key.ts'
import type { SigningKey } from '../ledger/log/signing-key.ts'

type Unsealed = Omit<Decision, 'at' | 'seal'>

export function sealVote(approvalId: string, vote: Unsealed, { privateKey }: SigningKey): string {
  return sign(null, sealed(approvalId, vote), privateKey).toString('base64url')
}

/** Whether every vote was taken by a process that has the key. */
export function areSealed({ id, decisions }: Approval, publicKeys: readonly PublicKey[]): boolean {
  return decisions.every(({ seal, ...vote }) => {
    if (typeof seal !== 'string') return false
    const signature = Buffer.from(seal, 'base64url')
    return publicKeys.some(({ key }) => verify(null, sealed(id, vote), key, signature))
  })
}

function sealed(approvalId: string, { by, kind, roles, verdict, keyId, packetHash }: Unsealed): Buffer {
  return Buffer.from(
    canonicalize({ domain: 'proviso/vote/1', approvalId, by, kind, roles: [...roles], verdict, keyId, packetHash }),
  )
}
