// Decides how much of a result is shown and how much is kept, by its size, its classification and what the binding says. Pure; a result
// that is simply shown has no plan, so most calls pay one comparison.

import type { PersistenceMode, ResultPlan } from '../../contract/call/result.ts'
import type { Contract } from '../../contract/tool/envelope.ts'
import type { Tool } from '../../contract/tool/tool.ts'

type Classification = Contract['security']['data_classification']

/** Where the binding says nothing. Regulated data is masked where the binding names fields, and otherwise only referred to. */
const defaults: Readonly<Record<Classification, (redacts: boolean) => PersistenceMode>> = {
  public: () => 'inline',
  internal: () => 'inline',
  confidential: () => 'inline',
  regulated: (redacts) => (redacts ? 'redact' : 'ref_only'),
  secret: () => 'never_persist',
}

function persistenceMode({ contract, binding }: Tool): PersistenceMode {
  const { mode, redact } = binding.persistence
  return mode ?? defaults[contract.security.data_classification](redact.length > 0)
}

/** Undefined: it is shown as it is, and kept with the answer. */
export function planResult(tool: Tool, bytes: number): ResultPlan | undefined {
  const { maxInlineBytes, maxBytes } = tool.binding.persistence
  if (bytes > maxBytes)
    return {
      mode: 'drop_with_reason',
      bytes,
      tooLarge: true,
      reason: `larger than the ${maxBytes} bytes that are kept at most`,
    }
  const mode = persistenceMode(tool)
  const fits = bytes <= maxInlineBytes
  switch (mode) {
    case 'inline':
    case 'redact':
      if (fits) return undefined
      return {
        mode: 'preview_and_persist',
        bytes,
        tooLarge: true,
        reason: `larger than the ${maxInlineBytes} bytes that are shown at most`,
      }
    case 'never_persist':
      if (fits) return { mode, bytes, tooLarge: false, reason: classified(tool) }
      return {
        mode: 'drop_with_reason',
        bytes,
        tooLarge: true,
        reason: `larger than the ${maxInlineBytes} bytes that are shown at most, and it may not be kept`,
      }
    case 'preview_and_persist':
    case 'ref_only':
    case 'drop_with_reason':
      return { mode, bytes, tooLarge: mode === 'preview_and_persist' && !fits, reason: classified(tool) }
  }
}

/** Whether something has to be written before the result can be shown. */
export const storesResult = (plan: ResultPlan | undefined): boolean =>
  plan !== undefined && (plan.mode === 'preview_and_persist' || plan.mode === 'ref_only')

function classified({ contract, binding }: Tool): string {
  const { data_classification: classification } = contract.security
  return binding.persistence.mode === undefined ? `${classification} data` : 'the binding says so'
}
