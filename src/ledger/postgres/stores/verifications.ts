// Effects that are still to be read back, as rows: given to one process at a time, and finished in the commit that writes what the last
// reading came to. A process that has lost its claim writes nothing.
import { randomUUID } from 'node:crypto'
import type { VerificationBody } from '../../../contract/verification/verifier.ts'
import type { EpochMs } from '../../../json/clock.ts'
import type { DueVerification, Verifications } from '../../ports/verifications.ts'
import { callRecord } from '../codec/call-text.ts'
import type { Database } from '../driver/database.ts'
import { queryOn } from '../driver/query-on.ts'
import { slotLocks } from '../locks.ts'
import { recordOn } from '../write/record.ts'

/** After this time a reading whose contract no process has goes to any process, which reports it as unverifiable. */
const orphanMs = 86_400_000

type Row = [
  callId: string,
  contractHash: string,
  slotKey: string | null,
  generation: number,
  reads: number,
  body: Buffer,
  call: Buffer | null,
  at: number,
]

export function createVerifications(database: Database, writer: string): Verifications {
  return {
    async claim({ contracts, limit, forMs }) {
      const claim = randomUUID()
      const rows = await database.run<Row>('verifications-claim', [contracts, limit, forMs, orphanMs, claim])
      const due: DueVerification[] = []
      for (const [callId, contractHash, slotKey, generation, reads, body, call, at] of rows) {
        // The call is retired: nothing is left to be written.
        if (call === null) await database.run('verifications-finish', [callId, claim])
        else
          due.push({
            call: callRecord(call),
            claim,
            contractHash,
            slotKey: slotKey ?? undefined,
            generation,
            reads,
            body: JSON.parse(body.toString()) as VerificationBody,
            at: at as EpochMs,
          })
      }
      return due
    },
    async postpone({ call, claim, reads }, ms) {
      return (await database.run('verifications-postpone', [call.id, claim, reads + 1, ms])).length > 0
    },
    finish: ({ call, claim, slotKey }, entry) =>
      database.transaction(async (client) => {
        const query = queryOn(client)
        // In the order in which all take them: slots, calls, what is to be read back.
        if (slotKey !== undefined) await query('lock-slots', [slotLocks([{ tenant: call.key.tenant, key: slotKey }])])
        await query('lock-call', [call.id])
        const mine = await query('verifications-finish', [call.id, claim])
        if (mine.length === 0) return false
        await recordOn(query, entry, writer)
        return true
      }),
  }
}
