// Registration of a tool's CEL rules: parsed, typed against the schemas, bounded and compiled, or refused with what to change.
// Invariant: rules that compile read nothing undeclared and end within a known amount of work, all of them together.
import type { RuleSource } from '../../contract/tool/rule.ts'
import { isPointer, tokensOf } from '../../json/pointer.ts'
import type { JsonValue } from '../../json/value.ts'
import type { Preprocessed } from '../../schema/normal.ts'
import { compileValidator } from '../../schema/validator.ts'
import { type Code, expectKind, type RuleScope, Unacceptable, type Variable } from './cel/code.ts'
import { compileExpression } from './cel/compile-expression.ts'
import { noFacts } from './cel/facts.ts'
import { parseRule } from './cel/parse-rule.ts'
import type { CompiledRule, RuleFault, RuleValues } from './rule.ts'
import { contextShape } from './shapes/context-shape.ts'
import { shapeOfSchema } from './shapes/schema-shape.ts'
import { kindsOf, type Shape } from './shapes/shape.ts'
import { maxUnits, type Work } from './shapes/work.ts'

export interface RuleSchemas {
  /** The tool's input schema: what `args` is. */
  readonly input: Preprocessed
  /** What the state reader's value is; without it no rule can read `state`. */
  readonly state?: Preprocessed
}

export type RuleCompilation =
  | { readonly ok: true; readonly rules: readonly CompiledRule[] }
  | { readonly ok: false; readonly faults: readonly RuleFault[] }

export function compileRules(sources: readonly RuleSource[], schemas: RuleSchemas): RuleCompilation {
  const faults: RuleFault[] = []
  const rules: CompiledRule[] = []
  const variables = variablesOf(schemas)
  const ids = new Set<string>()
  let spent = 0
  for (const [index, source] of sources.entries()) {
    const fault = (pointer: string, reason: string): RuleFault => ({
      rule: source.id,
      pointer: `/${index}${pointer}`,
      reason,
    })
    if (source.id === '' || ids.has(source.id)) faults.push(fault('/id', 'Every rule needs an id of its own.'))
    ids.add(source.id)
    if (source.message.trim() === '') faults.push(fault('/message', 'The model has to be told what to do instead.'))
    for (const [at, field] of (source.fields ?? []).entries()) {
      if (!isDeclared(variables.get('args')?.shape, field))
        faults.push(fault(`/fields/${at}`, `The arguments have no ${field}.`))
    }
    try {
      const rule = compileRule(source, variables, schemas.state)
      spent += rule.units
      if (spent > maxUnits)
        throw new Unacceptable(undefined, `With the rules before it, it ${tooMuch({ ...rule.work, units: spent })}`)
      rules.push(rule)
    } catch (error) {
      if (!(error instanceof Unacceptable)) throw error
      const { node, message } = error
      const at = node === undefined ? {} : { at: { start: node.start, end: node.end } }
      faults.push({ ...fault('/when', /[.?]$/.test(message) ? message : `${message}.`), ...at })
    }
  }
  return faults.length === 0 ? { ok: true, rules } : { ok: false, faults }
}

function variablesOf({ input, state }: RuleSchemas): ReadonlyMap<string, Variable> {
  const variables = new Map<string, Variable>([
    ['args', { shape: shapeOfSchema(input, 'args'), path: 'args', root: 'args', run: ({ values }) => values.args }],
    ['context', { shape: contextShape, path: 'context', root: 'context', run: ({ values }) => values.context }],
  ])
  if (state !== undefined) {
    const shape = shapeOfSchema(state, 'state')
    variables.set('state', { shape, path: 'state', root: 'state', run: ({ values }) => values.state })
  }
  return variables
}

function compileRule(
  source: RuleSource,
  variables: ReadonlyMap<string, Variable>,
  state: Preprocessed | undefined,
): CompiledRule & { readonly work: Work } {
  const seen = { args: false, context: false, state: false, locals: 0 }
  const scope: RuleScope = { variables, facts: noFacts, seen, compile: compileExpression }
  const code = compileExpression(parseRule(source.when), scope)
  expectKind(code, 'bool')
  if (code.work.units > maxUnits) throw new Unacceptable(undefined, `It ${tooMuch(code.work)}`)
  const { locals, ...reads } = seen
  const validator = reads.state && state !== undefined ? compileValidator(state) : undefined
  return {
    id: source.id,
    message: source.message,
    fields: source.fields ?? [],
    phase: reads.state ? 'state' : 'semantics',
    reads,
    units: Math.ceil(code.work.units),
    work: code.work,
    holds: holdsBy(code, locals),
    acceptsState: (value: JsonValue | undefined) =>
      validator === undefined || (value !== undefined && validator.matches(value)),
  }
}

function holdsBy({ run }: Code, locals: number): (values: RuleValues) => boolean {
  if (locals === 0) return (values) => run({ values, locals: noLocals }) === true
  return (values) => run({ values, locals: new Array(locals) }) === true
}

/** Rules without variables of their own never write to it. */
const noLocals: unknown[] = []

function tooMuch({ units, missing, stated }: Work): string {
  const advice =
    missing.length > 0
      ? `Declare ${missing.join(', ')}`
      : `Declare ${stated.length > 0 ? `smaller ${stated.join(', ')}` : 'smaller limits'}, nest fewer loops, or write a code rule`
  return `may take ${words(units)} units of work; ${words(maxUnits)} is the limit. ${advice}.`
}

function words(count: number): string {
  return Math.ceil(count).toLocaleString('en-US')
}

/** Whether a schema says anything about the place that a pointer names. */
export function declaresField(input: Preprocessed, pointer: string): boolean {
  return isDeclared(shapeOfSchema(input, 'args'), pointer)
}

function isDeclared(shape: Shape | undefined, pointer: string): boolean {
  if (shape === undefined || !isPointer(pointer)) return false
  let here: readonly Shape[] = [shape]
  for (const token of tokensOf(pointer)) {
    here = here.flatMap(kindsOf).flatMap((one): readonly Shape[] => {
      if (one.kind === 'list') return /^\d{1,9}$/.test(token) ? [one.item(Number(token))] : []
      const field = one.kind === 'map' ? one.field(token) : undefined
      return field?.declared === true ? [field.shape] : []
    })
  }
  return here.length > 0
}
