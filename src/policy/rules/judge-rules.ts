// Judges a call by compiled rules: all that do not hold are reported, in the order in which they were written.
// Invariant: pure, and closed on failure; a rule that cannot be judged refuses the call, also where all others pass.
import { RuleError } from './cel/code.ts'
import type { CompiledRule, RuleFailure, RuleJudgement, RuleValues } from './rule.ts'
import { exceedsContext } from './shapes/context-shape.ts'

const pass: RuleJudgement = { kind: 'pass' }

export function judgeRules(rules: readonly CompiledRule[], values: RuleValues): RuleJudgement {
  const [first] = rules
  if (first === undefined) return pass
  if (exceedsContext(values.context)) {
    return { kind: 'error', id: first.id, reason: 'The caller has more roles or scopes than rules can read.' }
  }
  let failures: RuleFailure[] | undefined
  for (const rule of rules) {
    try {
      if (rule.reads.state && !rule.acceptsState(values.state)) {
        return { kind: 'error', id: rule.id, reason: 'The state is not what its declared schema says.' }
      }
      if (rule.holds(values)) continue
    } catch (error) {
      return { kind: 'error', id: rule.id, reason: errorReason(error) }
    }
    failures ??= []
    failures.push({ id: rule.id, message: rule.message, fields: rule.fields })
  }
  return failures === undefined ? pass : { kind: 'fail', failures }
}

/** Values never appear in a reason: it travels to models and logs. */
function errorReason(error: unknown): string {
  const what = error instanceof RuleError ? error.message : 'the arguments are not what its schemas say'
  return `The rule could not be judged: ${what}.`
}
