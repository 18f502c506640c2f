// What one step did, by whom, and what it came to: in words that a history is told in, and with all that is needed to do it for real.
import type { Owner } from '../../src/ledger/ports/operations.ts'
import { mishaps, type Setting } from './setting.ts'
import type { State } from './state.ts'

interface OfProcess {
  readonly process: number
}

interface OfCall extends OfProcess {
  readonly call: number
}

/** The start of an executor that a step is about. */
export interface OfAttempt extends OfCall {
  readonly slot: number
  readonly generation: number
  readonly attempt: number
  readonly nonce: number
}

/** The end of an attempt: its status, its effect, and whether it is held. */
interface OfEnd extends OfAttempt {
  readonly pass: number
  readonly says: string
  readonly tries: number
}

interface OfSettle extends OfEnd, MayBeCut {
  readonly asks: boolean
  /** This very end was written before. */
  readonly again: boolean
}

interface OfPerson {
  readonly call: number
  readonly slot: number
  readonly generation: number
  readonly person: number
  readonly says: 'happened' | 'none'
}

interface OfGeneration {
  readonly slot: number
  readonly generation: number
}

interface OfRequest extends OfGeneration {
  readonly nonce: number
}

interface MayBeCut {
  /** It was carried out, and its answer was lost. */
  readonly cut?: true
}

interface OfReading extends OfAttempt {
  /** From when on absence counts. */
  readonly value: number
  readonly says: Owner
}

/** What each step has to say besides what it came to. */
interface Deeds {
  propose: OfCall
  'look up': OfCall & { readonly pass: number; readonly generation: number }
  'turn away': OfCall & { readonly pass: number }
  admit: OfCall &
    MayBeCut & {
      readonly pass: number
      readonly generation: number
      readonly nonce: number
      readonly unseen: boolean
      /** Where it was admitted. */
      readonly attempt?: number
    }
  start: OfAttempt
  'start again': OfAttempt
  send: OfAttempt
  return: OfAttempt
  fail: OfAttempt
  'time out': OfAttempt
  commit: OfAttempt & MayBeCut & { readonly pass: number; readonly tries: number; readonly says: 'happened' }
  settle: OfSettle
  'give up': OfSettle
  'end late': OfEnd
  renew: OfCall & OfRequest
  regain: OfProcess
  loss: OfProcess
  crash: OfProcess
  sleep: OfProcess
  freeze: OfProcess
  wake: OfProcess
  /** How long before now its owner may have started last. */
  claim: OfAttempt & { readonly value: number }
  fence: OfAttempt & { readonly came: Owner }
  'read back': OfReading
  postpone: OfAttempt & { readonly value: number }
  conclude: OfEnd & { readonly asks: boolean }
  /** The name that the start has from now on; none where it is too late. */
  restart: OfAttempt & MayBeCut & { readonly next?: number }
  word: OfPerson
  mistake: OfPerson
  undoing: OfGeneration
  closing: OfGeneration
  expire: OfGeneration
  approve: object
  reject: object
  replace: object
  revoke: object
  land: OfRequest
  'stalled write': OfRequest
  refuse: OfRequest
  tick: object
  step: object
}

export type DeedName = keyof Deeds
/** What one step did, and what it came to. */
export type DeedOf<Name extends DeedName> = { readonly does: Name; readonly came: string } & Deeds[Name]
export type Deed = { [Name in DeedName]: DeedOf<Name> }[DeedName]

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

const mischief: ReadonlySet<DeedName> = new Set<DeedName>([
  ...mishaps.filter((mishap) => mishap !== 'cut'),
  'give up',
  'propose',
  'turn away',
  'stalled write',
  'approve',
  'reject',
  'replace',
  'revoke',
])
