// What one exploration is about: a kind of tool, who calls it and how often, and how much may go wrong. Everything within these bounds
// is explored, in every order.
import type { SlotKind } from '../../src/contract/call/slot.ts'
import type { RecoverableTool } from '../../src/execute/attempt/recovery.ts'

/** What may go wrong, and how often in one history. */
export const mishaps = [
  'crash',
  /** A process stands still for any time, and its clocks go on. */
  'sleep',
  /** A process stands still, and so do its clocks. */
  'freeze',
  /** A statement was carried out, and its answer is lost. */
  'cut',
  /** The session of a process ends. */
  'loss',
  /** The clock of the database goes forward by a tick, as after a failover. */
  'step',
  /** A person says what is true. */
  'word',
  /** A person says what is not true. */
  'mistake',
  /** A saga undoes an effect. */
  'undoing',
  /** A saga closes an operation that is never to be done. */
  'closing',
] as const

export type Mishap = (typeof mishaps)[number]

export interface Setting {
  readonly name: string
  readonly tool: 'ledger' | 'key' | 'verifier' | 'neither'
  /** Who names the operations. */
  readonly kind: SlotKind
  /** Each has a provider's id of its own. */
  readonly calls: readonly { readonly slot: number; readonly arguments: number }[]
  /** How often each call is proposed. */
  readonly passes: number
  /** How often an executor is started within one attempt. */
  readonly starts: number
  readonly processes: number
  readonly may: Partial<Readonly<Record<Mishap, number>>>
  /** Whether a pass takes its call for new, and looks nothing up; not, where nothing is said. */
  readonly guesses?: readonly boolean[]
  /** A process recovers while a pass of its own is under way. */
  readonly both?: boolean
  /** A call is proposed in one process while a pass of it is under way in another, as where a saga is taken over. */
  readonly doubled?: boolean
  /** All slots change one resource. */
  readonly resource?: boolean
  /** A refusal may be final. */
  readonly finals?: boolean
  /** An answer is kept for a tick. */
  readonly expires?: boolean
  /** What comes after the end may change the answer. */
  readonly amends?: boolean
  /** The database gives no sessions. */
  readonly poolers?: boolean
  /** No process may end the session of another. */
  readonly powerless?: boolean
  /** Processes have just begun; otherwise they have run for as long as it matters. */
  readonly young?: boolean
  /** The world cannot always be read. */
  readonly unreadable?: 'sometimes' | 'always'
  /** For how long the provider remembers a key: for ever, or too briefly to send anything again; otherwise for some ticks. */
  readonly window?: 'long' | 'brief'
  /** The tool has a verifier beside its key. */
  readonly verified?: boolean
  /** A gate may turn a call away, after which it may be proposed again. */
  readonly gates?: boolean
  /** The executor asks at its last moment whether it may act; otherwise it heeds its signal only. */
  readonly looks: boolean
  /** So many people have to say the same. */
  readonly quorum?: number
  /** What an admission needs: an approval of this call, or a standing one that covers it. */
  readonly consent?: 'approval' | 'grant'
}

/** Far beyond any moment that matters. */
export const never = 1_000_000_000

/** Everything that takes its time takes a tick, or some: so few moments differ. */
export const tickMs = 300_000
const ticks = (count: number): number => count * tickMs
export const leaseMs = ticks(1)
export const timeoutMs = ticks(1)
export const horizonMs = ticks(1)
const shortWindowMs = ticks(2) + 10_000
const briefWindowMs = ticks(1)
export const ttlMs = ticks(1)

/** For so long the provider remembers a key. */
export const windowOf = ({ window }: Setting): number =>
  window === 'long' ? never : window === 'brief' ? briefWindowMs : shortWindowMs

/** Whether what the tool has done can be read back. */
export const isReadable = ({ tool, verified }: Setting): boolean => tool === 'verifier' || verified === true

export function toolOf(setting: Setting): RecoverableTool {
  const { tool } = setting
  return {
    contract: { runtime: { timeout_ms: timeoutMs } },
    binding: {
      executor: tool === 'ledger' ? { commits: 'ledger' } : {},
      recovery: {
        horizonMs,
        providerWindowMs: tool === 'key' ? windowOf(setting) : undefined,
        expired: 'reject',
      },
      verifier: isReadable(setting) ? {} : undefined,
    },
  }
}
