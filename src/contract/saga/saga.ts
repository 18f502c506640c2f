// Sagas: ordered calls with compensations and a point of no return. What a person writes, what the journal keeps, and how a saga stands.
// The journal is the whole truth: all that a process knows of a saga, it reads there.
import type { EpochMs } from '../../json/clock.ts'
import type { JsonObject, JsonValue } from '../../json/value.ts'
import type { TaxonomyClass } from '../taxonomy.ts'

export type SagaDirection = 'forward' | 'backward'

/** Results of earlier steps by their ids; null where the process of a step died, and the step ended without its result. */
export type StepResults = Readonly<Record<string, JsonValue>>

/** JSON in which `{ "$from": "/input/order_id" }` stands for what the pointer finds; `{ "$literal": … }` is taken as it is. */
export type ArgumentTemplate = JsonObject

export type StepArguments<Input = JsonObject> =
  | ArgumentTemplate
  | ((input: Input, results: StepResults) => Readonly<Record<string, unknown>>)

/** What a compensation can be made of: what the step was called with, and what it returned. */
export interface DoneStep {
  readonly arguments: JsonObject
  readonly result: JsonValue
}

export type CompensationArguments<Input = JsonObject> =
  | ArgumentTemplate
  | ((done: DoneStep, input: Input, results: StepResults) => Readonly<Record<string, unknown>>)

/** How often a step is tried that failed without effect, and with what pauses. */
export interface RetryPolicy {
  /** After so many attempts a person is asked. A step behind the pivot goes on being tried, ever more seldom. */
  readonly attempts?: number | undefined
  readonly firstPauseMs?: number | undefined
  readonly longestPauseMs?: number | undefined
}

export interface SagaStep<Input = JsonObject> {
  /** Names the step within its saga: letters, digits, `_` and `-`. */
  readonly id: string
  readonly tool: string
  readonly arguments: StepArguments<Input>
  /** What undoes it; by default the tool that its contract names, with the mapping of its binding. */
  readonly compensate?: { readonly tool: string; readonly arguments: CompensationArguments<Input> } | undefined
  readonly retry?: RetryPolicy | undefined
}

export interface SagaDefinition<Input = JsonObject> {
  readonly name: string
  /** Vouches for arguments that are made in code: without it, a saga goes on only where that code reads the same. */
  readonly version?: string | undefined
  readonly steps: readonly SagaStep<Input>[]
  /** The step behind which there is no way back. Steps before it are undone when something fails; steps behind it are tried until they succeed. */
  readonly pivot: string
}

/** Where a call belongs in a saga. Only the engine sets it; no context and no model can. */
export interface SagaMark {
  readonly id: string
  readonly step: string
  readonly direction: SagaDirection
  /** Goes up by one where a try has failed for good and without effect. */
  readonly round: number
  /** Why the result of an earlier step cannot be relied on: the call is refused with this text, unless it was made before. */
  readonly unfounded?: string
}

/** The operation of a step in one direction: one effect, also when several processes ask for it, or one asks again. */
export const sagaOperation = ({ id, step, direction, round }: SagaMark): string =>
  `${id}/${step}/${direction}${round === 1 ? '' : `#${round}`}`

/** The prefix of call ids that are made for steps; no other call id begins with it. */
export const stepCallIds = 'saga:'

export const sagaStates = [
  'RUNNING',
  'COMPENSATING',
  'WAITING',
  'COMPLETED',
  'COMPENSATED',
  'COMPENSATION_FAILED',
  'FROZEN',
] as const

/** WAITING: for a person, for an effect to become known, or for its next try. FROZEN and COMPENSATION_FAILED: until a person resumes it. */
export type SagaState = (typeof sagaStates)[number]

/** The part of a definition that the journal keeps, so that a saga can be read where its definition is not known. */
export interface PlannedStep {
  readonly id: string
  readonly tool: string
  readonly kind: StepKind
  readonly compensation: string | null
}

export type StepKind = 'compensable' | 'pivot' | 'retryable'

/** For whom the saga acts; calls of later processes are made for the same. */
export interface SagaContext {
  readonly tenant?: string
  readonly user?: string
  readonly roles?: readonly string[]
  readonly scopes?: readonly string[]
  readonly agent?: string
  readonly workflow?: string
  readonly run: string
  readonly parentRun?: string
  /** What the agent that began it was built from. Steps are checked against it; compensations are not. */
  readonly release?: string
  readonly model?: string
  readonly promptHash?: string
  readonly trace?: string
  readonly untrusted?: boolean
}

interface OfStep {
  readonly step: string
  readonly direction: SagaDirection
  readonly round: number
}

/** One line of the journal. What was decided is written together with what it was decided on. */
export type SagaEntry =
  /** The arguments as the step will be called with; written before its first call. */
  | (OfStep & { readonly kind: 'rendered'; readonly tool: string; readonly arguments: JsonObject })
  /** `ok`: it is done, or undone. Otherwise what failed, and whether the effect is there. */
  | (OfStep & {
      readonly kind: 'ended'
      readonly call: string
      readonly ok: boolean
      readonly effect: 'happened' | 'none'
      readonly class: TaxonomyClass
      readonly reason: string
      readonly message: string
      readonly result: JsonValue
      /** Where the result is kept that must not lie in a journal, or is too large to. */
      readonly ref: string | null
    })
  | (OfStep & {
      readonly kind: 'waiting'
      readonly for: 'approval' | 'effect' | 'retry'
      readonly call: string
      readonly approval: string | null
      readonly message: string
      /** Whether a person was asked about it. */
      readonly escalated: boolean
    })
  /** From here on the saga goes back. */
  | { readonly kind: 'turned'; readonly step: string; readonly message: string }
  | {
      readonly kind: 'frozen'
      readonly step: string
      readonly direction: SagaDirection
      /** The call that people are asked about. */
      readonly call: string | null
      readonly message: string
      /** No process knew its definition: nothing about the step itself is in doubt. */
      readonly orphaned?: true
    }
  /** One of several people who have to say the same. */
  | { readonly kind: 'stated'; readonly by: string; readonly why: string; readonly effect: 'happened' | 'none' }
  /** A person lets it go on. `effect`: what they found out about the step it was frozen at, where that was in doubt. */
  | { readonly kind: 'resumed'; readonly by: string; readonly why: string; readonly effect: 'happened' | 'none' | null }
  | { readonly kind: 'finished'; readonly state: 'COMPLETED' | 'COMPENSATED' }

/** A line with its place: numbered without gaps, by the epoch of its writer, at the ledger's time. */
export type JournalEntry = SagaEntry & { readonly seq: number; readonly epoch: number; readonly at: EpochMs }

export interface SagaRecord {
  readonly id: string
  readonly tenant: string
  readonly name: string
  /** Hash of the definition: another one under the same name does not go on with it. */
  readonly definition: string
  /** The version that its definition names, if any. */
  readonly version?: string | undefined
  readonly plan: readonly PlannedStep[]
  readonly input: JsonObject
  readonly context: SagaContext
  readonly state: SagaState
  readonly direction: SagaDirection
  /** One owner per epoch; what an earlier owner writes is refused. */
  readonly epoch: number
  /** How many lines its journal has. */
  readonly seq: number
  readonly createdAt: EpochMs
  readonly updatedAt: EpochMs
  /** When others may take it up: its owner is not heard of any more, or its wait is over. Undefined: never. */
  readonly dueAt: EpochMs | undefined
}
