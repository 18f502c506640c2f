// What a JSON Schema cannot say: the schema library's own checks, the binding's rules, and a look at what the call needs.
import type { Call, ErrorDetail } from '../../contract/call.ts'
import type { LibraryCheck, Preflight, PreflightProblem, Tool } from '../../contract/tool.ts'
import { touches } from '../../json/mask.ts'
import { fieldPath } from '../../json/pointer.ts'
import type { JsonObject } from '../../json/value.ts'
import { callInputOf, type LibraryOutput } from '../call-input.ts'
import { toolContext } from '../context.ts'
import { type Gate, pass, stop, type Verdict } from '../phase.ts'
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
    const { tool, permissionInput: input } = call
    if (tool === undefined || input === undefined) return nothing
    const { inputCheck, preflight } = tool.binding
    return inputCheck === undefined && preflight === undefined ? nothing : look(call, tool, input)
  },
  decide(call, evidence) {
    const { tool, permissionInput: input } = call
    if (tool === undefined || input === undefined) return pass
    if (evidence.issues.length > 0) return stop('SEMANTIC_INVALIDITY', 'invalid_arguments', evidence.issues)
    const gives = callInputOf(call, input, evidence.output)
    const broken = tool.binding.rules.length === 0 ? [] : brokenRules(call, tool, gives.callInput)
    if (broken.length > 0) return stop('SEMANTIC_INVALIDITY', 'invalid_arguments', broken)
    return evidence.problem === undefined ? { kind: 'pass', gives } : problemVerdict(evidence.problem)
  },
  // The library's output may hold anything, sensitive values included: it lives in the call, not in a fact.
  keep: (evidence) => (evidence.output === undefined ? evidence : { ...evidence, output: 'kept' }),
}

async function look(call: Call, tool: Tool, input: JsonObject): Promise<Evidence> {
  const { inputCheck, preflight } = tool.binding
  const time = tool.contract.runtime.timeout_ms
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
      message: touches(issue.path, tool.binding.sensitive) ? 'The value is not accepted.' : issue.message,
    }))
    return { ...nothing, issues }
  }
  const problem = preflight === undefined ? undefined : await runPreflight(call, preflight, input, time)
  return { issues: [], problem, output: outcome === undefined ? undefined : { value: outcome.value } }
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
    return await within(time, preflight(input, toolContext(call)))
  } catch {
    return { reason: 'setup_required', message: 'What the tool needs could not be looked at.' } as const
  }
}

function brokenRules(call: Call, tool: Tool, input: unknown): readonly ErrorDetail[] {
  const context = toolContext(call)
  return tool.binding.rules.flatMap((rule): readonly ErrorDetail[] => {
    // Rules were written for what the schema library gives.
    const message = judged(() => rule.check(input as JsonObject, context))
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

/** A rule that fails to judge refuses. */
function judged(check: () => string | undefined): string | undefined {
  try {
    return check()
  } catch {
    return 'This rule could not be judged, so the call is refused.'
  }
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
