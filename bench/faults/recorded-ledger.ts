// A ledger whose uses of operations are written down, asked and answered, by all processes of a site into one file: so the file has them
// in an order in which they can have come. A process that is killed leaves what it asked without an answer.
import { randomUUID } from 'node:crypto'
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SlotRecord } from '../../src/contract/call/slot.ts'
import type { CallRecord } from '../../src/ledger/ports/calls.ts'
import type { Ledger } from '../../src/ledger/ports/ledger.ts'
import type { LedgerTransaction, Operations, PassEntry } from '../../src/ledger/ports/operations.ts'
import type { SagaWrite, SagaWritten } from '../../src/ledger/ports/sagas.ts'
import type { ToolSpec } from './tool-spec.ts'

export const historiesIn = (folder: string): string => join(folder, 'histories.jsonl')

export type RecordedUse =
  | 'read'
  | 'admit'
  | 'tell'
  | 'end'
  | 'claim'
  | 'fence'
  | 'restart'
  | 'postpone'
  | 'resolve'
  | 'close'
  | 'undo'

/** The first line of a process: the tools that it has. */
export interface RecordedTools {
  readonly process: string
  readonly tools: readonly ToolSpec[]
}

/** Any other line: what was asked, or what was answered to it. */
export interface RecordedLine {
  readonly process: string
  readonly number: number
  /** Only where it is asked. */
  readonly use?: RecordedUse
  readonly slot?: string
  /** The provider's id of the call: under it, it may have been given another one of ours. */
  readonly call?: string
  readonly id?: string
  readonly tool?: string
  readonly pass?: number
  readonly generation?: number
  readonly attempt?: number
  readonly kind?: SlotRecord['kind']
  readonly arguments?: string
  readonly unseen?: boolean
  readonly says?: string
  readonly seen?: boolean
  readonly person?: string
  readonly quorum?: number
  /** Only where it is answered; `lost` where the ledger could not tell. */
  readonly came?: string
  /** What was read, or given to find out about. */
  readonly found?: readonly RecordedSlot[]
}

export interface RecordedSlot {
  readonly slot: string
  readonly tool?: string
  readonly call?: string
  readonly generation: number
  readonly attempt: number
  readonly says: string
}

