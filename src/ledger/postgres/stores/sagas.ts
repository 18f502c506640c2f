// Sagas in the database. A write is one statement; where its answer is lost on the way, it is not known whether it was done, so it is not
// sent again: the saga is taken up anew, under another epoch, from its journal. The begin of a saga, and reads, are sent again.
import { sagaQuestions } from '../../../contract/approval/approval.ts'
import { Fault } from '../../../contract/fault.ts'
import type { JournalEntry, SagaDirection, SagaEntry, SagaRecord, SagaState } from '../../../contract/saga/saga.ts'
import type { EpochMs } from '../../../json/clock.ts'
import { defaultPage } from '../../ports/ledger.ts'
import type { SagaStore, SagaWrite, SagaWritten } from '../../ports/sagas.ts'
import { sagaStart } from '../../rules/saga.ts'
import { arraysFrom, countParameters } from '../codec/layout.ts'
import { createPack } from '../codec/pack.ts'
import { sagaLines, sagaQuestionRows, sagaWrites } from '../codec/requests.ts'
import type { Database } from '../driver/database.ts'
import { patiently } from '../driver/errors.ts'
import { functionCall } from '../driver/statements.ts'
import { slotLocks } from '../locks.ts'

type Row = [
  tenant: string,
  id: string,
  name: string,
  definition: string,
  body: Buffer,
  state: SagaState,
  direction: SagaDirection,
  epoch: number,
  seq: number,
  createdAt: number,
  updatedAt: number,
  dueAt: number | null,
]

const writeCall = functionCall('saga-write', [sagaWrites, sagaLines, sagaQuestionRows].map(countParameters), [
  'bytea',
  'bigint[]',
  'uuid[]',
  'text[]',
])

export interface SagaRowsOptions {
  readonly leaseMs: number
  /** How long a database that is gone is waited for. */
  readonly patienceMs: number
}

export function createSagaRows(database: Database, { leaseMs, patienceMs }: SagaRowsOptions): SagaStore {
  const get = async (id: string, tenant?: string): Promise<SagaRecord | undefined> => {
    const [row] = await patiently(patienceMs, () => database.read<Row>(tenant, 'saga', [id, tenant ?? null]))
    return row === undefined ? undefined : sagaOf(row)
  }

  return {
    leaseMs,
    async create(start, forMs) {
      const { tenant, id, name, definition, version, plan, input, context, entries } = start
      const { state, direction, epoch } = sagaStart
      const body = bytes({ version, plan, input, context })
      const values = [tenant, id, name, definition, body, entries.map(bytes), forMs, state, direction, epoch]
      // Sent again, it finds the saga that it began itself, and cannot know that; so the saga is left to the process that takes it up.
      const [begun] = await patiently(patienceMs, () => database.run<[number]>('saga-create', values))
      if (begun === undefined) {
        const known = await get(id, tenant)
        if (known === undefined) throw new Fault('internal', 'A saga that was begun is not there.')
        return { created: false, saga: known }
      }
      const at = begun[0] as EpochMs
      const seq = entries.length
      const times = { createdAt: at, updatedAt: at, dueAt: Math.trunc(at + forMs) as EpochMs }
      const own = { id, tenant, name, definition, version, plan, input, context }
      return { created: true, saga: { ...own, ...sagaStart, seq, ...times } }
    },
    async append(write) {
      const [row] = await database.run<[SagaWritten]>('saga-write', writeValues(write), writeCall)
      return row?.[0] ?? 'lost'
    },
    async renew({ tenant, id, epoch }, forMs) {
      return (await database.run('saga-renew', [tenant, id, epoch, forMs])).length > 0
    },
    async claim({ definitions, orphanMs, only, limit, forMs }) {
      if (definitions.length === 0 && orphanMs === undefined) return []
      const values = [definitions, limit, forMs, only?.tenant ?? null, only?.id ?? null, orphanMs ?? null]
      return (await database.run<Row>('saga-claim', values)).map(sagaOf)
    },
    async wake(tenant, id) {
      await database.run('saga-wake', [tenant, id])
    },
    get,
    async list({ tenant, name, state, limit = defaultPage }) {
      const values = [tenant ?? null, name ?? null, state ?? null, limit]
      return (await database.read<Row>(tenant, 'sagas', values)).map(sagaOf)
    },
    async journal(id, tenant) {
      const owner = tenant ?? (await get(id))?.tenant
      if (owner === undefined) return []
      const rows = await patiently(patienceMs, () =>
        database.read<[number, number, number, Buffer]>(owner, 'saga-entries', [owner, id]),
      )
      return rows.map(
        ([seq, epoch, at, body]): JournalEntry => ({
          ...(JSON.parse(body.toString()) as SagaEntry),
          seq,
          epoch,
          at: at as EpochMs,
        }),
      )
    },
  }
}

function writeValues(write: SagaWrite): readonly unknown[] {
  const { tenant, id, epoch, seq, state, direction, dueMs, entries, close, undone, escalations = [], answered } = write
  const row = {
    tenant,
    id,
    epoch,
    seq,
    state,
    direction,
    due_ms: dueMs ?? null,
    close_slot: close?.slotKey ?? null,
    close_operation: close?.operation ?? null,
    close_request_hash: close?.requestHash ?? null,
    close_call: close?.callId ?? null,
    close_run: close?.run ?? null,
    close_answer: close === undefined ? null : JSON.stringify(close.answer),
    undone: undone ?? null,
    answered_by: answered?.by ?? '',
  }
  const lines = entries.map((entry) => ({ body: JSON.stringify(entry) }))
  const asked = escalations.map((question) => ({
    id: question.id,
    call: question.callId,
    kind: question.kind,
    body: JSON.stringify(question),
  }))
  const pack = createPack()
  return [
    ...arraysFrom(sagaWrites, [row], pack),
    ...arraysFrom(sagaLines, lines, pack),
    ...arraysFrom(sagaQuestionRows, asked, pack),
    pack.bytes(),
    close === undefined ? null : slotLocks([{ tenant, key: close.slotKey }]),
    answered?.calls ?? [],
    sagaQuestions,
  ]
}

const bytes = (value: unknown) => Buffer.from(JSON.stringify(value))

function sagaOf(row: Row): SagaRecord {
  const [tenant, id, name, definition, body, state, direction, epoch, seq, createdAt, updatedAt, dueAt] = row
  return {
    ...(JSON.parse(body.toString()) as Pick<SagaRecord, 'version' | 'plan' | 'input' | 'context'>),
    tenant,
    id,
    name,
    definition,
    state,
    direction,
    epoch,
    seq,
    createdAt: createdAt as EpochMs,
    updatedAt: updatedAt as EpochMs,
    dueAt: dueAt === null ? undefined : (dueAt as EpochMs),
  }
}
