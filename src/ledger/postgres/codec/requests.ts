// The rows of every request that the database decides on, and of every slot that it answers with: the one description of the wire.
import type { SlotRecord } from '../../../contract/call/slot.ts'
import type { EpochMs } from '../../../json/clock.ts'
import { layout } from './layout.ts'

/** Part of the name of every function: a process of another layout calls others. */
export const layoutVersion = 1

/** The rows of admissions by the function; for new calls `newSlots` brings a part of them to a plain statement. */
export const admissions = layout('admissions', {
  tenant: 'text',
  nonce: 'uuid',
  call: 'uuid',
  call_key: 'hex',
  run_key: 'hex',
  unseen: 'boolean',
  slot: 'text',
  generation: 'integer',
  key: 'text',
  request_hash: 'hex',
  kind: 'text',
  operation: 'text',
  run: 'text',
  resource: 'text',
  provider: 'text',
  contract: 'text',
  approval: 'text',
  payload: 'text',
  grant_id: 'text',
  reserved: 'text',
  admitted_call: 'bytea',
  admitted_facts: 'bytea',
  admitted_pass: 'integer',
  // Which counter its rate is, and how many it may have; none where the rate was drawn from a block.
  rate: 'integer',
  rate_max: 'bigint',
  // Where its claims begin, and how many they are.
  claims_from: 'integer',
  claims: 'integer',
})

/** Counted from 1, in the order of the admissions that they belong to. */
export const claims = layout('claims', { counter: 'integer', amount: 'bigint', most: 'bigint' })

/** Each once, in the same order in every batch. */
export const counters = layout('counters', {
  tenant: 'text',
  name: 'text',
  claimed: 'bigint',
  window_ms: 'bigint',
})

/** The entries of passes. */
export const entries = layout('entries', {
  entry: 'uuid',
  call: 'uuid',
  tenant: 'text',
  call_key: 'hex',
  tool: 'text',
  run: 'text',
  status: 'text',
  effect: 'text',
  pass: 'integer',
  yields: 'boolean',
  // The call's record; none where the pass only looked on.
  body: 'bytea',
  facts: 'bytea',
  // The place among what a process writes after its answers.
  number: 'bigint',
  binds_call: 'hex',
  binds_slot: 'hex',
  binds_answer: 'hex',
  binds_amended: 'hex',
  // The end of an attempt.
  end_slot: 'text',
  end_generation: 'integer',
  end_attempt: 'integer',
  end_nonce: 'uuid',
  end_status: 'text',
  end_effect: 'text',
  end_held: 'boolean',
  end_tries: 'integer',
  end_ttl: 'bigint',
  end_rebuild: 'boolean',
  // The question to people where the effect may be there twice.
  end_question: 'bytea',
  // The answer of the end, or what the phases after it have made of it.
  answer: 'bytea',
  amend_slot: 'text',
  amend_generation: 'integer',
  seen_slot: 'text',
  seen_generation: 'integer',
  seen_provider: 'text',
  // An effect that is to be read back after so long, and one that was.
  verify_after: 'float8',
  verify_contract: 'text',
  verify_slot: 'text',
  verify_generation: 'integer',
  verify_reads: 'integer',
  verify_body: 'bytea',
  verified: 'boolean',
})

/** The questions of an entry to people, by the entry's place. */
export const questions = layout('questions', { place: 'integer', id: 'uuid', kind: 'text', body: 'bytea' })

/** The ends of most calls: admitted, happened, and nothing else to write. */
export const plainEnds = layout('ends', {
  tenant: 'text',
  slot: 'text',
  generation: 'integer',
  attempt: 'integer',
  nonce: 'uuid',
  tries: 'integer',
  answer: 'bytea',
  ttl: 'bigint',
  rebuild: 'boolean',
  call: 'uuid',
  run: 'text',
  tool: 'text',
  status: 'text',
  ending: 'bytea',
  entry: 'uuid',
  salt: 'hex',
  facts: 'bytea',
  binds_call: 'hex',
  binds_slot: 'hex',
  binds_answer: 'hex',
})

/** Admissions by a plain statement: the fields of a new slot, and the keys that must not be there yet. */
export const newSlots = layout('slots', {
  tenant: 'text',
  slot: 'text',
  key: 'text',
  request_hash: 'hex',
  kind: 'text',
  operation: 'text',
  call: 'uuid',
  call_key: 'hex',
  admitted_call: 'bytea',
  admitted_facts: 'bytea',
  admitted_pass: 'integer',
  nonce: 'uuid',
  contract: 'text',
  run: 'text',
  provider: 'text',
  reserved: 'text',
  run_key: 'hex',
})

