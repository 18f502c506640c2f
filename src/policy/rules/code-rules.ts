// Rules written in code: asked while evidence is gathered, judged from the recorded answers alone.
// Invariant: a check that throws, rejects or answers with anything but a boolean ends as an answer, too, and only `true` passes.
import type { CodeRule } from '../../contract/tool/rule.ts'
import { ownCopy } from '../../json/copy.ts'
import type { JsonValue } from '../../json/value.ts'
import type { RuleFailure, RuleJudgement, RuleValues } from './rule.ts'

/** What a check answered; plain JSON, to be kept with the other evidence of its phase. */
export interface CodeAnswer {
  readonly id: string
  readonly says: 'holds' | 'fails' | 'error'
}

/** Asks all rules at once. Each gets copies of its own; bound the wait, because a check may never answer. */
export async function askCodeRules(rules: readonly CodeRule[], values: RuleValues): Promise<readonly CodeAnswer[]> {
  return await Promise.all(rules.map((rule) => askRule(rule, values)))
}

async function askRule(rule: CodeRule, { args, context, state }: RuleValues): Promise<CodeAnswer> {
  try {
    const given: JsonValue | undefined = state === undefined ? undefined : ownCopy(state)
    const answer: unknown = await rule.check(ownCopy(args), ownCopy(context), ...(given === undefined ? [] : [given]))
    return { id: rule.id, says: answer === true ? 'holds' : answer === false ? 'fails' : 'error' }
  } catch {
    return { id: rule.id, says: 'error' }
  }
}

/** Pure: a replay judges by the recorded answers and runs no code. A rule without an answer is an error. */
export function judgeCodeRules(rules: readonly CodeRule[], answers: readonly CodeAnswer[]): RuleJudgement {
  const answersById = new Map(answers.map(({ id, says }) => [id, says]))
  const failures: RuleFailure[] = []
  for (const { id, message, fields = [] } of rules) {
    const says = answersById.get(id)
    if (says === 'holds') continue
    if (says !== 'fails') return { kind: 'error', id, reason: 'The rule could not be judged: its code gave no answer.' }
    failures.push({ id, message, fields })
  }
  return failures.length === 0 ? { kind: 'pass' } : { kind: 'fail', failures }
}

/** One judgement of both kinds of rules: an error before failures, failures in order. */
export function joinJudgements(first: RuleJudgement, second: RuleJudgement): RuleJudgement {
  if (first.kind === 'pass' || second.kind === 'error') return first.kind === 'error' ? first : second
  if (second.kind === 'pass' || first.kind === 'error') return first
  return { kind: 'fail', failures: [...first.failures, ...second.failures] }
}
