// The sagas of the trials: five steps with the pivot in the middle, all of one kind of tool, each with its own way of going wrong.
import type { SagaDefinition } from '../../src/index.ts'
import { type Order, specOf, type ToolKind, type ToolSpec, toolKinds } from './tool-spec.ts'

export const sagaOutcomes = ['succeeds', 'step 2 fails', 'the pivot fails', 'step 4 fails', 'cannot be undone'] as const
export type SagaOutcome = (typeof sagaOutcomes)[number]

export interface SagaSpec {
  readonly kind: ToolKind
  readonly outcome: SagaOutcome
}

/** More often than any process tries. */
const always = 1_000_000
const stepCount = 5
export const pivotAt = 3

/** What goes wrong, by step: forward, or on the way back. */
const troubles: Readonly<Record<SagaOutcome, Readonly<Record<string, Omit<Order, 'id'>>>>> = {
  succeeds: {},
  'step 2 fails': { s2: { refuses: always } },
  // May be tried again, so its slot has to be closed before anything is undone.
  'the pivot fails': { s3: { fails: always } },
  'step 4 fails': { s4: { fails: 2 } },
  'cannot be undone': { s3: { refuses: always }, u1: { refuses: always } },
}

/**
 * What refuses says nothing about an attempt that was lost before: a provider's key is tried until its window closes, and then a person is
 * asked. So that no scenario waits for that, what is to refuse has a window of its own.
 */
const briefWindowMs = 4_000

const toolName = (kind: ToolKind, way: 'saga' | 'undo', refuses: boolean) =>
  `${way}_${kind}${refuses ? '_refusing' : ''}`

const toolSpec = (kind: ToolKind, way: 'saga' | 'undo', refuses: boolean): ToolSpec =>
  specOf('MEDIUM_RISK_WRITE', kind, {
    name: toolName(kind, way, refuses),
    ...(refuses ? { windowMs: briefWindowMs } : {}),
  })

export const sagaTools: readonly ToolSpec[] = toolKinds.flatMap((kind) =>
  [false, true].flatMap((refuses) => [toolSpec(kind, 'saga', refuses), toolSpec(kind, 'undo', refuses)]),
)

/** Whether a person has to be asked about a lost attempt of this tool. */
export const needsPerson = (tool: string): boolean =>
  /_neither/.test(tool) || tool === toolName('provider', 'saga', true) || tool === toolName('provider', 'undo', true)

export const sagaSpecs: readonly SagaSpec[] = sagaOutcomes.flatMap((outcome) =>
  toolKinds.map((kind) => ({ kind, outcome })),
)

export const sagaName = ({ kind, outcome }: SagaSpec) => `${kind}.${outcome.replaceAll(' ', '-')}`

export const stepIds = Array.from({ length: stepCount }, (_, index) => `s${index + 1}`)

/** How the world names what a step does, and what its undoing does. */
export const stepEffect = (op: string, number: number) => `${op}-s${number}`
export const undoEffect = (op: string, number: number) => `${op}-u${number}`

export function sagaDefinition(spec: SagaSpec): SagaDefinition<{ readonly op: string }> {
  const { kind, outcome } = spec
  return {
    name: sagaName(spec),
    version: '1',
    pivot: `s${pivotAt}`,
    steps: stepIds.map((id, index) => ({
      id,
      tool: toolName(kind, 'saga', troubles[outcome][id] !== undefined),
      arguments: ({ op }) => ({ id: stepEffect(op, index + 1), ...troubles[outcome][id] }),
      compensate: {
        tool: toolName(kind, 'undo', troubles[outcome][`u${index + 1}`] !== undefined),
        arguments: (_done, { op }) => ({ id: undoEffect(op, index + 1), ...troubles[outcome][`u${index + 1}`] }),
      },
      // A busy machine may refuse a step for reasons of its own; only what always fails is to turn a saga back.
      retry: {
        attempts: outcome === 'the pivot fails' && index + 1 === pivotAt ? 1 : 6,
        firstPauseMs: 20,
        longestPauseMs: 100,
      },
    })),
  }
}
