// What the demo found, as data: the shape that --json prints and tests read.
import type { Answer, Effect, EffectClass, Fact, NextAction, TaxonomyClass } from '../../../src/index.ts'
import type { Step } from '../step.ts'
import type { EffectCounts } from '../world/desk.ts'
import type { CrashReport } from './crash.ts'
import type { SagaReport } from './sagas.ts'

export interface StepReport {
  readonly number: number
  readonly title: string
  readonly tool: string
  readonly arguments: string
  readonly call_id: string
  readonly class: TaxonomyClass
  readonly effect: Effect
  readonly next_action: NextAction
  /** Answered from the record: nothing ran. */
  readonly replayed: boolean
  /** How far the call came: each phase that ran, with what it decided. */
  readonly phases: readonly { readonly name: string; readonly verdict: string }[]
  readonly ended_by: string | null
  readonly errors: readonly {
    readonly field: string
    readonly expected: string
    readonly actual: string
    readonly message: string
  }[]
  readonly warnings: readonly string[]
  /** What is in the world now and was not before. */
  readonly added: Partial<EffectCounts>
  /** Where this step came out otherwise than the scenario says. */
  readonly surprises: readonly string[]
}

export interface Refusal {
  readonly tool: string
  readonly effect_class: EffectClass
  readonly people: number
  /** Empty when registration took the tool, which on memory it must not. */
  readonly problems: readonly string[]
}

export interface DemoResult {
  readonly ok: boolean
  /** Where the world lies; null where it was temporary and is gone. */
  readonly folder: string | null
  readonly ledger: 'durable' | 'memory'
  /** Why there was no durable ledger; null where there was one. */
  readonly without_ledger: string | null
  /** Whether the organisation's policies were in force: Cedar is an optional peer. */
  readonly policies: boolean
  readonly refused_on_memory: readonly Refusal[]
  readonly steps: readonly StepReport[]
  /** None on memory: what moves money needs a ledger that lasts. */
  readonly sagas: readonly SagaReport[]
  /** Null on memory, which would not survive it. */
  readonly crash: CrashReport | null
  readonly counts: EffectCounts
  /** What people are asked to look into. */
  readonly questions: readonly { readonly kind: string; readonly message: string }[]
  readonly replay: { readonly calls: number; readonly gates: number; readonly differences: number }
  readonly surprises: readonly string[]
}

export interface Played {
  readonly number: number
  /** The call's own id: a replayed answer still carries the id of the call that did the work. */
  readonly callId: string
  readonly step: Step
  readonly answer: Answer
  readonly facts: readonly Fact[]
  readonly before: EffectCounts
  readonly after: EffectCounts
}

export function reportStep({ number, callId, step, answer, facts, before, after }: Played): StepReport {
  const { observation, effect, response, feedback } = answer
  const pass = Math.max(...facts.map((fact) => fact.pass))
  const phases = facts
    .filter((fact) => fact.pass === pass)
    .map(({ phase, verdict }) => ({ name: phase, verdict: verdict.kind }))
  const facets = {
    class: observation.status.taxonomy_class,
    effect,
    ended_by: phases.find(({ verdict }) => verdict !== 'pass')?.name ?? null,
    added: difference(before, after),
  }
  return {
    number,
    title: step.title,
    tool: step.proposal.tool,
    arguments: String(step.proposal.arguments),
    call_id: callId,
    ...facets,
    next_action: response.next_action,
    replayed: observation.execution_metadata.idempotency_hit,
    phases,
    errors: feedback?.field_errors ?? [],
    warnings: observation.result_payload.warnings,
    surprises: surprisesOf(step.expect, facets),
  }
}

function surprisesOf(
  expect: Step['expect'],
  found: Pick<StepReport, 'class' | 'effect' | 'ended_by' | 'added'>,
): readonly string[] {
  const rows = [
    ['class', expect.class, found.class],
    ['effect', expect.effect, found.effect],
    ['ended by', expect.endedBy ?? null, found.ended_by],
    ['added', JSON.stringify(expect.adds === undefined ? {} : { [expect.adds]: 1 }), JSON.stringify(found.added)],
  ] as const
  return rows
    .filter(([, wanted, got]) => wanted !== got)
    .map(([what, wanted, got]) => `${what}: expected ${wanted}, got ${got}`)
}

/** What grew, and by how much. */
export function difference(before: EffectCounts, after: EffectCounts): Partial<EffectCounts> {
  const grown = Object.entries(after).map(
    ([name, count]) => [name, count - before[name as keyof EffectCounts]] as const,
  )
  return Object.fromEntries(grown.filter(([, by]) => by !== 0))
}