export function recordLedger(ledger: Ledger, folder: string, tools: readonly ToolSpec[]): Ledger {
  const file = historiesIn(folder)
  const process = randomUUID().slice(0, 8)
  let numbers = 0
  const write = (line: Omit<RecordedLine, 'process'> | Omit<RecordedTools, 'process'>) =>
    appendFileSync(file, `${JSON.stringify({ process, ...line })}\n`)
  write({ tools })

  async function around<T>(
    asked: Omit<RecordedLine, 'process' | 'number'> | undefined,
    work: () => T | Promise<T>,
    answered: (given: T) => Omit<RecordedLine, 'process' | 'number'>,
  ): Promise<T> {
    if (asked === undefined) return work()
    const number = ++numbers
    write({ number, ...asked })
    try {
      const given = await work()
      write({ number, ...answered(given) })
      return given
    } catch (error) {
      write({ number, came: 'lost' })
      throw error
    }
  }

  const { operations } = ledger
  const { begin } = operations
  const recorded: Operations = {
    ...operations,
    lookUp: (query) =>
      around(
        query.slot === undefined
          ? undefined
          : { use: 'read', slot: query.slot.key, ...lookedUpBy(query.slot.providerCallId) },
        () => operations.lookUp(query),
        ({ slot }) => readingOf(slot?.record),
      ),
    slot: (tenant, key, providerCallId) =>
      around(
        { use: 'read', slot: key, ...lookedUpBy(providerCallId) },
        () => operations.slot(tenant, key, providerCallId),
        ({ record }) => readingOf(record),
      ),
    admit: (request) =>
      around(
        request.slot === undefined
          ? undefined
          : {
              use: 'admit',
              slot: request.slot.key,
              call: request.slot.providerCallId ?? request.callId,
              id: request.callId,
              ...(request.entry === undefined
                ? {}
                : { tool: request.entry.call.key.tool, pass: request.entry.call.passes }),
              generation: request.generation,
              kind: request.slot.kind,
              arguments: request.slot.requestHash,
              unseen: request.unseen,
            },
        () => operations.admit(request),
        (came) => ({
          came: came.kind,
          ...(came.kind === 'admitted' ? { generation: came.generation, attempt: came.attempt } : {}),
        }),
      ),
    record: (entry) =>
      around(
        askedOf(entry),
        () => operations.record(entry),
        (came) => ({ came }),
      ),
    claim: (query) =>
      around(
        { use: 'claim' },
        () => operations.claim(query),
        (claims) => ({ came: 'given', found: claims.map(({ slot, call }) => ({ ...slotOf(slot), ...callOf(call) })) }),
      ),
    fence: (slot) =>
      around(
        { use: 'fence', ...slotOf(slot) },
        () => operations.fence(slot),
        (came) => ({ came }),
      ),
    restart: (slot, restart) =>
      around(
        { use: 'restart', ...slotOf(slot) },
        () => operations.restart(slot, restart),
        (came) => ({ came: came ? 'restarted' : 'too late' }),
      ),
    postpone: (slot, ms) =>
      around(
        { use: 'postpone', ...slotOf(slot) },
        () => operations.postpone(slot, ms),
        () => ({ came: 'later' }),
      ),
    resolve: (resolution) =>
      around(
        {
          use: 'resolve',
          id: resolution.callId,
          says: resolution.effect,
          person: resolution.by,
          quorum: resolution.quorum,
        },
        () => operations.resolve(resolution),
        ({ kind, record }) => ({ came: kind, ...(record === undefined ? {} : { slot: record.key }) }),
      ),
    ...(begin === undefined
      ? {}
      : {
          async begin(tenant, attempt) {
            const transaction = await begin(tenant, attempt)
            const commit: LedgerTransaction['commit'] = (entry) =>
              around(
                askedOf(entry),
                () => transaction.commit(entry),
                (came) => ({ came }),
              )
            return {
              query: transaction.query.bind(transaction),
              exactly: transaction.exactly.bind(transaction),
              check: transaction.check.bind(transaction),
              rollback: transaction.rollback.bind(transaction),
              commit,
            }
          },
        }),
  }
  const { append } = ledger.sagas
  /** One write may close the operation of a step and undo that of another. */
  const sagas: Ledger['sagas'] = {
    ...ledger.sagas,
    append: (change) =>
      around(
        closingOf(change),
        () =>
          around(
            change.undone === undefined ? undefined : { use: 'undo', slot: change.undone },
            () => append(change),
            (came) => ({ came: changedBy(came, 'undone') }),
          ),
        (came) => ({ came: changedBy(came, 'closed') }),
      ),
  }
  return { ...ledger, operations: recorded, sagas }
}

const closingOf = ({ close }: SagaWrite): Omit<RecordedLine, 'process' | 'number'> | undefined =>
  close == null ? undefined : { use: 'close', slot: close.slotKey, id: close.callId }

/** Where another process has the saga, or an operation cannot be closed, nothing of it is written. */
const changedBy = (came: SagaWritten, done: 'closed' | 'undone'): string =>
  came === 'written' ? done : came === 'lost' ? 'not its own' : came

function askedOf({ call, settle, seen }: PassEntry): Omit<RecordedLine, 'process' | 'number'> | undefined {
  const common = { ...callOf(call), pass: call.passes }
  if (settle?.slotKey !== undefined) {
    const { slotKey, generation, attempt, status, effect, held } = settle
    return { use: 'end', ...common, slot: slotKey, generation, attempt, says: saysOf({ status, effect, held }) }
  }
  if (seen !== undefined) return { use: 'tell', ...common, slot: seen.slotKey, generation: seen.generation, seen: true }
  return { use: 'tell', ...common }
}

const saysOf = ({ status, effect, held }: Pick<SlotRecord, 'status' | 'effect' | 'held'>): string =>
  `${status} ${effect}${held ? ' held' : ''}`

const callOf = ({ id, key }: CallRecord) => ({ call: key.providerCallId ?? id, id, tool: key.tool })

const slotOf = (slot: SlotRecord): RecordedSlot => ({
  slot: slot.key,
  generation: slot.generation,
  attempt: slot.attempt,
  says: saysOf(slot),
})

/** A saga reads the operation of a step without a call. */
const lookedUpBy = (call: string | undefined) => (call === undefined ? {} : { call })

const readingOf = (record: SlotRecord | undefined) =>
  record === undefined ? { came: 'absent' } : { came: 'there', found: [slotOf(record)] }
