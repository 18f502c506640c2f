// What registration refuses about a saga: plans that promise a way back where there is none, or a way forward that could act twice. Each
// row is asked about each step.

import { effectRow } from '../../contract/effects.ts'
import { type ContradictionRow, findContradictions, when } from '../../contract/find-contradictions.ts'
import type { SagaDefinition, SagaStep } from '../../contract/saga/saga.ts'
import { templatePointers } from '../../contract/tool/argument-template.ts'
import type { Tool } from '../../contract/tool/tool.ts'
import { tokensOf } from '../../json/pointer.ts'
import type { JsonValue } from '../../json/value.ts'
import { compensationOf, type FindTool } from './prepared-saga.ts'

export interface StepPlace {
  readonly definition: SagaDefinition
  readonly step: SagaStep
  readonly index: number
  /** Where the pivot is; -1 where it is not. */
  readonly pivot: number
  readonly tool: Tool | undefined
  readonly find: FindTool
}

const idSyntax = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/
const mutates = (tool: Tool) => effectRow(tool.contract.transactional.side_effect_class).mutates
const isBefore = ({ index, pivot }: StepPlace) => index < pivot
const undoing = ({ step, find }: StepPlace) => find(compensationOf(step, find)?.tool ?? '')

export const sagaContradictions: readonly ContradictionRow<StepPlace>[] = [
  {
    id: 'saga-bad-step-id',
    pointer: '/steps',
    remedy: 'A step is named by letters, digits, - and _, beginning with a letter, and no two alike.',
    find: when(
      ({ definition, step, index }) =>
        !idSyntax.test(step.id) || definition.steps.findIndex(({ id }) => id === step.id) !== index,
    ),
  },
  {
    id: 'saga-unknown-tool',
    pointer: '/steps',
    remedy: 'Register the tool that the step calls, and the one that undoes it, before the saga.',
    find: when(
      (place) =>
        place.tool === undefined ||
        (isBefore(place) && compensationOf(place.step, place.find) !== undefined && undoing(place) === undefined),
    ),
  },
  {
    id: 'saga-without-pivot',
    pointer: '/pivot',
    remedy: 'pivot names the step behind which there is no way back; the last one where there always is a way.',
    find: when(({ pivot, index }) => pivot === -1 && index === 0),
  },
  {
    id: 'saga-step-without-compensation',
    pointer: '/steps',
    remedy:
      'A step before the pivot that changes something needs a tool that undoes it, and its arguments: give compensate, or compensation_tool in the contract and compensation.arguments in the binding.',
    find: when(
      (place) =>
        isBefore(place) &&
        place.tool !== undefined &&
        mutates(place.tool) &&
        compensationOf(place.step, place.find)?.arguments === undefined,
    ),
  },
  {
    id: 'saga-pivot-too-late',
    pointer: '/steps',
    remedy:
      'A tool whose semantics are irreversible_pivot cannot stand before the pivot: make it the pivot, or put it behind.',
    find: when((place) => isBefore(place) && place.tool?.contract.transactional.semantics === 'irreversible_pivot'),
  },
  {
    id: 'saga-retried-without-idempotency',
    pointer: '/steps',
    remedy: 'Behind the pivot a step is tried until it succeeds; its tool must support idempotency.',
    find: when(
      ({ index, pivot, tool }) =>
        pivot !== -1 && index > pivot && tool !== undefined && mutates(tool) && !tool.contract.idempotency.supported,
    ),
  },
  {
    id: 'saga-compensation-does-nothing',
    pointer: '/steps',
    remedy: 'What only reads undoes nothing; name a tool that changes something and supports idempotency.',
    find: when((place) => {
      const tool = isBefore(place) ? undoing(place) : undefined
      return tool !== undefined && !(mutates(tool) && tool.contract.idempotency.supported)
    }),
  },
  {
    id: 'saga-compensation-not-covered',
    pointer: '/steps',
    remedy:
      'The approval of a step covers its compensation; one that demands an approval, or more people, needs a step that demands as much.',
    find: when((place) => {
      const [tool, back] = [place.tool, isBefore(place) ? undoing(place) : undefined]
      if (tool === undefined || back === undefined || !back.contract.transactional.confirmation_required) return false
      return (
        !tool.contract.transactional.confirmation_required ||
        back.binding.approval.quorum > tool.binding.approval.quorum
      )
    }),
  },
  {
    id: 'saga-compensation-less-verified',
    pointer: '/steps',
    remedy: 'Where the effect of a step must be read back, so must its undoing: choose a tool that is verified.',
    find: when((place) => {
      const [tool, back] = [place.tool, isBefore(place) ? undoing(place) : undefined]
      if (tool === undefined || back === undefined || !tool.contract.transactional.post_action_verification_required)
        return false
      return !back.contract.transactional.post_action_verification_required
    }),
  },
  {
    id: 'saga-bad-reference',
    pointer: '/steps',
    remedy:
      'A $from is a pointer below /input, or below /results and the id of an earlier step; of a compensation also below /arguments and /result.',
    find: when(({ definition, step, index, find }) => {
      const earlier = new Set(definition.steps.slice(0, index).map(({ id }) => id))
      const own = new Set([...earlier, step.id])
      const back = compensationOf(step, find)?.arguments
      return (
        unknownReferences(step.arguments, earlier, ['input']) ||
        (back !== undefined && unknownReferences(back, own, ['input', 'arguments', 'result']))
      )
    }),
  },
  {
    id: 'saga-bad-retry',
    pointer: '/steps',
    remedy:
      'attempts is a whole number from 1 to 1000; pauses are between 1 ms and a day, the first no longer than the longest.',
    find: when(({ step: { retry } }) => {
      if (retry === undefined) return false
      const { attempts = 1, firstPauseMs = 1, longestPauseMs = 86_400_000 } = retry
      const isPause = (ms: number) => ms >= 1 && ms <= 86_400_000
      const counts = Number.isInteger(attempts) && attempts >= 1 && attempts <= 1_000
      return !(counts && isPause(firstPauseMs) && isPause(longestPauseMs) && firstPauseMs <= longestPauseMs)
    }),
  },
]

function unknownReferences(given: unknown, steps: ReadonlySet<string>, roots: readonly string[]): boolean {
  if (typeof given === 'function') return false
  return templatePointers((given ?? null) as JsonValue).some(({ pointer, valid }) => {
    if (!valid) return true
    const [root = '', step = ''] = tokensOf(pointer)
    return root === 'results' ? !steps.has(step) : !roots.includes(root)
  })
}

/** A sentence for the author for each contradiction, with the step that has it. */
export function sagaProblems(definition: SagaDefinition, find: FindTool): readonly string[] {
  const pivot = definition.steps.findIndex(({ id }) => id === definition.pivot)
  return definition.steps.flatMap((step, index) =>
    findContradictions(sagaContradictions, { definition, step, index, pivot, tool: find(step.tool), find }).map(
      ({ id, message }) => `${id} at step ${String(step.id)}: ${message}`,
    ),
  )
}
