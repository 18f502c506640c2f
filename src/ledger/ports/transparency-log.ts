// The port of a ledger's transparency log: all records in one order, which cannot be changed later without being found out.
import type { EpochMs } from '../../json/clock.ts'
import type { AuditReport } from '../log/audit/audit.ts'
import type { PublicKey } from '../log/keys/public-key.ts'
import type { AuditProof } from '../log/proof/proof.ts'

export interface TenantCheckpoint {
  readonly tenant: string
  readonly size: number
  /** The signed text. */
  readonly text: string
}

export type Checkpoints =
  | { readonly ok: true; readonly checkpoints: readonly TenantCheckpoint[] }
  | { readonly ok: false; readonly reason: string }

export type Proving =
  | { readonly ok: true; readonly proof: AuditProof }
  | { readonly ok: false; readonly reason: string }

export interface VerifyOptions {
  /** All tenants where none is named. */
  readonly tenant?: string
  /** Checkpoints kept elsewhere, as they were kept. */
  readonly kept: readonly string[]
  readonly keys: readonly PublicKey[]
  readonly onProgress?: (progress: { readonly tenant: string; readonly leaves: number; readonly of: number }) => void
}

export type LogVerification = AuditReport & {
  /** Why committed records could not be put into the log first; undefined where they could. */
  readonly notSequenced: string | undefined
}

export interface Retirement {
  /** Whole weeks that ended before this moment go. */
  readonly before: EpochMs
  readonly reason: string
}

export type Retired =
  | {
      readonly ok: true
      /** Calls made before this moment have lost their content, except those with an open question. */
      readonly before: EpochMs
      readonly tenants: readonly { readonly tenant: string; readonly leaves: number }[]
      /** Calls that were kept because of an open question. */
      readonly kept: readonly string[]
    }
  | { readonly ok: false; readonly reason: string }

export interface TransparencyLog {
  /** Puts into the log what is committed and not there yet. Returns how many groups. */
  sequence(): Promise<number>
  /** Signs what is in the log, and returns the newest checkpoint of each tenant. */
  checkpoint(tenant?: string): Promise<Checkpoints>
  /** The proof, checked with a public key alone, that the facts of this call were recorded and not changed. */
  prove(callId: string, tenant?: string): Promise<Proving>
  verify(options: VerifyOptions): Promise<LogVerification>
  /** Drops the content of old calls and says so in the log first. */
  retire(retirement: Retirement): Promise<Retired>
}
