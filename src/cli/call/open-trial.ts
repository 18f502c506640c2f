// A Proviso for one call from the command line, on the ledger that was named or on one in memory. Operations of these tools that an
// earlier process left behind are looked after first.
import type { LoadedTool } from '../../runtime/load-contracts.ts'
import { openProviso } from '../../runtime/open-proviso.ts'
import type { Proviso } from '../../runtime/proviso.ts'
import { flag, type Given, type Outcome } from '../command.ts'
import { openLedger } from '../ledger/open-ledger.ts'
import type { Terminal } from '../terminal.ts'

export type OpenedTrial =
  | { readonly ok: true; readonly proviso: Proviso }
  | { readonly ok: false; readonly outcome: Outcome }

/** Budgets keep agents in check; here every call is typed by a person. */
const count = 1_000_000_000_000
const budgets = { read: count, write: count, external: count, critical: count }

export async function openTrial(tools: readonly LoadedTool[], given: Given, terminal: Terminal): Promise<OpenedTrial> {
  if (flag(given, 'memory')) return { ok: true, proviso: await openProviso({ tools, budgets }) }
  const opened = await openLedger(given, terminal, { make: true })
  if (!opened.ok) return opened
  try {
    const proviso = await openProviso({ ledger: opened.ledger, tools, budgets })
    const recovered = await proviso.recover()
    if (recovered.length > 0)
      terminal.note(`Recovered from an earlier process: ${recovered.map((effect) => words[effect]).join(', ')}.`)
    return { ok: true, proviso }
  } catch (error) {
    await opened.ledger.close()
    throw error
  }
}

const words = {
  happened: 'one operation that happened',
  none: 'one operation that did not happen',
  held: 'one operation that is held for a person',
  later: 'one operation that is looked at again later',
} as const
