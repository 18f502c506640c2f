// What a JSON Schema cannot say: the schema library's own checks, the binding's rules, and a look at what the call needs.
import type { ErrorDetail } from '../../contract/call/call.ts'
import type { JudgedCall, ResolvedCall } from '../../contract/call/stages.ts'
import type { Preflight, PreflightProblem } from '../../contract/tool/executor.ts'
import type { LibraryCheck } from '../../contract/tool/tool.ts'
import { within } from '../../execute/within.ts'
import { ownCopy } from '../../json/copy.ts'
import { touches } from '../../json/mask.ts'
import { fieldPath } from '../../json/pointer.ts'
import type { JsonObject } from '../../json/value.ts'
import { amountOf } from '../../policy/budgets/claims.ts'
import { callInputOf, type LibraryOutput } from '../call/inputs.ts'
import { executorContext } from '../call/tool-context.ts'
import { brokenRules, gatherRules, type RuleEvidence } from '../call/tool-rules.ts'
import type { Deps } from '../deps.ts'
import { type Gate, type Gives, passWith, type Stop, stop } from '../phase.ts'

interface Evidence {
  readonly issues: readonly ErrorDetail[]
  readonly problem: PreflightProblem | undefined
  /** What the schema library made of the input, where it has a say. */
  readonly output: LibraryOutput | undefined
  readonly rules: RuleEvidence | undefined
}

const nothing: Evidence = { issues: [], problem: undefined, output: undefined, rules: undefined }

type Given = Gives<JudgedCall, 'callInput' | 'callJson', 'mutations' | 'keptCallInput'>

export const semantics: Gate<ResolvedCall, Given, Evidence> = {
  name: 'semantics',
  does: "The schema library's own checks, rules across fields, and whether everything needed is there.",
  stopsWith: [
    { class: 'SEMANTIC_INVALIDITY', reasons: ['invalid_arguments'] },
    { class: 'DEPENDENCY_UNAVAILABLE', reasons: ['setup_required'] },
    { class: 'POLICY_VIOLATION', reasons: ['sandbox_violation'] },
  ],
  gather(call, deps) {
    const { clock } = deps
    const { inputCheck, preflight, rules } = call.tool.binding
    if (inputCheck !== undefined || preflight !== undefined) return runChecks(call, deps)
    if (rules.length === 0) return nothing
    const gathered = gatherRules(call, 'semantics', clock.now())
    return gathered instanceof Promise
      ? gathered.then((found) => ({ ...nothing, rules: found }))
      : { ...nothing, rules: gathered }
  },
  decide(call, evidence) {
    if (evidence.issues.length > 0) return stop('SEMANTIC_INVALIDITY', 'invalid_arguments', evidence.issues)
    const gives = callInputOf(call, evidence.output)
    const broken = brokenRules(call, 'semantics', evidence.rules)
    if (broken.length > 0) return stop('SEMANTIC_INVALIDITY', 'invalid_arguments', broken)
    const amount = amountOf(gives, call.tool)
    if (!amount.ok) return stop('SEMANTIC_INVALIDITY', 'invalid_arguments', [amount.error])
    return evidence.problem === undefined ? passWith(gives) : problemVerdict(evidence.problem)
  },
  // The library's output may hold anything, sensitive values included: it lives in the call, not in a fact.
  keep: (evidence) => (evidence.output === undefined ? evidence : { ...evidence, output: 'kept' }),
}

async function runChecks(call: ResolvedCall, deps: Deps): Promise<Evidence> {
  const now = deps.clock.now()
  const { binding, contract } = call.tool
  const { inputCheck, preflight, sensitive } = binding
  const input = ownCopy(call.permissionInput)
  const time = contract.runtime.timeout_ms
  const kept = call.pass > 1 ? call.keptCallInput : undefined
  const outcome =
    inputCheck === undefined
      ? undefined
      : kept === undefined
        ? await check(inputCheck, input, time)
        : { ok: true as const, value: kept }
  if (outcome?.ok === false) {
    const issues = outcome.issues.map((issue) => ({
      field: fieldPath(issue.path),
      expected: 'a value that the tool accepts',
      actual: 'another value',
      // A library quotes what it was given; of a sensitive field nothing is quoted.
      message: touches(issue.path, sensitive) ? 'The value is not accepted.' : issue.message,
    }))
    return { ...nothing, issues }
  }
  const output = outcome === undefined ? undefined : { value: outcome.value }
  const given = output === undefined ? ownCopy(call.permissionInput) : ownCopy(output.value)
  const problem =
    preflight === undefined ? undefined : await runPreflight(call, preflight, given as JsonObject, { time, deps })
  return { issues: [], problem, output, rules: await gatherRules(call, 'semantics', now) }
}

async function check(
  inputCheck: LibraryCheck,
  input: JsonObject,
  time: number,
): Promise<Awaited<ReturnType<LibraryCheck>>> {
  try {
    return await within(time, inputCheck(input))
  } catch {
    return { ok: false, issues: [{ path: [], message: 'The checks of the schema library did not end.' }] }
  }
}

interface Looking {
  readonly time: number
  readonly deps: Deps
}

async function runPreflight(call: ResolvedCall, preflight: Preflight, input: JsonObject, { time, deps }: Looking) {
  try {
    const problem = await within(time, preflight(input, executorContext(call, deps)))
    return problem === undefined || isProblem(problem) ? problem : unreadable
  } catch {
    return unreadable
  }
}

const unreadable = { reason: 'setup_required', message: 'What the tool needs could not be looked at.' } as const

function isProblem(problem: PreflightProblem): boolean {
  return typeof problem === 'object' && problem !== null && preflightReasons.has(problem.reason)
}

const preflightReasons: ReadonlySet<string> = new Set(['invalid_arguments', 'setup_required', 'sandbox_violation'])

function problemVerdict(problem: PreflightProblem): Stop {
  const detail = [{ field: fieldPath(problem.field ?? ''), expected: '', actual: '', message: problem.message }]
  switch (problem.reason) {
    case 'invalid_arguments':
      return stop('SEMANTIC_INVALIDITY', 'invalid_arguments', detail)
    case 'setup_required':
      return stop('DEPENDENCY_UNAVAILABLE', 'setup_required', detail)
    case 'sandbox_violation':
      return stop('POLICY_VIOLATION', 'sandbox_violation', detail)
  }
}
