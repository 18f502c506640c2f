// The tools that a call may use. On a ledger in memory, a tool that needs a durable one is set aside and said so.
import { resolve } from 'node:path'
import { effectRow } from '../../contract/effects.ts'
import { type LoadedTool, loadContracts } from '../../runtime/load-contracts.ts'

export interface UsableTools {
  readonly tools: readonly LoadedTool[]
  /** Names of tools that were set aside. */
  readonly aside: readonly string[]
}

export async function loadTools(
  paths: readonly string[],
  folder: string,
  { durable }: { readonly durable: boolean },
): Promise<UsableTools> {
  const loaded: LoadedTool[] = []
  for (const path of paths) loaded.push(...(await loadContracts(resolve(folder, path))))
  const fits = ({ contract }: LoadedTool) =>
    durable || !effectRow(contract.transactional.side_effect_class).durableLedger
  return {
    tools: loaded.filter(fits),
    aside: loaded
      .filter((tool) => !fits(tool))
      .flatMap(({ contract, binding }) => [contract.identity.name, ...binding.aliases]),
  }
}
