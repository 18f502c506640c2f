// Opens the ledger that a command was told of, or says in a sentence why it cannot be opened.
import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { Fault } from '../../contract/fault.ts'
import type { LogOptions } from '../../ledger/index.ts'
import type { Ledger } from '../../ledger/ports/ledger.ts'
import { flag, type Given, misuse, type Outcome } from '../command.ts'
import type { Terminal } from '../terminal.ts'
import { hideFromGit } from './hide-from-git.ts'
import { type LedgerPlace, ledgerPlace } from './ledger-place.ts'

export type OpenedLedger =
  | { readonly ok: true; readonly ledger: Ledger }
  | { readonly ok: false; readonly outcome: Outcome }

export interface LedgerUse {
  /** Reading does not make a ledger where there is none: that would only hide that the folder is the wrong one. */
  readonly make: boolean
  readonly log?: LogOptions
}

/** A command makes one call at a time, and sweeps beside it. */
const connections = 3

export async function openLedger(given: Given, terminal: Terminal, { make, log }: LedgerUse): Promise<OpenedLedger> {
  const options = { connections, make, ...(log && { log }) }
  const place = ledgerPlace(given, terminal)
  try {
    switch (place.kind) {
      case 'unknown':
        return failed(`${place.shown} is neither a postgres:// URL nor a folder.`)
      case 'postgres': {
        const { postgres } = await import('../../ledger/postgres/postgres.ts')
        return { ok: true, ledger: await postgres(place.url, options) }
      }
      case 'embedded': {
        if (!make && !existsSync(place.dir))
          return failed(`Nothing is on record here: there is no ledger in ${place.shown}.`, [
            'proviso call makes one.',
            '--ledger or PROVISO_LEDGER names another one.',
          ])
        if (place.isDefault) await hideFromGit(dirname(place.dir))
        const { embedded } = await import('../../ledger/embedded/embedded.ts')
        return { ok: true, ledger: await embedded({ dir: place.dir, ...options, make: true, ...stayOf(given) }) }
      }
    }
  } catch (error) {
    return refusal(error, place)
  }
}

/** Opens the ledger, lets `use` work with it, and closes it however that ends. */
export async function withLedger(
  given: Given,
  terminal: Terminal,
  use: (ledger: Ledger) => Promise<Outcome>,
): Promise<Outcome> {
  const opened = await openLedger(given, terminal, { make: false })
  if (!opened.ok) return opened.outcome
  try {
    return await use(opened.ledger)
  } finally {
    await opened.ledger.close()
  }
}

const failed = (message: string, details: readonly string[] = []): OpenedLedger => ({
  ok: false,
  outcome: misuse(message, details),
})

const stayOf = (given: Given) =>
  flag(given, 'stay') ? { stay: true } : given.options.stay === false ? { stay: false } : {}

function refusal(error: unknown, place: LedgerPlace): OpenedLedger {
  if (error instanceof Fault) {
    if (error.code !== 'embedded_unavailable') throw error
    return failed(error.message, [
      'Or name a Postgres database: --ledger postgres://user@host/database, or PROVISO_LEDGER.',
      'proviso call --memory tries a call and keeps nothing.',
    ])
  }
  const reason = error instanceof Error ? reasonOf(error) : 'unknown'
  return failed(`The ledger ${place.shown} cannot be opened: ${reason}`)
}

/** A connection that was tried at several addresses fails with all their errors and no message of its own. */
function reasonOf(error: Error): string {
  if (error.message !== '') return error.message
  const [first] = error instanceof AggregateError ? error.errors : []
  return first instanceof Error ? first.message : error.name
}
