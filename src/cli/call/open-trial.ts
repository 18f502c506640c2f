// A Proviso for one call from the command line, on the ledger that was named or on one in memory. Operations of these tools that an
// earlier process left behind are recovered first.
import { resolve } from 'node:path'
import { effectRow } from '../../contract/effects.ts'
import { type LoadedTool, loadContracts } from '../../runtime/load-contracts.ts'
import { openProviso } from '../../runtime/open-proviso.ts'
import type { Proviso } from '../../runtime/proviso.ts'
import { available, type CommandIo, type Needed } from '../command.ts'
import { openLedger } from '../ledger/open-ledger.ts'

export interface UsableTools {
  readonly tools: readonly LoadedTool[]
  /** Names of tools that were set aside, because they need a durable ledger and this one is in memory. */
  readonly aside: readonly string[]
}

export async function loadTools(io: CommandIo, { durable }: { readonly durable: boolean }): Promise<UsableTools> {
  const paths = io.optionList('tools')
  const loaded: LoadedTool[] = []
  for (const path of paths.length === 0 ? ['tools'] : paths)
    loaded.push(...(await loadContracts(resolve(io.folder, path))))
  const isUsable = ({ contract }: LoadedTool) =>
    durable || !effectRow(contract.transactional.side_effect_class).durableLedger
  return {
    tools: loaded.filter(isUsable),
    aside: loaded
      .filter((tool) => !isUsable(tool))
      .flatMap(({ contract, binding }) => [contract.identity.name, ...binding.aliases]),
  }
}

/** Budgets keep agents in check; here every call is typed by a person. */
const count = 1_000_000_000_000
const budgets = { read: count, write: count, external: count, critical: count }

export async function openTrial(tools: readonly LoadedTool[], io: CommandIo): Promise<Needed<Proviso>> {
  if (io.flag('memory')) return available(await openProviso({ tools, budgets }))
  const opened = await openLedger(io, { make: true })
  if (!opened.ok) return opened
  try {
    const proviso = await openProviso({ ledger: opened.value, tools, budgets })
    const recovered = await proviso.recover()
    if (recovered.length > 0)
      io.note(`Recovered from an earlier process: ${recovered.map((effect) => recoveryWords[effect]).join(', ')}.`)
    return available(proviso)
  } catch (error) {
    await opened.value.close()
    throw error
  }
}

const recoveryWords = {
  happened: 'one operation that happened',
  none: 'one operation that did not happen',
  held: 'one operation that is held for a person',
  later: 'one operation that is looked at again later',
} as const
