// Every tool that this process has judged, once each. Their contracts are kept with the ledger; what their executors hold open ends here.
import type { Binding, Tool } from '../contract/tool/tool.ts'
import { closeExecutors } from '../execute/executors/kept-open.ts'
import type { JsonObject } from '../json/value.ts'
import type { Ledger } from '../ledger/ports/ledger.ts'
import type { ToolSource } from './tool-definition.ts'

export interface PreparedTools {
  /** Every contract seen: waiting calls and replays are judged by the one they began with. */
  readonly byHash: ReadonlyMap<string, Tool>
  /** Throws the Fault that says why the tool is refused. */
  prepare(source: ToolSource): Tool
  /** Calls are explained, and looked after, by contracts that their own process may have taken along. */
  save(): Promise<void>
  /** Tools of surfaces that are gone included. */
  close(): Promise<void>
}

export interface PreparedToolsInput {
  readonly ledger: Ledger
  /** Judges a tool that has not been seen before, or throws. */
  readonly register: (source: ToolSource) => Tool
  readonly report: (fault: unknown) => void
}

export function createPreparedTools({ ledger, register, report }: PreparedToolsInput): PreparedTools {
  const byHash = new Map<string, Tool>()
  const bySource = new WeakMap<ToolSource, Tool>()
  const bindings = new Set<Binding>()
  let saved = 0
  return {
    byHash,
    prepare(source) {
      const known = bySource.get(source)
      if (known !== undefined) return known
      const tool = register(source)
      bySource.set(source, tool)
      bindings.add(tool.binding)
      byHash.set(tool.contractHash, tool)
      return tool
    },
    async save() {
      if (byHash.size === saved) return
      saved = byHash.size
      // A contract is closed and plain by its schema: what was registered is what is kept.
      await ledger.calls.saveContracts(
        new Map([...byHash].map(([hash, { contract }]) => [hash, contract as unknown as JsonObject])),
      )
    },
    close: () => closeExecutors(bindings, report),
  }
}
