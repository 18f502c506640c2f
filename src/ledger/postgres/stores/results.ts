// Results too large for an answer. Saved again, a result keeps its reference.
import { hashFields } from '../../../json/hash.ts'
import { jsonBytes } from '../../../json/json-parts.ts'
import { parseInSteps } from '../../../json/parse-in-steps.ts'
import { inSlices } from '../../../json/slices.ts'
import type { Results } from '../../ports/results.ts'
import type { Database } from '../driver/database.ts'

export function createResultRows(database: Database): Results {
  return {
    async save(tenant, callId, value) {
      const ref = hashFields('proviso.result.v1', [tenant, callId])
      await database.run('save-result', [tenant, ref, callId, await inSlices(jsonBytes(value))])
      return ref
    },
    async get(tenant, ref) {
      const [row] = await database.read<[Buffer]>(tenant, 'result', [tenant, ref])
      return row === undefined ? undefined : await inSlices(parseInSteps(row[0].toString()))
    },
  }
}
