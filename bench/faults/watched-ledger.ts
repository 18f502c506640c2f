// A ledger whose every use is a point before and a point after. What it does is the real ledger's own.
import type { Ledger } from '../../src/ledger/ports/ledger.ts'
import type { LedgerTransaction, TransactionAttempt } from '../../src/ledger/ports/operations.ts'
import type { TripWire } from './trip-wire.ts'

/** By part of the port: what of it is watched, and what its points are called. */
const watched: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  operations: {
    lookUp: 'lookUp',
    slot: 'slot',
    admit: 'admit',
    record: 'record',
    claim: 'claim',
    restart: 'restart',
    postpone: 'postpone',
  },
  approvals: { find: 'findApproval', open: 'openApproval' },
  results: { save: 'saveResult' },
  sagas: { create: 'sagas.create', append: 'sagas.append', claim: 'sagas.claim', journal: 'sagas.journal' },
}

type Method = (...given: readonly unknown[]) => unknown

export function watchLedger(ledger: Ledger, wire: TripWire): Ledger {
  const around =
    (name: string, method: Method): Method =>
    async (...given) => {
      await wire.reach(`${name}:before`)
      const result = await method(...given)
      await wire.reach(`${name}:after`)
      return result
    }
  const parts = Object.entries(watched).map(([part, points]) => {
    const whole = ledger[part as keyof Ledger] as unknown as Readonly<Record<string, Method>>
    const methods = Object.entries(points).map(([method, point]) => [method, around(point, whole[method] as Method)])
    return [part, { ...whole, ...Object.fromEntries(methods) }]
  })
  const changed = Object.fromEntries(parts) as Ledger
  const { begin } = ledger.operations
  if (begin === undefined) return { ...ledger, ...changed }
  const watchedBegin = around('begin', async (tenant: unknown, attempt: unknown) => {
    const transaction = await begin(String(tenant), attempt as TransactionAttempt | undefined)
    const bound: LedgerTransaction = {
      query: around('transaction.query', transaction.query.bind(transaction) as Method) as LedgerTransaction['query'],
      commit: around(
        'transaction.commit',
        transaction.commit.bind(transaction) as Method,
      ) as LedgerTransaction['commit'],
      exactly: transaction.exactly.bind(transaction),
      check: transaction.check.bind(transaction),
      rollback: transaction.rollback.bind(transaction),
    }
    return bound
  })
  const operations = { ...changed.operations, begin: watchedBegin as NonNullable<Ledger['operations']['begin']> }
  return { ...ledger, ...changed, operations }
}
