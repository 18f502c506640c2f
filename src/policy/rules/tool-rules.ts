// A tool's rules, compiled once per tool and sorted by the phase that judges them. Registration reports what cannot be compiled, so that
// every phase finds rules it can judge.

import { Fault } from '../../contract/fault.ts'
import type { ContradictionRow, Occurrence } from '../../contract/find-contradictions.ts'
import { compileSchema } from '../../contract/tool/compile-tool.ts'
import type { Registration } from '../../contract/tool/contract-contradictions.ts'
import type { CodeRule, Rule, RulePhase, RuleSource } from '../../contract/tool/rule.ts'
import type { Tool } from '../../contract/tool/tool.ts'
import { compileRules, declaresField } from './compile-rules.ts'
import type { CompiledRule, RuleFault } from './rule.ts'

export interface PhaseRules {
  readonly compiled: readonly CompiledRule[]
  readonly code: readonly CodeRule[]
}

export type ToolRules = Readonly<Record<RulePhase, PhaseRules | undefined>>

export type ToolRuleCompilation =
  | { readonly ok: true; readonly rules: ToolRules }
  | { readonly ok: false; readonly faults: readonly RuleFault[]; readonly stateFaults: readonly RuleFault[] }

const none: ToolRuleCompilation = { ok: true, rules: { semantics: undefined, state: undefined } }
const known = new WeakMap<Tool, ToolRuleCompilation>()

function compileToolRules(tool: Tool): ToolRuleCompilation {
  if (tool.binding.rules.length === 0 && tool.binding.state?.schema === undefined) return none
  const found = known.get(tool) ?? compile(tool)
  known.set(tool, found)
  return found
}

/** The rules of a registered tool that one phase judges; undefined where there are none. */
export function rulesOf(tool: Tool, phase: RulePhase): PhaseRules | undefined {
  if (tool.binding.rules.length === 0) return undefined
  const compilation = compileToolRules(tool)
  if (!compilation.ok) throw new Fault('internal', 'A tool was called whose rules were refused.')
  return compilation.rules[phase]
}

function compile(tool: Tool): ToolRuleCompilation {
  const { rules, state } = tool.binding
  const schema = state?.schema === undefined ? undefined : compileSchema(state.schema, '', tool.binding.dialect)
  const stateFaults: readonly RuleFault[] =
    schema?.ok === false ? schema.problems.map(({ pointer, message }) => ({ rule: '', pointer, reason: message })) : []
  const placed = rules.map((rule, index) => ({ rule, index }))
  const sources = placed.filter((one): one is { rule: RuleSource; index: number } => isSource(one.rule))
  const code = placed.filter((one): one is { rule: CodeRule; index: number } => isCode(one.rule))
  const compilation = compileRules(
    sources.map(({ rule }) => rule),
    { input: tool.input.form, ...(schema?.ok === true ? { state: schema.schema.form } : {}) },
  )
  const faults = [
    ...(compilation.ok ? [] : compilation.faults.map((fault) => replaced(fault, sources))),
    ...placed.flatMap(({ rule, index }) => (isSource(rule) || isCode(rule) ? [] : [noRule(index)])),
    ...code.flatMap(({ rule, index }) => codeFaults(rule, index, tool)),
    ...repeatedIds(placed.filter(({ rule }) => isSource(rule) || isCode(rule))),
  ]
  if (!compilation.ok || faults.length > 0 || stateFaults.length > 0) return { ok: false, faults, stateFaults }
  return {
    ok: true,
    rules: {
      semantics: phaseRules('semantics', compilation.rules, code),
      state: phaseRules('state', compilation.rules, code),
    },
  }
}

function phaseRules(
  phase: RulePhase,
  compiled: readonly CompiledRule[],
  code: readonly { readonly rule: CodeRule }[],
): PhaseRules | undefined {
  const own = {
    compiled: compiled.filter((rule) => rule.phase === phase),
    code: code.flatMap(({ rule }) => (rule.phase === phase ? [rule] : [])),
  }
  return own.compiled.length + own.code.length === 0 ? undefined : own
}

