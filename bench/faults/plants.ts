// Faults put in on purpose, each a real way of being wrong. The judge must find every one of them; one that finds none proves nothing.
import { randomUUID } from 'node:crypto'
import { systemClock } from '../../src/json/clock.ts'
import type { Ledger } from '../../src/ledger/ports/ledger.ts'
import type { Operations, PassEntry } from '../../src/ledger/ports/operations.ts'
import type { SagaWrite } from '../../src/ledger/ports/sagas.ts'

interface Plant {
  /** What the judge calls it. */
  readonly named: string
  readonly is: string
  /** The scenario that has to find it. */
  readonly in: string
}

const ofCalls = { in: 'killed at every point' } as const
const ofSagas = { in: 'a saga killed at every point' } as const

export const plants = {
  double: {
    ...ofCalls,
    named: 'double execution',
    is: 'A ledger that forgets an operation as soon as another process asks for it.',
  },
  'lost-fact': { ...ofCalls, named: 'lost fact', is: 'A ledger that drops the first fact of every record.' },
  'needless-hold': {
    ...ofCalls,
    named: 'needless hold',
    is: 'A recovering process that does not know how the tools can be asked.',
  },
  'left-question': {
    ...ofSagas,
    named: 'people are still asked',
    is: 'A ledger that asks people about a saga that has come to its end.',
  },
  'silent-failure': {
    ...ofSagas,
    named: 'no person was asked',
    is: 'A ledger that forgets the question about a compensation that failed.',
  },
  'torn-journal': {
    ...ofSagas,
    named: 'the journal does not say how undoing s1 ended',
    is: 'A ledger that drops the line before a saga stands still.',
  },
} as const satisfies Readonly<Record<string, Plant>>

export type PlantName = keyof typeof plants

export const isPlantName = (name: string): name is PlantName => Object.hasOwn(plants, name)

/** Which count of the result each plant has to move. */
export const foundAs = {
  double: 'double_effects',
  'lost-fact': 'facts_missing',
  'needless-hold': 'held_needlessly',
  'left-question': 'held_needlessly',
  'silent-failure': 'lost_acknowledged',
  'torn-journal': 'lost_acknowledged',
} as const satisfies Readonly<Record<PlantName, string>>

export function plantIn(ledger: Ledger, plant: PlantName | undefined): Ledger {
  switch (plant) {
    case undefined:
    // Planted in the tools: see `blind`.
    case 'needless-hold':
      return ledger
    case 'left-question':
      return writing(ledger, (write) => ({ ...write, escalations: [...(write.escalations ?? []), ...leftBy(write)] }))
    case 'silent-failure':
      return writing(ledger, (write) => (isFailure(write) ? { ...write, escalations: [] } : write))
    case 'torn-journal':
      return writing(ledger, (write) => (isFailure(write) ? { ...write, entries: write.entries.slice(-1) } : write))
    case 'lost-fact':
      return inOperations(ledger, {
        record: (entry) => ledger.operations.record({ ...entry, facts: entry.facts.slice(1) }),
      })
    case 'double': {
      const forgotten = <T extends { readonly key: string }>(slot: T): T => ({ ...slot, key: `${slot.key}-forgotten` })
      const forgetful = (entry: PassEntry): PassEntry => {
        const { settle } = entry
        if (settle?.slotKey === undefined) return entry
        return { ...entry, settle: { ...settle, slotKey: forgotten({ key: settle.slotKey }).key } }
      }
      const { begin } = ledger.operations
      return inOperations(ledger, {
        lookUp: async ({ key, slot }) => {
          const found = await ledger.operations.lookUp({ key, slot: slot === undefined ? undefined : forgotten(slot) })
          return { ...found, call: undefined }
        },
        slot: (tenant, key, providerCallId) => ledger.operations.slot(tenant, forgotten({ key }).key, providerCallId),
        admit: (request) =>
          ledger.operations.admit({
            ...request,
            slot: request.slot === undefined ? undefined : forgotten(request.slot),
          }),
        record: (entry) => ledger.operations.record(forgetful(entry)),
        ...(begin === undefined
          ? {}
          : {
              begin: async (tenant, attempt) => {
                const transaction = await begin(tenant, attempt)
                return { ...transaction, commit: (entry) => transaction.commit(forgetful(entry)) }
              },
            }),
      })
    }
  }
}

const inOperations = (ledger: Ledger, changed: Partial<Operations>): Ledger => ({
  ...ledger,
  operations: { ...ledger.operations, ...changed },
})

const writing = (ledger: Ledger, change: (write: SagaWrite) => SagaWrite): Ledger => ({
  ...ledger,
  sagas: { ...ledger.sagas, append: (write) => ledger.sagas.append(change(write)) },
})

const isFailure = ({ state }: SagaWrite) => state === 'COMPENSATION_FAILED'

/** About the call that the saga ended with. */
function leftBy({ tenant, entries }: SagaWrite): NonNullable<SagaWrite['escalations']> {
  const ended = entries.find((line) => line.kind === 'ended')
  if (ended === undefined || !entries.some(({ kind }) => kind === 'finished')) return []
  const question = { kind: 'saga_stalled', message: 'What became of it?', at: systemClock.now() } as const
  return [{ id: randomUUID(), tenant, callId: ended.call, ...question }]
}
