// Counts of repairs as rows, moved by the same rules as in memory: read, judged here, and written where no other process was faster.
import type { Escalation } from '../../../contract/approval/approval.ts'
import { type TaxonomyClass, taxonomy } from '../../../contract/taxonomy.ts'
import type { Repairs } from '../../ports/repairs.ts'
import { afterRefusal, afterRepair, type RepairScope, type RepairState, repairScopeKey } from '../../rules/repair.ts'
import { callRecord } from '../codec/call-text.ts'
import type { Database } from '../driver/database.ts'

export interface RepairRows extends Repairs {
  /** Closes the questions of scopes whose calls other processes have found valid, and forgets what is long past. */
  tidy(): Promise<void>
}

/** Of these classes a call is sent back. */
const toBeRepaired = (Object.keys(taxonomy) as TaxonomyClass[]).filter((name) => taxonomy[name].repairable)

/** Beyond so many valid calls of others since, the count goes on as if there had been no own one: a model is stopped rather too early. */
const pageSize = 100
const maxPages = 20

interface Known {
  /** 0: there is no row yet. */
  readonly version: number
  readonly state: RepairState | undefined
}

export function createRepairRows(database: Database): RepairRows {
  const read = async (key: string, scope: RepairScope): Promise<Known> => {
    const [row] = await database.run<[number, string, string]>('repair-state', [key])
    if (row === undefined) return { version: 0, state: undefined }
    const [version, text, lastCall] = row
    const state = JSON.parse(text) as RepairState
    const isOver = state.consecutive > 0 && (await isValidSince(scope, lastCall))
    return { version, state: isOver ? afterRepair(state) : state }
  }

  /** Looked for among the valid calls of the run with this tool, page by page: other agents and users may have made most of them. */
  const isValidSince = async (scope: RepairScope, lastCall: string): Promise<boolean> => {
    let from = lastCall
    for (let page = 0; page < maxPages; page++) {
      const rows = await database.run<[string, Buffer]>('repair-valid', [
        scope.tenant,
        scope.run ?? null,
        scope.tool,
        toBeRepaired,
        from,
        pageSize,
      ])
      if (rows.some(([, body]) => isOfScope(body, scope))) return true
      if (rows.length < pageSize) return false
      from = rows.at(-1)?.[0] ?? from
    }
    return false
  }

  const repaired: Repairs['repaired'] = async (scope) => {
    const key = repairScopeKey(scope)
    for (;;) {
      const { version, state } = await read(key, scope)
      if (state === undefined) return
      const values = [key, version, JSON.stringify(afterRepair(state)), state.escalation ?? null]
      if ((await database.run('repair-end', values)).length > 0) return
    }
  }

  return {
    async refused(scope, refusal) {
      const key = repairScopeKey(scope)
      for (;;) {
        const known = await read(key, scope)
        const { state, halted, asks, repairs } = afterRefusal(known.state, scope, refusal)
        const written = await database.run('repair-count', [
          key,
          scope.tenant,
          JSON.stringify(scope),
          known.version,
          JSON.stringify(state),
          refusal.callId,
          asks?.id ?? null,
          asks === undefined ? null : Buffer.from(JSON.stringify(questionBody(asks))),
        ])
        if (written.length > 0) return { halted, repairs }
      }
    },
    repaired,
    async tidy() {
      await database.run('repair-forget', [])
      for (const [, text] of await database.run<[string, string]>('repair-halted', [])) {
        const scope = JSON.parse(text) as RepairScope
        const { state } = await read(repairScopeKey(scope), scope)
        if (state?.halted === false) await repaired(scope)
      }
    },
  }
}

/** The ledger's own clock says when it was opened. */
function questionBody({ at: _, ...question }: Escalation): Omit<Escalation, 'at'> {
  return question
}

function isOfScope(body: Buffer, { agent, user, run, contractHash }: RepairScope): boolean {
  const call = callRecord(body)
  const { principal } = call
  return (
    call.contractHash === contractHash && principal.agent === agent && (run !== undefined || principal.user === user)
  )
}