/** Rules may come from JavaScript that nothing has typed. */
function isSource(rule: unknown): rule is RuleSource {
  return hasTexts(rule) && 'when' in rule && typeof rule.when === 'string' && !('check' in rule)
}

function isCode(rule: unknown): rule is CodeRule {
  return hasTexts(rule) && 'check' in rule && typeof rule.check === 'function' && !('when' in rule)
}

function hasTexts(rule: unknown): rule is Pick<Rule, 'id' | 'message'> {
  if (typeof rule !== 'object' || rule === null || !('id' in rule) || !('message' in rule)) return false
  const fields: unknown = 'fields' in rule ? rule.fields : undefined
  const listsTexts = Array.isArray(fields) && fields.every((field) => typeof field === 'string')
  return typeof rule.id === 'string' && typeof rule.message === 'string' && (fields === undefined || listsTexts)
}

const noRule = (index: number): RuleFault => ({
  rule: '',
  pointer: `/${index}`,
  reason: 'A rule has an id, a message for the model, fields as pointers, and either when, in CEL, or check, in code.',
})

function codeFaults({ id, phase, message, fields = [] }: CodeRule, index: number, tool: Tool): readonly RuleFault[] {
  const fault = (pointer: string, reason: string): RuleFault => ({ rule: id, pointer: `/${index}${pointer}`, reason })
  return [
    ...(message.trim() === '' ? [fault('/message', 'The model has to be told what to do instead.')] : []),
    ...(phase === 'semantics' || phase === 'state' ? [] : [fault('/phase', 'The phase is semantics or state.')]),
    ...(phase === 'state' && tool.binding.state === undefined
      ? [fault('/phase', 'Nothing reads a state that this rule could judge.')]
      : []),
    ...fields.flatMap((field, at) =>
      declaresField(tool.input.form, field) ? [] : [fault(`/fields/${at}`, `The arguments have no ${field}.`)],
    ),
  ]
}

/** Among rules in CEL the compiler has said so already. */
function repeatedIds(placed: readonly { readonly rule: Rule; readonly index: number }[]): readonly RuleFault[] {
  const first = new Map<string, Rule>()
  return placed.flatMap(({ rule, index }): readonly RuleFault[] => {
    const other = first.get(rule.id)
    first.set(rule.id, other ?? rule)
    const isTold = !('check' in rule) && (other === undefined || !('check' in other))
    if (isTold || (other === undefined && rule.id !== '')) return []
    return [{ rule: rule.id, pointer: `/${index}/id`, reason: 'Every rule needs an id of its own.' }]
  })
}

/** A fault at the place of its rule in the whole list. */
function replaced(fault: RuleFault, sources: readonly { readonly index: number }[]): RuleFault {
  const [, at = '0', ...rest] = fault.pointer.split('/')
  return { ...fault, pointer: ['', sources[Number(at)]?.index ?? 0, ...rest].join('/') }
}

export const ruleContradictions: readonly ContradictionRow<Registration>[] = [
  {
    id: 'rule-refused',
    pointer: '/binding/rules',
    remedy:
      'A rule compiles, reads only what is declared and ends within a bounded amount of work; or it is code with an id, a phase and a message.',
    find({ tool }) {
      const compilation = compileToolRules(tool)
      return compilation.ok ? [] : compilation.faults.map(occurrence)
    },
  },
  {
    id: 'state-schema-refused',
    pointer: '/binding/state/schema',
    remedy: 'The schema of the state is a JSON Schema like those of input and output; rules are typed by it.',
    find({ tool }) {
      const compilation = compileToolRules(tool)
      return compilation.ok ? [] : compilation.stateFaults.map(occurrence)
    },
  },
]

const occurrence = ({ rule, pointer, reason }: RuleFault): Occurrence => ({
  at: pointer,
  detail: rule === '' ? reason : `Rule ${rule}: ${reason}`,
})
