// What the class table and the contract's security section demand without any policy being written: one row per rule.
import { type ApprovalPattern, effectRow } from '../contract/effects.ts'
import type { Tool } from '../contract/tool/tool.ts'
import type { Voice } from './voices.ts'

interface DefaultRule {
  readonly id: string
  readonly says: 'ask' | 'deny'
  readonly message: string
  /** How people decide, where the tool's own pattern is not meant. */
  readonly pattern?: ApprovalPattern
  applies(tool: Tool): boolean
}

const defaultRules: readonly DefaultRule[] = [
  {
    id: 'class/confirmation',
    says: 'ask',
    message: 'Every call of this effect class needs approval.',
    applies: (tool) => effectRow(tool.contract.transactional.side_effect_class).confirmation === 'always',
  },
  {
    id: 'contract/confirmation',
    says: 'ask',
    message: 'The contract requires approval.',
    applies: (tool) => tool.contract.transactional.confirmation_required,
  },
  {
    id: 'contract/unrestricted-egress',
    says: 'ask',
    message: 'The tool may connect anywhere, so a person looks first.',
    applies: (tool) => tool.contract.security.egress_policy === 'unrestricted_with_approval',
  },
  {
    id: 'contract/sensitive-read',
    says: 'ask',
    message: 'Reading regulated or secret data needs consent.',
    pattern: 'user_consent',
    applies: ({ contract }) =>
      !effectRow(contract.transactional.side_effect_class).mutates &&
      (contract.security.data_classification === 'regulated' || contract.security.data_classification === 'secret'),
  },
]

const asks = new WeakMap<Tool, readonly Voice[]>()

/** The voices of the default rules; they depend on the contract alone, so they are found once per tool. */
export function classVoices(tool: Tool): readonly Voice[] {
  const known = asks.get(tool)
  if (known !== undefined) return known
  const voices = defaultRules
    .filter((rule) => rule.applies(tool))
    .map(
      ({ id, says, message, pattern }): Voice => ({
        source: id,
        says,
        message,
        ...(pattern === undefined ? {} : { pattern }),
      }),
    )
  asks.set(tool, voices)
  return voices
}
