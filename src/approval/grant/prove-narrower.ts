// Is a grant honest? It says something about every field of the input, its bounds are values that the input takes, and everything it
// grants is a valid input: shown by the prover, never assumed. What cannot be shown is refused with the reason.

import { canonicalize } from '../../json/canonical.ts'
import { appendPointer, fieldPath, tokensOf } from '../../json/pointer.ts'
import type { JsonObject, JsonValue } from '../../json/value.ts'
import { type NormalObject, type NormalSchema, nameMap, type Preprocessed } from '../../schema/normal.ts'
import { compileValidator } from '../../schema/validator.ts'
import { inhabitsBoth } from '../../subschema/inhabits.ts'
import { type Proof, provePreprocessed } from '../../subschema/is-subschema.ts'
import type { FieldRule, Grant, GrantProblem } from './grant.ts'
import { type InputField, inputFields, rooted } from './input-fields.ts'
import { isRule, type RuleTree, ruleTree } from './rule-tree.ts'

/** What of a tool a grant is held to. */
export interface GrantTarget {
  readonly input: Preprocessed
  /** Pointers of the arguments that say how much, and in what currency. */
  readonly amount?: string | undefined
  readonly currency?: string | undefined
}

export type Narrowness =
  | { readonly ok: true; readonly assumes: readonly string[] }
  | { readonly ok: false; readonly problems: readonly GrantProblem[] }

export function proveNarrower(grant: Grant, target: GrantTarget): Narrowness {
  const { input } = target
  const tree = ruleTree(grant.fields)
  const coverage = coverageOf(tree, input.root, '', input)
  const places = new Map(coverage.places)
  const problems = [...coverage.problems, ...moneyProblems(grant, target, places)]
  if (problems.length > 0) return { ok: false, problems }
  const prove = (required: readonly InputField['required'][]) =>
    provePreprocessed(
      rooted(
        schemaOfRules(tree, {
          own: (place) => places.get(pointerOf(place))?.schema ?? true,
          isRequired: (place) => required.includes(places.get(pointerOf(place))?.required ?? 'never'),
        }),
        input,
      ),
      input,
    )
  let proof = prove(['always'])
  // A free field that an alternative of the input demands: a call without it is no valid call, so the grant need not cover it.
  if (proof.verdict === 'refuted') proof = prove(['always', 'branch'])
  return proof.verdict === 'proven'
    ? { ok: true, assumes: proof.assumes ?? [] }
    : { ok: false, problems: [{ pointer: '/fields', message: proofReason(proof) }] }
}

interface Coverage {
  /** Every declared field, by its pointer. */
  readonly places: readonly (readonly [string, InputField])[]
  /** Fields of which the grant says nothing, or what does not fit. */
  readonly problems: readonly GrantProblem[]
}

function coverageOf(tree: RuleTree, root: NormalSchema, at: string, input: Preprocessed): Coverage {
  const declared = inputFields(root, input)
  const places: (readonly [string, InputField])[] = []
  const problems: GrantProblem[] = []
  for (const [name, field] of declared) {
    const pointer = appendPointer(at, name)
    places.push([pointer, field])
    const node = tree.get(name)
    if (node === undefined) {
      problems.push({ pointer: '/fields', message: `Say what ${pointer} may be; {"absent": true} if it is left out.` })
    } else if (isRule(node)) {
      const message = ruleMisfit(node, field, input)
      if (message !== undefined) problems.push({ pointer: appendPointer('/fields', pointer), message })
    } else {
      const below = coverageOf(node, field.schema, pointer, input)
      places.push(...below.places)
      problems.push(...below.problems)
    }
  }
  for (const name of tree.keys()) {
    if (declared.has(name)) continue
    const known = [...declared.keys()].map((other) => appendPointer(at, other)).join(', ')
    const message = `The input declares no such field${known === '' ? '' : `; it declares ${known.slice(0, 300)}`}.`
    problems.push({ pointer: appendPointer('/fields', appendPointer(at, name)), message })
  }
  return { places, problems }
}

function ruleMisfit(rule: FieldRule, { schema }: InputField, input: Preprocessed): string | undefined {
  if (rule.kind === 'range') {
    const validator = compileValidator(rooted(schema, input))
    const wrong = [rule.min, rule.max].filter((bound) => !validator.matches(bound))
    return wrong.length === 0
      ? undefined
      : `${wrong.map(canonicalize).join(' and ')} would not be taken by the input; choose bounds that are values of it.`
  }
  if (rule.kind !== 'any') return undefined
  const holdsParts = [{ type: ['object'] }, { type: ['array'], contains: { type: ['object', 'array'] } }] as const
  const answers = holdsParts.map((also) => inhabitsBoth(rooted(schema, input), also).verdict)
  if (answers.every((verdict) => verdict === 'empty')) return undefined
  return 'It may hold further fields, and all of them would be free: name them by their own pointers, or list whole values with const or enum.'
}

