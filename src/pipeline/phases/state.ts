// Is the target there, current, and in a state that allows the call? Reads the authoritative state; judges it purely.
import type { ErrorDetail } from '../../contract/call/call.ts'
import type { JudgedCall } from '../../contract/call/stages.ts'
import type { StateReader } from '../../contract/tool/tool.ts'
import { within } from '../../execute/within.ts'
import { canonicalize } from '../../json/canonical.ts'
import type { EpochMs } from '../../json/clock.ts'
import { copyResult, ownCopy } from '../../json/copy.ts'
import { touches } from '../../json/mask.ts'
import { fieldPath, readPointer, tokensOf } from '../../json/pointer.ts'
import { isObject, type JsonObject } from '../../json/value.ts'
import { askHost, toolContext, typedInput } from '../call/tool-context.ts'
import { brokenRules, gatherRules, type RuleEvidence } from '../call/tool-rules.ts'
import { type Gate, type Gives, pass, passWith, stop } from '../phase.ts'

interface Evidence {
  readonly state: JsonObject | null | undefined
  readonly failed: boolean
  readonly rules?: RuleEvidence | undefined
  /** Why a step of a saga cannot run: what an earlier step gave it does not hold any more. */
  readonly unfounded?: string
}

const unread: Evidence = { state: undefined, failed: false }

export const state: Gate<JudgedCall, Gives<JudgedCall, never, 'state'>, Evidence> = {
  name: 'state',
  does: 'The target exists, is what the model has seen, and may be changed now; rules that read the state hold.',
  stopsWith: [
    { class: 'STALE_STATE', reasons: ['stale_state', 'target_missing'] },
    { class: 'SEMANTIC_INVALIDITY', reasons: ['invalid_arguments'] },
    { class: 'DEPENDENCY_UNAVAILABLE', reasons: ['dependency_unavailable'] },
  ],
  gather(call, { clock }) {
    if (call.saga?.unfounded !== undefined) return { ...unread, unfounded: call.saga.unfounded }
    const reader = call.tool.binding.state
    return reader === undefined ? unread : readState(call, reader, clock.now())
  },
  decide(call, { state: found, failed, rules, unfounded }) {
    if (unfounded !== undefined) return stop('STALE_STATE', 'stale_state', unfounded)
    const reader = call.tool.binding.state
    if (reader === undefined) return pass
    if (failed || found === undefined)
      return stop('DEPENDENCY_UNAVAILABLE', 'dependency_unavailable', 'The state of the target could not be read.')
    // Also with a refusal: the same proposal in another state is another one.
    const seen = { gives: { state: found } }
    if (found === null)
      return stop(
        'STALE_STATE',
        'target_missing',
        'What this call is about does not exist (any more). Look it up again.',
        seen,
      )
    const errors = mismatches(reader, call, found)
    if (errors.length > 0) return stop('STALE_STATE', 'stale_state', errors, seen)
    const broken = brokenRules(call, 'state', rules, found)
    if (broken.length > 0) return stop('SEMANTIC_INVALIDITY', 'invalid_arguments', broken, seen)
    return passWith({ state: found })
  },
}

/** Rules about a state that is not there have nothing to say: the call ends here anyway. */
async function readState(call: JudgedCall, reader: StateReader, now: EpochMs): Promise<Evidence> {
  const found = await read(call, reader)
  if (found.failed || found.state === undefined || found.state === null) return found
  const rules = await gatherRules(call, 'state', now, found.state)
  return rules === undefined ? found : { ...found, rules }
}

async function read(call: JudgedCall, reader: StateReader): Promise<Evidence> {
  try {
    const found = reader.read(typedInput(call), toolContext(call))
    // Copied at once: what is judged stays what was read, also where the reader changes its object later.
    const copy = copyResult(await within(call.tool.contract.runtime.timeout_ms, found))
    if (!copy.ok || (copy.value !== null && !isObject(copy.value))) return { state: undefined, failed: true }
    return { state: copy.value, failed: false }
  } catch {
    return { state: undefined, failed: true }
  }
}

function mismatches(reader: StateReader, call: JudgedCall, found: JsonObject): readonly ErrorDetail[] {
  const errors: ErrorDetail[] = []
  for (const { argument, state: pointer } of reader.match) {
    const proposed = readPointer(call.callJson, argument)
    const now = readPointer(found, pointer)
    if (proposed === undefined || (now !== undefined && canonicalize(proposed) === canonicalize(now))) continue
    const hidden = touches(tokensOf(argument), call.tool.binding.sensitive)
    errors.push({
      field: fieldPath(argument),
      expected: now === undefined || hidden ? 'the current value' : canonicalize(now).slice(0, 64),
      actual: hidden ? 'an outdated value' : canonicalize(proposed).slice(0, 64),
      message: 'The target has changed since it was looked at. Read it again, then decide anew.',
    })
  }
  const objection = objectionOf(reader, found, typedInput(call))
  if (objection !== undefined)
    errors.push({ field: '$', expected: 'a state that allows the call', actual: 'another state', message: objection })
  return errors
}

function objectionOf(reader: StateReader, found: JsonObject, input: JsonObject): string | undefined {
  const judgement = askHost(() => reader.allows?.(ownCopy(found), input))
  if (!judgement.ok) return 'The state could not be judged, so the call is refused.'
  const objection: unknown = judgement.value
  return objection === undefined || typeof objection === 'string' ? objection : 'The state does not allow this call.'
}
