// A tool's own rules in a phase: what is gathered for them, and what of a call breaks them. Rules in CEL are judged from the evidence alone,
// rules in code by their recorded answers, so that a replay reaches the same judgement.
import type { ErrorDetail } from '../../contract/call/call.ts'
import type { OpenedCall, ResolvedCall } from '../../contract/call/stages.ts'
import type { Awaitable } from '../../contract/tool/executor.ts'
import type { RuleContext, RulePhase } from '../../contract/tool/rule.ts'
import { within } from '../../execute/within.ts'
import type { EpochMs } from '../../json/clock.ts'
import { fieldPath } from '../../json/pointer.ts'
import type { JsonValue } from '../../json/value.ts'
import { askCodeRules, type CodeAnswer, joinJudgements, judgeCodeRules } from '../../policy/rules/code-rules.ts'
import { judgeRules } from '../../policy/rules/judge-rules.ts'
import { rulesOf } from '../../policy/rules/tool-rules.ts'

export interface RuleEvidence {
  /** Who called this time, and when: the same call may be made again by another principal. */
  readonly context: RuleContext
  readonly answers: readonly CodeAnswer[]
}

export function ruleContext({ tenant, principal, run, workflow }: OpenedCall, now: EpochMs): RuleContext {
  const { user, roles, scopes, agent } = principal
  return {
    tenant,
    roles,
    scopes,
    now,
    ...(user === undefined ? {} : { user }),
    ...(agent === undefined ? {} : { agent }),
    ...(run === undefined ? {} : { run }),
    ...(workflow === undefined ? {} : { workflow }),
  }
}

const noAnswers: readonly CodeAnswer[] = []

/** Undefined where the tool has no rules for this phase. */
export function gatherRules(
  call: ResolvedCall,
  phase: RulePhase,
  now: EpochMs,
  state?: JsonValue,
): Awaitable<RuleEvidence | undefined> {
  const { tool } = call
  const rules = rulesOf(tool, phase)
  if (rules === undefined) return undefined
  const context = ruleContext(call, now)
  if (rules.code.length === 0) return { context, answers: noAnswers }
  const values = { args: call.permissionInput, context, ...(state === undefined ? {} : { state }) }
  // Without an answer in time there is none, and a rule without an answer refuses.
  return Promise.resolve(within(tool.contract.runtime.timeout_ms, askCodeRules(rules.code, values))).then(
    (answers) => ({ context, answers }),
    () => ({ context, answers: noAnswers }),
  )
}

const unbroken: readonly ErrorDetail[] = []

export function brokenRules(
  call: ResolvedCall,
  phase: RulePhase,
  evidence: RuleEvidence | undefined,
  state?: JsonValue,
): readonly ErrorDetail[] {
  const rules = rulesOf(call.tool, phase)
  if (rules === undefined) return unbroken
  if (evidence === undefined) return [unjudged('The rules of the tool were not judged.')]
  const values = { args: call.permissionInput, context: evidence.context, ...(state === undefined ? {} : { state }) }
  const judgement = joinJudgements(judgeRules(rules.compiled, values), judgeCodeRules(rules.code, evidence.answers))
  switch (judgement.kind) {
    case 'pass':
      return unbroken
    case 'error':
      return [unjudged(`${judgement.reason} (rule ${judgement.id})`)]
    case 'fail':
      return judgement.failures.flatMap(({ id, message, fields }) =>
        (fields.length === 0 ? [''] : fields).map((pointer) => ({
          field: fieldPath(pointer),
          expected: `a value that satisfies ${id}`,
          actual: 'one that does not',
          message,
        })),
      )
  }
}

const unjudged = (message: string): ErrorDetail => ({ field: '$', expected: '', actual: '', message })