/** One write of a saga, which is a list of one. */
export const sagaWrites = layout('writes', {
  tenant: 'text',
  id: 'text',
  epoch: 'integer',
  seq: 'integer',
  state: 'text',
  direction: 'text',
  due_ms: 'float8',
  // A slot that is closed with it, without effect.
  close_slot: 'text',
  close_operation: 'text',
  close_request_hash: 'hex',
  close_call: 'uuid',
  close_run: 'text',
  close_answer: 'bytea',
  // The slot of a step whose effect is undone.
  undone: 'text',
  answered_by: 'text',
})

/** The lines that a saga's journal gets by it. */
export const sagaLines = layout('lines', { body: 'bytea' })

/** The questions of a saga to people. */
export const sagaQuestionRows = layout('saga_questions', { id: 'uuid', call: 'uuid', kind: 'text', body: 'bytea' })

/** Readings before the gates. */
export const lookUps = layout('asked', {
  tenant: 'text',
  call_key: 'hex',
  slot: 'text',
  provider: 'text',
  // The run whose labels are wanted.
  run: 'text',
})

/** A field of a row in an answer: how the database reads it, and its type here. */
interface Field<T> {
  readonly sql: string
  /** Only for its type. */
  readonly is?: T
}

const field = <T>(sql: string): Field<T> => ({ sql })

/** A slot's record, of a row `k` of the table. */
export const slotFields = {
  generation: field<number>('k.generation'),
  idempotency_key: field<string>('k.idempotency_key'),
  request_hash: field<string>(`encode(k.request_hash, 'hex')`),
  status: field<SlotRecord['status']>('k.status'),
  effect: field<SlotRecord['effect']>('k.effect'),
  held: field<boolean>('k.held'),
  kind: field<SlotRecord['kind']>('k.kind'),
  operation: field<string>('k.operation'),
  call_id: field<string>('k.call_id'),
  nonce: field<string>('k.nonce'),
  contract_hash: field<string>('k.contract_hash'),
  attempt: field<number>('k.attempt'),
  starts: field<number>('k.starts'),
  run: field<string>('k.run'),
  resource: field<string | null>('k.resource'),
  provider_call_ids: field<readonly string[]>('k.provider_call_ids'),
  overtaken: field<boolean>('k.overtaken'),
  reserved: field<string | null>('k.reserved'),
  /** Bytes in hex, after the two characters by which Postgres says so. */
  response_body: field<string | null>('k.response_body'),
  created_at: field<EpochMs>('proviso.epoch_ms(k.created_at)'),
  admitted_at: field<EpochMs>('proviso.epoch_ms(k.admitted_at)'),
  completed_at: field<EpochMs | null>('proviso.epoch_ms(k.completed_at)'),
  expires_at: field<EpochMs | null>('proviso.epoch_ms(k.expires_at)'),
} as const

export type SlotRow = {
  readonly [K in keyof typeof slotFields]: (typeof slotFields)[K] extends Field<infer T> ? T : never
}

/** As one JSON text. */
export const slotJsonSql = `json_build_object(${Object.entries(slotFields)
  .map(([name, { sql }]) => `'${name}', ${sql}`)
  .join(', ')})`

/** How a column of the slot goes into its state: as bytes that no setting of a session changes. */
const asBytes = {
  plain: (name: string) => name,
  text: (name: string) => `convert_to(${name}, 'UTF8')`,
  list: (name: string) => `convert_to(${name}::text, 'UTF8')`,
  hashed: (name: string) => `sha256(${name})`,
} as const

/** What decides in the row of a slot, and so is bound by facts. Its answer is bound by itself; what is not bound at all, unbound.ts says. */
const slotStateColumns = {
  tenant_id: 'text',
  slot_key: 'text',
  generation: 'plain',
  idempotency_key: 'text',
  request_hash: 'plain',
  status: 'text',
  effect: 'list',
  held: 'plain',
  kind: 'text',
  operation: 'text',
  call_id: 'plain',
  call_key: 'plain',
  admitted_call: 'hashed',
  admitted_facts: 'hashed',
  admitted_pass: 'plain',
  nonce: 'plain',
  contract_hash: 'text',
  attempt: 'plain',
  starts: 'plain',
  run: 'text',
  resource: 'text',
  provider_call_ids: 'list',
  overtaken: 'plain',
  created_at: 'plain',
  admitted_at: 'plain',
  reserved: 'text',
  completed_at: 'plain',
  rebuild: 'plain',
  expires_at: 'plain',
} as const satisfies Readonly<Record<string, keyof typeof asBytes>>

/** The state of a row under this alias, with a status that is an expression of its own. */
export const slotStateSql = (alias: string, status: string): string =>
  `sha256(record_send(row(${Object.entries(slotStateColumns)
    .map(([name, how]) => asBytes[how](name === 'status' ? status : `${alias}.${name}`))
    .join(', ')})))`