function moneyProblems(
  grant: Grant,
  { amount, currency }: GrantTarget,
  places: ReadonlyMap<string, InputField>,
): readonly GrantProblem[] {
  const problems: GrantProblem[] = []
  if (grant.amount !== amount) {
    const message =
      amount === undefined ? 'The tool moves no amount; leave it out.' : `The tool says that it is ${amount}.`
    return [{ pointer: '/amount', message }]
  }
  if (amount === undefined) {
    if (grant.limits.totalAmount === undefined) return []
    return [{ pointer: '/limits/total_amount', message: 'The tool moves no amount, so there is no total to keep.' }]
  }
  if (grant.limits.totalAmount === undefined)
    problems.push({ pointer: '/limits/total_amount', message: 'The tool moves an amount: say how much in all.' })
  if (!isBoundedAmount(grant.fields.get(amount))) {
    const message = 'An amount is granted as const, enum or min and max, in numbers from 0.'
    problems.push({ pointer: appendPointer('/fields', amount), message })
  }
  for (const pointer of currency === undefined ? [...places.keys()].filter(isCurrency) : [currency]) {
    const rule = grant.fields.get(pointer)
    // A list of currencies would make one total of different money, and without one the other side would choose it.
    if (rule?.kind === 'const') continue
    problems.push({
      pointer: appendPointer('/fields', pointer),
      message: 'The currency of an amount is one value: use const.',
    })
  }
  return problems
}

function isBoundedAmount(rule: FieldRule | undefined): boolean {
  const isAmount = (value: JsonValue) => typeof value === 'number' && value >= 0
  if (rule?.kind === 'range') return isAmount(rule.min)
  if (rule?.kind === 'const') return isAmount(rule.value)
  return rule?.kind === 'enum' && rule.values.every(isAmount)
}

function isCurrency(pointer: string): boolean {
  return /^currency(?:[_-]?code)?$/i.test(tokensOf(pointer).at(-1) ?? '')
}

function proofReason(proof: Exclude<Proof, { verdict: 'proven' }>): string {
  if (proof.verdict === 'unsupported')
    return `It cannot be shown that the input takes all that is granted (${proof.construct}): ${proof.reason}.`
  const where = proof.instancePath === '' ? '' : ` at ${fieldPath(proof.instancePath)}`
  const witness = canonicalize(proof.witness)
  const example = witness.length > 300 ? `${witness.slice(0, 300).toWellFormed()}…` : witness
  return `It would grant ${example}, which the input refuses${where}: ${proof.reason}`
}

const pointerOf = (tokens: readonly string[]): string => tokens.reduce(appendPointer, '')

export interface SchemaChoices {
  /** What an open field, or one in a range, obeys beside its rule. */
  own(pointer: readonly string[]): NormalSchema
  /** Whether the input demands it. */
  isRequired(pointer: readonly string[]): boolean
}

function schemaOfRules(tree: RuleTree, choices: SchemaChoices, at: readonly string[] = []): NormalObject {
  const properties = nameMap<NormalSchema>()
  const required: string[] = []
  for (const [name, node] of tree) {
    const place = [...at, name]
    const schema = isRule(node) ? ruleSchema(node, choices.own(place)) : schemaOfRules(node, choices, place)
    if (schema === undefined) continue
    properties[name] = schema
    if (!mayBeAbsent(node) || choices.isRequired(place)) required.push(name)
  }
  return { type: ['object'], properties, required, additionalProperties: false }
}

/** A JSON Schema (2020-12) of the set, for people and other tools; free fields are `true`, which means: all that the input allows. */
export function grantSchema(fields: ReadonlyMap<string, FieldRule>): JsonObject {
  const schema = schemaOfRules(ruleTree(fields), { own: () => true, isRequired: () => false })
  // The normal form is a JSON Schema, which its interface types do not show.
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    ...(schema as unknown as Record<string, JsonValue>),
  }
}

function mayBeAbsent(node: FieldRule | RuleTree): boolean {
  if (isRule(node)) return node.kind === 'any' || node.kind === 'absent'
  return [...node.values()].every(mayBeAbsent)
}

function ruleSchema(rule: FieldRule, own: NormalSchema): NormalSchema | undefined {
  switch (rule.kind) {
    case 'const':
      return { const: rule.value }
    case 'enum':
      return { enum: rule.values }
    case 'range': {
      const range: NormalObject = { type: ['number'], minimum: rule.min, maximum: rule.max }
      return own === true ? range : { allOf: [own, range] }
    }
    case 'any':
      return own
    case 'absent':
      return undefined
  }
}
