// Effects that are still to be read back, in memory: due by the ledger's clock, and lost with the process like everything here.
import type { VerificationRequest } from '../../contract/verification/verifier.ts'
import type { Clock, EpochMs } from '../../json/clock.ts'
import type { CallRecord } from '../ports/calls.ts'
import type { PassEntry } from '../ports/operations.ts'
import type { DueVerification, Verifications } from '../ports/verifications.ts'
import { isTaken, openToEveryProcess } from '../rules/due.ts'

interface Row {
  readonly request: VerificationRequest
  readonly contractHash: string
  readonly reads: number
  readonly dueAt: EpochMs
  /** The claim that has it in hand; a number of this process. */
  readonly claim: string
}

export interface MemoryVerifications extends Verifications {
  /** What an entry asks for, in the same step as everything else of it. */
  note(entry: Pick<PassEntry, 'call' | 'verify' | 'verified'>): void
}

export interface MemoryVerificationsInput {
  readonly clock: Clock
  callOf(id: string): CallRecord | undefined
  record(entry: PassEntry): void
}

export function createMemoryVerifications({ clock, callOf, record }: MemoryVerificationsInput): MemoryVerifications {
  const rows = new Map<string, Row>()
  let claims = 0
  const after = (ms: number) => (clock.now() + ms) as EpochMs

  return {
    note({ call, verify, verified }) {
      if (verified === true) rows.delete(call.id)
      if (verify === undefined) return
      const { reads } = verify
      rows.set(call.id, {
        request: verify,
        contractHash: call.contractHash,
        reads,
        dueAt: after(verify.afterMs),
        claim: '',
      })
    },
    claim({ contracts, limit, forMs }) {
      const now = clock.now()
      const due: DueVerification[] = []
      for (const [id, row] of rows) {
        if (due.length >= limit) break
        // In memory no reading outlives its process, so none is an orphan.
        const known = contracts.includes(row.contractHash)
        if (!isTaken({ ...openToEveryProcess, due: row.dueAt <= now, known, orphan: false })) continue
        const call = callOf(id)
        // The oldest calls are dropped, and their readings with them.
        if (call === undefined) {
          rows.delete(id)
          continue
        }
        const claim = String(++claims)
        const { slotKey, generation, body } = row.request
        const { contractHash, reads } = row
        rows.set(id, { ...row, claim, dueAt: after(forMs) })
        due.push({ call, claim, contractHash, slotKey, generation, reads, body, at: now })
      }
      return due
    },
    postpone({ call, claim, reads }, ms) {
      const row = rows.get(call.id)
      if (row?.claim !== claim) return false
      rows.set(call.id, { ...row, reads: reads + 1, dueAt: after(ms), claim: '' })
      return true
    },
    finish({ call, claim }, entry) {
      if (rows.get(call.id)?.claim !== claim) return false
      rows.delete(call.id)
      record(entry)
      return true
    },
  }
}
