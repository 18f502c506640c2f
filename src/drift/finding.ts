// What a rule of the table says about one change of a tool: which rule, how bad the change is for the question asked, where it is, why it
// matters, and a value that shows it. Invariant: a "breaking" that the prover found carries a witness that a validator has confirmed.
import type { JsonValue } from '../json/value.ts'

/** From worst to best. `unknown`: the prover could not decide; it counts as breaking. */
export const driftLevels = ['breaking', 'unknown', 'dangerous', 'compatible', 'info'] as const

export type DriftLevel = (typeof driftLevels)[number]

/** What a change is about: arguments, results, promises beside the schemas, texts for the model, or the list of tools. */
export type ChangeDirection = 'input' | 'output' | 'contract' | 'prose' | 'list'

/** `pin`: may what is served now stand for what a person approved? `version`: do callers of the old version work with the new one? */
export type DriftQuestion = 'pin' | 'version'

/** Which part of a semantic version the change asks for. */
export const versionSteps = ['major', 'minor', 'patch', 'none'] as const

export type VersionStep = (typeof versionSteps)[number]

export interface DriftFinding {
  /** The id of the rule. */
  readonly rule: string
  readonly level: DriftLevel
  readonly direction: ChangeDirection
  /** The tool's name before, or its new name where it had none. */
  readonly tool: string
  /** Where: `/input`, `/output`, `/description`, `/annotations`, `/contract`, followed by the pointer in there. */
  readonly pointer: string
  /** One sentence: what has changed. */
  readonly message: string
  /** The rule's own reason. */
  readonly why: string
  readonly step: VersionStep
  /** A value that was right and is no longer, or the other way round, as the message says. */
  readonly witness?: JsonValue
  /** What was there and what is there now, where both are short. */
  readonly before?: JsonValue
  readonly after?: JsonValue
}

/** The worst level there is, or undefined where nothing was found. */
export function worstLevel(findings: readonly DriftFinding[]): DriftLevel | undefined {
  return driftLevels.find((level) => findings.some((finding) => finding.level === level))
}
