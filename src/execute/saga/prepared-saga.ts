// A saga as the engine runs it: tools found, arguments made by one function each, and a hash by which processes know that they mean the same.

import { effectRow } from '../../contract/effects.ts'
import type {
  CompensationArguments,
  DoneStep,
  PlannedStep,
  SagaDefinition,
  SagaStep,
  StepArguments,
  StepKind,
  StepResults,
} from '../../contract/saga/saga.ts'
import { type Rendered, renderTemplate } from '../../contract/tool/argument-template.ts'
import type { Tool } from '../../contract/tool/tool.ts'
import { whenReadBack } from '../../contract/verification/verification-depth.ts'
import { copyParsed, ownCopy } from '../../json/copy.ts'
import { hashJson, sha256 } from '../../json/hash.ts'
import { isObject, type JsonObject, type JsonValue } from '../../json/value.ts'
import { impatient, type Pauses, patient, pausesOf } from './pauses.ts'

export interface PreparedStep {
  readonly id: string
  readonly kind: StepKind
  readonly tool: string
  /** What only reads has no slot, and nothing to undo. */
  readonly mutates: boolean
  /** Whether its effect is read back: within the call, or when the saga may have gone on. */
  readonly readBack: 'at_once' | 'later' | undefined
  readonly pauses: Pauses
  render(input: JsonObject, results: StepResults): Rendered
  readonly compensation:
    | { readonly tool: string; render(done: DoneStep, input: JsonObject, results: StepResults): Rendered }
    | undefined
}

export interface PreparedSaga {
  readonly name: string
  readonly hash: string
  readonly version: string | undefined
  readonly steps: readonly PreparedStep[]
  readonly plan: readonly PlannedStep[]
}

export type FindTool = (name: string) => Tool | undefined

/** What undoes a step: as the saga says, else as the contract and the binding of its tool say. */
export function compensationOf(
  step: SagaStep,
  find: FindTool,
): { readonly tool: string; readonly arguments: CompensationArguments | undefined } | undefined {
  if (step.compensate !== undefined) return step.compensate
  const tool = find(step.tool)
  const name = tool?.contract.transactional.compensation_tool ?? null
  return name === null ? undefined : { tool: name, arguments: tool?.binding.compensation?.arguments }
}

/** The definition must be without contradictions. */
export function prepareSaga(definition: SagaDefinition, find: FindTool): PreparedSaga {
  const pivot = definition.steps.findIndex(({ id }) => id === definition.pivot)
  const steps = definition.steps.map((step, index): PreparedStep => {
    const kind = index < pivot ? 'compensable' : index === pivot ? 'pivot' : 'retryable'
    const compensation = kind === 'compensable' ? compensationOf(step, find) : undefined
    const { arguments: given } = step
    const found = find(step.tool)
    const undoing = compensation?.arguments
    return {
      id: step.id,
      kind,
      tool: step.tool,
      mutates: isMutating(found),
      readBack: found === undefined ? undefined : whenReadBack(found),
      pauses: pausesOf(step.retry, kind === 'retryable' ? patient : impatient),
      render: (input, results) => rendered(given, { input, results }, [input, results]),
      compensation:
        compensation === undefined || undoing === undefined
          ? undefined
          : {
              tool: compensation.tool,
              render: (done, input, results) =>
                rendered(undoing, { input, results, arguments: done.arguments, result: done.result }, [
                  done,
                  input,
                  results,
                ]),
            },
    }
  })
  const plan = steps.map(({ id, tool, kind, compensation }) => ({
    id,
    tool,
    kind,
    compensation: compensation?.tool ?? null,
  }))
  const { name, version } = definition
  return { name, version, hash: definitionHash(definition, find), steps, plan }
}

const isMutating = (tool: Tool | undefined) =>
  tool === undefined || effectRow(tool.contract.transactional.side_effect_class).mutates

type Maker = (...given: never[]) => unknown

/** Code of the host gets copies, and what it throws becomes a value. */
function rendered(
  given: StepArguments | CompensationArguments,
  known: JsonObject,
  values: readonly JsonValue[] | readonly unknown[],
): Rendered {
  if (typeof given !== 'function') return renderTemplate(given, known)
  try {
    const made = (given as Maker)(...(ownCopy(values) as never[]))
    const copy = copyParsed(made, { toJson: true })
    if (!copy.ok) return { ok: false, message: `The arguments cannot be written as JSON: ${copy.refusal.message}` }
    return isObject(copy.value)
      ? { ok: true, value: copy.value }
      : { ok: false, message: 'The arguments are not an object.' }
  } catch (error) {
    const why = error instanceof Error ? error.message.slice(0, 200) : 'unknown'
    return { ok: false, message: `The arguments could not be made: ${why}` }
  }
}

function definitionHash(definition: SagaDefinition, find: FindTool): string {
  const { name, version, steps, pivot } = definition
  // Code is known by its text, unless its author vouches for it with a version.
  const made = (given: unknown): JsonValue =>
    typeof given === 'function'
      ? { code: version === undefined ? sha256(String(given)) : true }
      : ((given ?? null) as JsonValue)
  return hashJson({
    domain: 'proviso/saga/1',
    name,
    version: version ?? null,
    pivot,
    steps: steps.map((step): JsonValue => {
      const compensation = compensationOf(step, find)
      return {
        id: step.id,
        tool: step.tool,
        arguments: made(step.arguments),
        compensation:
          compensation === undefined ? null : { tool: compensation.tool, arguments: made(compensation.arguments) },
      }
    }),
  })
}
