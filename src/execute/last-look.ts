// What every executor does at the last moment before its effect: it asks whether it may still make it.
import { Withheld } from '../contract/fault.ts'
import type { ExecutionContext } from '../contract/tool/tool.ts'

/** Throws where the effect is not to be made any more. What stands between this and the effect is all that a pause can still come into. */
export function lastLook({ mayAct }: Pick<ExecutionContext, 'mayAct'>): void {
  if (!mayAct()) throw new Withheld()
}
