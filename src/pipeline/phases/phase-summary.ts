// The pipeline as a table, for `proviso gates`, the docs and hosts that show it.
import { pipeline } from '../pipeline.ts'

export interface PhaseSummary {
  readonly number: number
  readonly name: string
  readonly kind: 'gate' | 'act'
  readonly does: string
  readonly stops_with: readonly { readonly class: string; readonly reasons: readonly string[] }[]
}

export const phases: readonly PhaseSummary[] = pipeline.map((phase, index) => ({
  number: index + 1,
  name: phase.name,
  kind: 'act' in phase ? 'act' : 'gate',
  does: phase.does,
  stops_with: phase.stopsWith,
}))
