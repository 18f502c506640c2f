// A ledger whose every use is a point before and a point after. What it does is the real ledger's own.
import type { Ledger, LedgerTransaction } from '../../src/ledger/ledger.ts'
import type { TripWire } from './trip-wire.ts'

const watched = [
  'lookUp',
  'slot',
  'admit',
  'record',
  'findApproval',
  'openApproval',
  'claim',
  'restart',
  'postpone',
  'saveResult',
] as const

const watchedOfSagas = ['create', 'append', 'claim', 'journal'] as const

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
  const methods = Object.fromEntries(watched.map((name) => [name, around(name, ledger[name].bind(ledger) as Method)]))
  const { begin } = ledger
  const transactions =
    begin === undefined
      ? {}
      : {
          begin: around('begin', async (tenant: unknown) => {
            const transaction = await begin.call(ledger, String(tenant))
            return {
              query: around('transaction.query', transaction.query.bind(transaction) as Method),
              commit: around('transaction.commit', transaction.commit.bind(transaction) as Method),
              rollback: transaction.rollback.bind(transaction),
            } as unknown as LedgerTransaction
          }),
        }
  const sagas = Object.fromEntries(
    watchedOfSagas.map((name) => [name, around(`sagas.${name}`, ledger.sagas[name].bind(ledger.sagas) as Method)]),
  )
  return { ...ledger, ...methods, ...transactions, sagas: { ...ledger.sagas, ...sagas } } as unknown as Ledger
}
