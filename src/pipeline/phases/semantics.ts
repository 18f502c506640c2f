// What a JSON Schema cannot say: the schema library's own checks, the binding's rules, and a look at what the call needs.
import type { Call, ErrorDetail, Mutation } from '../../contract/call.ts'
import type { LibraryCheck, Preflight, PreflightProblem, Tool } from '../../contract/tool.ts'
import { copyParsed } from '../../json/copy.ts'
import { hashJson } from '../../json/hash.ts'
import { touches } from '../../json/mask.ts'
import { fieldPath } from '../../json/pointer.ts'
import { isObject, type JsonObject } from '../../json/value.ts'
import { toolContext } from '../context.ts'
import { type Gate, pass, stop, type Verdict } from '../phase.ts'
import { within } from '../within.ts'

interface Evidence {
  readonly issues: readonly ErrorDetail[]
  readonly problem: PreflightProblem | undefined
  /** What the schema library made of the input, where it has a say. */
  readonly output: { readonly value: unknown } | undefined
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
    const broken = tool.binding.rules.length === 0 ? [] : brokenRules(call, tool, input)
    const errors = [...evidence.issues, ...broken]
    if (errors.length > 0) return stop('SEMANTIC_INVALIDITY', 'invalid_arguments', errors)
    if (evidence.problem !== undefined) return problemVerdict(evidence.problem)
    return evidence.output === undefined
      ? { kind: 'pass', gives: { callInput: input } }
      : changed(call, input, evidence.output.value)
  },
  // The library's output may hold anything, sensitive values included: it lives in the call, not in a fact.
  keep: (evidence) => (evidence.output === undefined ? evidence : { ...evidence, output: { value: 'accepted' } }),
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

function brokenRules(call: Call, tool: Tool, input: JsonObject): readonly ErrorDetail[] {
  const context = toolContext(call)
  return tool.binding.rules.flatMap((rule): readonly ErrorDetail[] => {
    const message = judged(() => rule.check(input, context))
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

function changedKeys(from: JsonObject, to: JsonObject): readonly string[] {
  const keys = new Set([...Object.keys(from), ...Object.keys(to)])
  return [...keys].filter((key) => hashJson(from[key] ?? null) !== hashJson(to[key] ?? null))
}

/** The library's output becomes call_input; where it differs from what the model sent, that is a mutation on record. */
function changed(call: Call, input: JsonObject, output: unknown): Verdict {
  const json = copyParsed(output, { toJson: true })
  const fromHash = hashJson(input)
  const toHash = json.ok ? hashJson(json.value) : 'not-json'
  if (toHash === fromHash) return { kind: 'pass', gives: { callInput: output } }
  const mutation: Mutation = {
    by: 'schema library',
    reason: 'transformed by its own validate',
    fields: json.ok && isObject(json.value) ? changedKeys(input, json.value) : [],
    fromHash,
    toHash,
  }
  // What is plain JSON can be kept and used again, so that a generated value stays the one that people approved.
  const plain = copyParsed(output)
  const kept = plain.ok && isObject(plain.value) ? { keptCallInput: plain.value } : {}
  return { kind: 'pass', gives: { callInput: output, mutations: [...call.mutations, mutation], ...kept } }
}
