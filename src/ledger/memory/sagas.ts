// Sagas in memory: they live and die with their process, and are owned and journaled as anywhere.
import type { Escalation } from '../../contract/approval/approval.ts'
import type { JournalEntry, SagaEntry, SagaRecord } from '../../contract/saga/saga.ts'
import type { Clock, EpochMs } from '../../json/clock.ts'
import { ownCopy } from '../../json/copy.ts'
import { defaultPage } from '../ports/ledger.ts'
import type { SagaStore } from '../ports/sagas.ts'
import { isTaken, openToEveryProcess } from '../rules/due.ts'
import { drivenStates, sagaStandings, sagaStart } from '../rules/saga.ts'
import type { Slots } from './slots.ts'

export interface MemorySagasInput {
  readonly clock: Clock
  readonly slots: Slots
  escalate(escalations: readonly Escalation[]): void
  /** Closes the questions that sagas have asked about this call. */
  answer(callId: string): void
}

const leaseMs = 15_000
/** Finished sagas kept; the oldest go first. */
const maxSagas = 10_000

export function createMemorySagas({ clock, slots, escalate, answer }: MemorySagasInput): SagaStore {
  const sagas = new Map<string, SagaRecord>()
  const journals = new Map<string, readonly JournalEntry[]>()

  const visible = (id: string, tenant: string | undefined) =>
    tenant === undefined ? [...sagas.values()].find((saga) => saga.id === id) : sagas.get(keyOf(tenant, id))

  const write = (key: string, saga: SagaRecord, entries: readonly SagaEntry[]) => {
    const { epoch, updatedAt: at, seq } = saga
    sagas.set(key, { ...saga, seq: seq + entries.length })
    const lines = entries.map((entry, index) => ({ ...ownCopy(entry), seq: seq + index + 1, epoch, at }))
    journals.set(key, [...(journals.get(key) ?? []), ...lines])
  }

  const dropOldest = () => {
    for (const [key, { state }] of sagas) {
      if (sagas.size <= maxSagas) return
      if (!sagaStandings[state].over) continue
      sagas.delete(key)
      journals.delete(key)
    }
  }

  const later = (ms: number) => Math.trunc(clock.now() + ms) as EpochMs

  return {
    leaseMs,
    create({ entries, ...start }, forMs) {
      const key = keyOf(start.tenant, start.id)
      const known = sagas.get(key)
      if (known !== undefined) return { created: false, saga: known }
      const now = clock.now()
      const saga: SagaRecord = {
        ...ownCopy(start),
        ...sagaStart,
        seq: 0,
        createdAt: now,
        updatedAt: now,
        dueAt: later(forMs),
      }
      write(key, saga, entries)
      dropOldest()
      return { created: true, saga: sagas.get(key) ?? saga }
    },
    append({ tenant, id, epoch, seq, entries, state, direction, dueMs, close, undone, escalations, answered }) {
      const key = keyOf(tenant, id)
      const saga = sagas.get(key)
      if (saga === undefined || saga.epoch !== epoch || saga.seq !== seq) return 'lost'
      if (close !== undefined && !slots.close(tenant, close, clock.now())) return 'open'
      if (undone !== undefined) slots.undo(tenant, undone)
      if (escalations !== undefined) escalate(escalations)
      for (const call of answered?.calls ?? []) answer(call)
      const dueAt = dueMs === undefined ? undefined : later(dueMs)
      write(key, { ...saga, state, direction, updatedAt: clock.now(), dueAt }, entries)
      return 'written'
    },
    renew({ tenant, id, epoch }, forMs) {
      const key = keyOf(tenant, id)
      const saga = sagas.get(key)
      if (saga === undefined || saga.epoch !== epoch || !sagaStandings[saga.state].driven) return false
      sagas.set(key, { ...saga, dueAt: later(forMs) })
      return true
    },
    claim({ definitions, orphanMs, only, limit, forMs }) {
      const now = clock.now()
      const due = [...sagas].filter(
        ([, { tenant, id, dueAt, definition }]) =>
          isTaken({
            ...openToEveryProcess,
            due: dueAt !== undefined && dueAt <= now,
            known: definitions.includes(definition),
            orphan: dueAt !== undefined && orphanMs !== undefined && dueAt <= now - orphanMs,
          }) &&
          (only === undefined || (only.tenant === tenant && only.id === id)),
      )
      return due.slice(0, limit).map(([key, saga]) => {
        const claimed = {
          ...saga,
          state: drivenStates[saga.direction],
          epoch: saga.epoch + 1,
          dueAt: later(forMs),
        }
        sagas.set(key, claimed)
        return claimed
      })
    },
    wake(tenant, id) {
      const saga = sagas.get(keyOf(tenant, id))
      if (saga !== undefined && sagaStandings[saga.state].waits)
        sagas.set(keyOf(tenant, id), { ...saga, dueAt: clock.now() })
    },
    get: visible,
    list: ({ tenant, name, state, limit = defaultPage }) =>
      [...sagas.values()]
        .filter((saga) => tenant === undefined || saga.tenant === tenant)
        .filter((saga) => name === undefined || saga.name === name)
        .filter((saga) => state === undefined || saga.state === state)
        .reverse()
        .slice(0, limit),
    journal(id, tenant) {
      const saga = visible(id, tenant)
      return saga === undefined ? [] : (journals.get(keyOf(saga.tenant, saga.id)) ?? [])
    },
  }
}

const keyOf = (tenant: string, id: string) => JSON.stringify([tenant, id])
