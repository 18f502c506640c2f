// Decisions about versions, as rows that are only ever added; and the versions that a run began with, in the row of the run.
import type { VersionDecision } from '../../../contract/release/version-decision.ts'
import type { EpochMs } from '../../../json/clock.ts'
import type { VersionStore } from '../../ports/versions.ts'
import { runKey } from '../codec/call-text.ts'
import type { Database } from '../driver/database.ts'

export function createVersionRows(database: Database): VersionStore {
  return {
    async decisions(after) {
      const rows = await database.run<[number, number, Buffer]>('version-decisions', [after])
      return rows.map(([seq, at, body]) => ({
        ...(JSON.parse(body.toString()) as Omit<VersionDecision, 'seq' | 'at'>),
        seq,
        at: at as EpochMs,
      }))
    },
    async decide({ seq, ...body }) {
      return (await database.run('version-decide', [seq, Buffer.from(JSON.stringify(body))])).length > 0
    },
    async ofRun(tenant, run, wanted, moved = new Map()) {
      const [first, then] = [wanted, moved].map((versions) => JSON.stringify(Object.fromEntries(versions)))
      const asked = [tenant, run, first, then, runKey(tenant, run)]
      const [row] = await database.run<[Record<string, string>]>('run-versions', asked)
      return new Map(Object.entries(row?.[0] ?? {}))
    },
  }
}
