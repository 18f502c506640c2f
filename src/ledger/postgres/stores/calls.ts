// Reading calls: the record of a running call is in its slot; of any other it is the one that its last pass wrote.
import type { Escalation } from '../../../contract/approval/approval.ts'
import type { EpochMs } from '../../../json/clock.ts'
import { isUuid } from '../../../json/id.ts'
import type { JsonObject } from '../../../json/value.ts'
import type { Calls } from '../../ports/calls.ts'
import { defaultPage } from '../../ports/ledger.ts'
import { newestCalls } from '../../rules/pages.ts'
import { callRecord } from '../codec/call-text.ts'
import { storedFacts } from '../codec/facts-row.ts'
import type { Database } from '../driver/database.ts'

export function createCallRows(database: Database): Calls {
  return {
    async get(id, tenant) {
      if (!isUuid(id)) return undefined
      const [row] = await database.read<[Buffer | null]>(tenant, 'call', [id])
      return row?.[0] == null ? undefined : callRecord(row[0])
    },
    async list(query) {
      const { tenant, run, tool, status, effect, held, after } = query
      const filters = [tenant, run, tool, status, effect, after, held].map((filter) => filter ?? null)
      const [running, rows] = await Promise.all([
        database.read<[Buffer]>(tenant, 'running', [tenant ?? null]),
        database.read<[Buffer]>(tenant, 'calls', [...filters, query.limit ?? defaultPage, query.before ?? null]),
      ])
      return newestCalls(
        running.map(([body]) => callRecord(body)),
        rows.map(([body]) => callRecord(body)),
        query,
      )
    },
    async facts(callId, tenant) {
      if (!isUuid(callId)) return []
      const rows = await database.read<[Buffer]>(tenant, 'facts', [callId])
      return rows.flatMap(([body]) => storedFacts(callId, body))
    },
    async escalations(tenant) {
      const rows = await database.read<[Buffer, EpochMs]>(tenant, 'escalations', [tenant ?? null])
      return rows.map(([body, at]) => ({ at, ...(JSON.parse(body.toString()) as Omit<Escalation, 'at'>) }))
    },
    async saveContracts(contracts) {
      if (contracts.size === 0) return
      const bodies = [...contracts.values()].map((contract) => Buffer.from(JSON.stringify(contract)))
      await database.run('save-contracts', [[...contracts.keys()], bodies])
    },
    async contract(hash) {
      const [row] = await database.run<[Buffer]>('contract', [hash])
      return row === undefined ? undefined : (JSON.parse(row[0].toString()) as JsonObject)
    },
  }
}
