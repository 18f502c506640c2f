// Labels of a run: what it has seen. They come from contracts and from the caller, never from guessing, and a run only ever gains them.
import type { Tool } from '../contract/tool/tool.ts'
import type { Voice } from './voices.ts'

export const labels = ['untrusted', 'confidential', 'regulated', 'secret'] as const

export type Label = (typeof labels)[number]

interface LabelRule {
  readonly id: string
  readonly says: 'ask' | 'deny'
  readonly message: string
  /** Any of these makes the rule speak. */
  readonly labels: readonly Label[]
  applies(tool: Tool): boolean
}

/** What the labels of a run demand without any policy being written: one row per rule. */
const labelRules: readonly LabelRule[] = [
  {
    id: 'label/untrusted-write',
    says: 'ask',
    message: 'The run has seen content that an outsider may have written, so a person looks first.',
    labels: ['untrusted'],
    applies: ({ contract }) => contract.transactional.side_effect_class === 'MEDIUM_RISK_WRITE',
  },
  {
    id: 'label/confidential-egress',
    says: 'deny',
    message: 'The run has read confidential data, and this tool may connect anywhere.',
    labels: ['confidential', 'regulated', 'secret'],
    applies: ({ contract }) => contract.security.egress_policy === 'unrestricted_with_approval',
  },
]

const applying = new WeakMap<Tool, readonly LabelRule[]>()

function rulesFor(tool: Tool): readonly LabelRule[] {
  const known = applying.get(tool) ?? labelRules.filter((rule) => rule.applies(tool))
  applying.set(tool, known)
  return known
}

/** Whether labels can change what is said about calls of this tool. */
export function heedsLabels(tool: Tool): boolean {
  return rulesFor(tool).length > 0
}

/** Whether every rule speaks already: reading more labels would change nothing. */
export function saysEnough(tool: Tool, carried: ReadonlySet<string>): boolean {
  return rulesFor(tool).every((rule) => rule.labels.some((label) => carried.has(label)))
}

export function labelVoices(tool: Tool, carried: readonly string[]): readonly Voice[] {
  if (carried.length === 0) return []
  return rulesFor(tool)
    .filter((rule) => rule.labels.some((label) => carried.includes(label)))
    .map(({ id, says, message }) => ({ source: id, says, message }))
}

const ofOutput = new WeakMap<Tool, readonly Label[]>()

/** What a run carries once it has seen anything that the tool returned. */
export function outputLabels(tool: Tool): readonly Label[] {
  const known = ofOutput.get(tool)
  if (known !== undefined) return known
  const { data_classification: classification } = tool.contract.security
  const own = labels.filter((label) => (label === 'untrusted' ? !tool.binding.trusted : label === classification))
  ofOutput.set(tool, own)
  return own
}
