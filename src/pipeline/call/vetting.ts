// What an executor asks before it relies on what others publish, for tools and for what reads on their behalf.
import { Quarantined, ToolError } from '../../contract/fault.ts'
import type { ExecutionContext, Executor } from '../../contract/tool/executor.ts'
import type { Deps } from '../deps.ts'

type Vetting = Pick<ExecutionContext, 'vet' | 'vetUnseen'>

/** Throws where what is served is not what a person approved, or where that cannot be read. Undefined where no one else publishes it. */
export function vettingOf({ upstream }: Executor, { quarantine, report }: Deps): Vetting | undefined {
  if (upstream === undefined) return undefined
  const unlessHeld = async (finding: Promise<string | undefined>): Promise<void> => {
    let note: string | undefined
    try {
      note = await finding
    } catch (fault) {
      report(fault)
      throw new ToolError('pins_unavailable', 'What was approved of this tool cannot be read now. Nothing was sent.', {
        effect: 'none',
        class: 'DEPENDENCY_UNAVAILABLE',
      })
    }
    if (note !== undefined) throw new Quarantined(note)
  }
  return {
    vet: (served) => unlessHeld(quarantine.vet(upstream, served)),
    vetUnseen: () => unlessHeld(quarantine.vetUnseen(upstream)),
  }
}
