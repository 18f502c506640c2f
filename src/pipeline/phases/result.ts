// The result on its way to the model. normalize maps it to observation data, once, and settles the slot at once: from here on a duplicate
// gets this answer. persist keeps out of the model's context what is too large for it or not for its eyes: the rest is stored and referred
// to, or not kept at all. emit makes the answer of every pass, also of one that was refused or has failed.
import type { Answer } from '../../contract/call/answer.ts'
import type { ResultPlan } from '../../contract/call/result.ts'
import type { AdmittedCall, Call, Conclusion, EndedCall } from '../../contract/call/stages.ts'
import { partsData, planResult, storesResult } from '../../execute/results/map-result.ts'
import { previewOf } from '../../execute/results/preview.ts'
import type { JsonObject, JsonValue } from '../../json/value.ts'
import { askHooks, isHooked, outputsOf, shownOutputs } from '../call/run-hooks.ts'
import type { Deps } from '../deps.ts'
import { type Act, type Gives, type PhaseRow, pass, passWith, type Verdict } from '../phase.ts'
import { makeAnswer } from '../record/answers.ts'
import { type ResultGives, settleReturned } from '../record/settle.ts'
import { type HookedResult, resultAfter } from './hooks.ts'

export const normalize: Act<AdmittedCall, ResultGives> = {
  name: 'normalize',
  does: 'Cleans the result, checks it against the output schema, flags what looks like an injection, and settles the slot.',
  stopsWith: [
    { class: 'OBSERVATION_NORMALIZATION_FAIL', reasons: ['result_mapping_failed'] },
    // Said once the phases after it had their say on what is shown.
    { class: 'PARTIAL_SUCCESS', reasons: ['partial_effect'] },
  ],
  act(call, deps) {
    const { outcome } = call
    return outcome?.kind === 'returned' ? settleReturned(call, outcome.value, deps) : pass
  },
  keep({ found, parts }) {
    if (found === undefined && parts === undefined) return undefined
    return {
      ...(found?.cleaned === undefined ? {} : { cleaned: found.cleaned }),
      ...(found === undefined || found.suspected.length === 0 ? {} : { suspected: found.suspected }),
      ...(parts === undefined
        ? {}
        : { completed: parts.completed.map(({ name }) => name), failed: parts.failed.map(({ name }) => name) }),
    }
  },
}

type Given = HookedResult & Gives<AdmittedCall, never, 'plan'>

export const persist: Act<AdmittedCall, Given> = {
  name: 'persist',
  does: 'Shows, stores, masks or drops the result, by its size and classification; hooks may replace or withhold what is kept.',
  stopsWith: [],
  act(call, deps) {
    const { json, resultBytes } = call
    if (json === undefined || resultBytes === undefined) return pass
    if (!isHooked(deps.hooks, 'result_persistence')) return persisted(call, {}, deps)
    const event = { bytes: resultBytes, stored: storesResult(planOf(call)), data: call.data ?? null }
    return askHooks(call, 'result_persistence', event, deps).then((outputs) => {
      const gives = resultAfter(call, outputs)
      return persisted({ ...call, ...gives }, gives, deps)
    })
  },
  keep(call) {
    const { plan } = call
    const outputs = outputsOf(call, 'result_persistence')
    const hooks = outputs.length === 0 ? undefined : (shownOutputs(outputs, []) as unknown as JsonValue)
    if (plan === undefined) return hooks
    const { mode, bytes, reason, ref } = plan
    return {
      mode,
      bytes,
      reason,
      ...(ref === undefined ? {} : { ref }),
      ...(hooks === undefined ? {} : { hooks }),
    }
  },
}

/** Hooks may have replaced the result since it was planned for. A withheld one needs no plan. */
const planOf = (call: AdmittedCall): ResultPlan | undefined =>
  call.json === null && call.data === null ? undefined : planResult(call.tool, call.resultBytes ?? 0)

function persisted(call: AdmittedCall, gives: HookedResult, deps: Deps): Verdict<Given> | Promise<Verdict<Given>> {
  const { json = null } = call
  const plan = planOf(call)
  if (plan === undefined) {
    const isPlain = call.plan === undefined && Object.keys(gives).length === 0
    return isPlain ? pass : passWith({ ...gives, plan })
  }
  switch (plan.mode) {
    case 'never_persist':
      return passWith({ ...gives, plan, warnings: [...call.warnings, `result_not_kept: ${plan.reason}`] })
    case 'drop_with_reason': {
      const code = plan.tooLarge ? 'result_too_large' : 'result_dropped'
      const warnings = [...call.warnings, `${code}: ${plan.bytes} bytes, not kept: ${plan.reason}`]
      const data = call.parts === undefined ? null : partsData(call.parts)
      return passWith({ ...gives, plan, warnings, data, value: undefined })
    }
    case 'preview_and_persist':
    case 'ref_only':
      return deps.stored.save(call, json).then((ref) => {
        const note = plan.tooLarge
          ? `result_too_large: ${plan.bytes} bytes; the whole result is stored as ${ref}`
          : `result_stored: ${plan.bytes} bytes, kept as ${ref}: ${plan.reason}`
        const shown = {
          plan: { ...plan, ref },
          data: referenceData(call, plan, ref, json),
          warnings: [...call.warnings, note],
        }
        const value = plan.mode === 'ref_only' ? { value: undefined } : {}
        return passWith({ ...gives, ...shown, ...value })
      })
  }
}

function referenceData(call: AdmittedCall, { mode, bytes }: ResultPlan, ref: string, json: JsonValue): JsonObject {
  const { previewBytes } = call.tool.binding.persistence
  return {
    result_ref: ref,
    bytes,
    ...(mode === 'ref_only' ? {} : { preview: previewOf(json, previewBytes) }),
    ...(call.parts === undefined ? {} : partsData(call.parts)),
  }
}

type Concluded = Call & { readonly conclusion: Conclusion }

interface Emitted {
  readonly kind: 'pass'
  readonly gives: { readonly answer: Answer }
}

export const emit = {
  name: 'emit',
  does: 'Makes the answer; every pass ends here and none is refused.',
  stopsWith: [],
  act(call: Concluded, { clock }: Deps): Emitted {
    return { kind: 'pass', gives: { answer: makeAnswer(call, call.conclusion, clock.now()) } }
  },
  keep({ answer, repair }: EndedCall) {
    return {
      ...(repair === undefined ? {} : { repair }),
      class: answer.observation.status.taxonomy_class,
      effect: answer.effect,
      // Where it is simply the class in other words, nothing is gained by writing it down.
      ...(answer.result === undefined || answer.result.status === 'succeeded' ? {} : { result: answer.result.status }),
      replayed: answer.observation.execution_metadata.idempotency_hit,
    }
  },
} satisfies PhaseRow & Record<'act' | 'keep', unknown>
