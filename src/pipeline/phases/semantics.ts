// What a JSON Schema cannot say: the schema library's own checks, the binding's rules, and a look at what the call needs.
import type { Call, ErrorDetail } from '../../contract/call.ts'
import type { LibraryCheck, Preflight, PreflightProblem, Rule } from '../../contract/tool.ts'
import { touches } from '../../json/mask.ts'
import { ownCopy } from '../../json/own-copy.ts'
import { fieldPath } from '../../json/pointer.ts'
import type { JsonObject } from '../../json/value.ts'
import { callInputOf, type LibraryOutput } from '../call-input.ts'
import { askHost, inputOf, toolContext, toolOf, typedInput } from '../context.ts'
import { type Gate, stop, type Verdict } from '../phase.ts'
import { within } from '../within.ts'

interface Evidence {
  readonly issues: readonly ErrorDetail[]
  readonly problem: PreflightProblem | undefined
  /** What the schema library made of the input, where it has a say. */
  readonly output: LibraryOutput | undefined
}

const nothing: Evidence = { issues: [], problem: undefined, output: undefined }

export const semantics: Gate<Evidence> = {
  name: 'semantics',
  does: "The schema library's own checks, rules across fields, and whether everything needed is there.",
  stopsWith: [
    { class: 'SEMANTIC_INVALIDITY', reasons: ['invalid_arguments'] },
    { class: 'DEPENDENCY_UNAVAILABLE', reasons: ['setup_required'] },
    { class: 'POLICY_VIOLATION', reasons: ['sandbox_violation'] },
  ],
  gather(call) {
    const { inputCheck, preflight } = toolOf(call).binding
    return inputCheck === undefined && preflight === undefined ? nothing : look(call)
  },
  decide(call, evidence) {
    if (evidence.issues.length > 0) return stop('SEMANTIC_INVALIDITY', 'invalid_arguments', evidence.issues)
    const gives = callInputOf(call, inputOf(call), evidence.output)
    const { rules } = toolOf(call).binding
    const broken = rules.length === 0 ? [] : brokenRules(rules, { ...call, ...gives })
    if (broken.length > 0) return stop('SEMANTIC_INVALIDITY', 'invalid_arguments', broken)
    return evidence.problem === undefined ? { kind: 'pass', gives } : problemVerdict(evidence.problem)
  },
  // The library's output may hold anything, sensitive values included: it lives in the call, not in a fact.
  keep: (evidence) => (evidence.output === undefined ? evidence : { ...evidence, output: 'kept' }),
}

async function look(call: Call): Promise<Evidence> {
  const { binding, contract } = toolOf(call)
  const { inputCheck, preflight, sensitive } = binding
  const input = ownCopy(inputOf(call))
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
  const given = output === undefined ? ownCopy(inputOf(call)) : ownCopy(output.value)
  const problem = preflight === undefined ? undefined : await runPreflight(call, preflight, given as JsonObject, time)
  return { issues: [], problem, output }
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

async function runPreflight(call: Call, preflight: Preflight, input: JsonObject, time: number) {
  try {
    const problem = await within(time, preflight(input, toolContext(call)))
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

function brokenRules(rules: readonly Rule[], call: Call): readonly ErrorDetail[] {
  const context = toolContext(call)
  return rules.flatMap((rule): readonly ErrorDetail[] => {
    const message = judged(() => rule.check(typedInput(call), context))
    if (message === undefined) return []
    const fields = rule.fields.length === 0 ? [''] : rule.fields
    return fields.map((pointer) => ({
      field: fieldPath(pointer),
      expected: `a value that satisfies ${rule.id}`,
      actual: 'one that does not',
      message,
    }))
  })
}

/** A rule that fails to judge refuses, and so does one that objects without words. */
function judged(check: () => string | undefined): string | undefined {
  const judgement = askHost(check)
  if (!judgement.ok) return 'This rule could not be judged, so the call is refused.'
  const objection: unknown = judgement.value
  return objection === undefined || typeof objection === 'string' ? objection : 'The arguments break this rule.'
}

function problemVerdict(problem: PreflightProblem): Verdict {
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
