// What one step did, by whom, and what it came to: in words that a history is told in, and with all that is needed to do it for real.
import { mishaps, type Setting } from './setting.ts'
import type { State } from './state.ts'

export interface Deed {
  readonly does: string
  readonly process?: number
  readonly call?: number
  readonly slot?: number
  readonly generation?: number
  readonly attempt?: number
  readonly nonce?: number
  /** The name that a start has from now on. */
  readonly next?: number
  readonly came: string
  /** Of the claim: how long before now its owner may have started last. */
  readonly value?: number
  readonly says?: string
  readonly person?: number
  readonly pass?: number
  readonly unseen?: boolean
  readonly tries?: number
  readonly asks?: boolean
  /** It was carried out, and its answer was lost. */
  readonly cut?: boolean
  readonly again?: boolean
}

export interface Step {
  readonly deed: Deed
  readonly next: State
}

export type Add = (deed: Deed, next: State) => void

/** The process whose turn it is. */
export interface Turn {
  readonly state: State
  readonly who: number
  readonly setting: Setting
  readonly add: Add
}

/** Steps that bring something to its end: no mishap, no person, nothing new. */
export const isHelpful = ({ does }: Deed): boolean => !mischief.has(does)

const mischief: ReadonlySet<string> = new Set([
  ...mishaps,
  'mistake',
  'word',
  'give up',
  'propose',
  'turn away',
  'stalled write',
  'approve',
  'reject',
  'replace',
  'revoke',
  'undoing',
  'closing',
])
