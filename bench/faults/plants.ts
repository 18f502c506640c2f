// Faults put in on purpose, each a real way of being wrong. The judge must find every one of them; one that finds none proves nothing.
import type { Ledger, PassEntry } from '../../src/ledger/ledger.ts'

export const plants = {
  double: { named: 'double execution', is: 'A ledger that forgets an operation as soon as somebody else asks for it.' },
  'lost-fact': { named: 'lost fact', is: 'A ledger that drops the first fact of every record.' },
  'needless-hold': {
    named: 'needless hold',
    is: 'A recovering process that does not know how the tools can be asked.',
  },
} as const satisfies Readonly<Record<string, { readonly named: string; readonly is: string }>>

export type PlantName = keyof typeof plants

export const isPlantName = (name: string): name is PlantName => Object.hasOwn(plants, name)

/** Which count of the result each plant has to move. */
export const foundAs = {
  double: 'double_effects',
  'lost-fact': 'facts_missing',
  'needless-hold': 'held_needlessly',
} as const satisfies Readonly<Record<PlantName, string>>

export function plantIn(ledger: Ledger, plant: PlantName | undefined): Ledger {
  switch (plant) {
    case undefined:
    // Planted in the tools: see `blind`.
    case 'needless-hold':
      return ledger
    case 'lost-fact':
      return { ...ledger, record: (entry) => ledger.record({ ...entry, facts: entry.facts.slice(1) }) }
    case 'double': {
      const forgotten = <T extends { readonly key: string }>(slot: T): T => ({ ...slot, key: `${slot.key}-forgotten` })
      const forgetful = (entry: PassEntry): PassEntry => {
        const { settle } = entry
        if (settle?.slotKey === undefined) return entry
        return { ...entry, settle: { ...settle, slotKey: forgotten({ key: settle.slotKey }).key } }
      }
      const { begin } = ledger
      return {
        ...ledger,
        lookUp: async ({ key, slot }) => {
          const found = await ledger.lookUp({ key, slot: slot === undefined ? undefined : forgotten(slot) })
          return { ...found, call: undefined }
        },
        slot: (tenant, key, providerCallId) => ledger.slot(tenant, forgotten({ key }).key, providerCallId),
        admit: (request) =>
          ledger.admit({ ...request, slot: request.slot === undefined ? undefined : forgotten(request.slot) }),
        record: (entry) => ledger.record(forgetful(entry)),
        ...(begin === undefined
          ? {}
          : {
              begin: async (tenant) => {
                const transaction = await begin(tenant)
                return { ...transaction, commit: (entry) => transaction.commit(forgetful(entry)) }
              },
            }),
      }
    }
  }
}
