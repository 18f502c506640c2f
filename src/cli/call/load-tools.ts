// The tools a trial call may use. A tool that needs a durable ledger cannot be tried on one in memory: it is set aside and said so.
import { resolve } from 'node:path'
import { effectRow } from '../../contract/effects.ts'
import { type LoadedTool, loadContracts } from '../../load-contracts.ts'

export interface TrialTools {
  readonly tools: readonly LoadedTool[]
  /** Names of tools that were set aside. */
  readonly aside: readonly string[]
}

export async function loadTrialTools(paths: readonly string[], folder: string): Promise<TrialTools> {
  const loaded: LoadedTool[] = []
  for (const path of paths) loaded.push(...(await loadContracts(resolve(folder, path))))
  const needsDurable = ({ contract }: LoadedTool) => effectRow(contract.transactional.side_effect_class).durableLedger
  return {
    tools: loaded.filter((tool) => !needsDurable(tool)),
    aside: loaded.filter(needsDurable).flatMap(({ contract, binding }) => [contract.identity.name, ...binding.aliases]),
  }
}
