// `unevaluatedProperties` and `unevaluatedItems`: which parts are evaluated depends on which branches hold, so there is one
// case for each set of branches that hold. If more branches hold, more is evaluated, so a case need not say that others fail.
import type { NormalObject, NormalSchema } from '../../schema/normal.ts'
import { declaredKeys, has } from '../objects/key-formulas.ts'
import type { Formula } from '../solver/formula.ts'
import type { KeywordContext } from './keyword-context.ts'

/** What one part of the schema evaluates, if its condition holds. */
interface Mark<T> {
  readonly condition: Formula
  readonly evaluates: T
}

interface Evaluated<T> {
  readonly evaluates: T
  /** Equal keys evaluate the same parts. */
  readonly key: string
}

/** Sets of branches beyond this are tested, not searched. */
const maxConditions = 7

const stepsPerVisit = 0.1

export function unevaluatedProperties(context: KeywordContext, node: NormalObject): Formula {
  const { formulas, literal, claim } = context
  const marks = collectMarks(context, node, (part): Evaluated<Formula> => {
    const everything =
      part.additionalProperties !== undefined || (part !== node && part.unevaluatedProperties !== undefined)
    const evaluates = everything ? formulas.yes : declaredKeys(context, part)
    return { evaluates, key: String(evaluates.id) }
  })
  const obeys = claim(node.unevaluatedProperties ?? true)
  return casesOf(context, node, { marks, construct: 'unevaluatedProperties' }, (evaluated) =>
    literal({ kind: 'all', keys: formulas.not(formulas.or(evaluated)), claim: obeys }),
  )
}

interface EvaluatedItems {
  /** All items before this index. */
  readonly before: number
  /** Items that obey this schema, wherever they stand. */
  readonly containing?: NormalSchema
}

export function unevaluatedItems(context: KeywordContext, node: NormalObject): Formula {
  const { literal, claim } = context
  const marks = collectMarks(context, node, (part): Evaluated<EvaluatedItems> => {
    const everything = part.items !== undefined || (part !== node && part.unevaluatedItems !== undefined)
    const before = everything ? Number.POSITIVE_INFINITY : (part.prefixItems?.length ?? 0)
    const { contains } = part
    return contains === undefined
      ? { evaluates: { before }, key: `${before}` }
      : { evaluates: { before, containing: contains }, key: `${before} ${claim(contains)}` }
  })
  return casesOf(context, node, { marks, construct: 'unevaluatedItems' }, (evaluated) => {
    const from = Math.max(0, ...evaluated.map(({ before }) => before))
    if (from === Number.POSITIVE_INFINITY) return context.formulas.yes
    const containing = evaluated.flatMap(({ containing: own }) => (own === undefined ? [] : [own]))
    const allowed = node.unevaluatedItems ?? true
    const obeys = containing.length === 0 ? allowed : { anyOf: [allowed, ...containing] }
    return literal({ kind: 'count', from, claim: -claim(obeys), min: 0, max: 0 })
  })
}

/** Every mark once, also where many paths lead to it; undefined when the budget is used up. */
function collectMarks<T>(
  context: KeywordContext,
  node: NormalObject,
  evaluatesOf: (part: NormalObject) => Evaluated<T>,
): readonly Mark<T>[] | undefined {
  const { formulas, inPlace, target } = context
  const marks = new Map<string, Mark<T>>()
  const visited = new Map<NormalObject, Set<number>>()
  let exhausted = false
  visit(node, formulas.yes)
  return exhausted ? undefined : [...marks.values()]

  function visit(schema: NormalSchema, condition: Formula): void {
    if (exhausted || typeof schema === 'boolean' || condition === formulas.no) return
    const conditions = visited.get(schema) ?? new Set<number>()
    if (conditions.has(condition.id)) return
    visited.set(schema, conditions.add(condition.id))
    if (!context.spend(stepsPerVisit * (1 + countParts(condition)))) {
      exhausted = true
      return
    }
    const { evaluates, key } = evaluatesOf(schema)
    marks.set(`${condition.id} ${key}`, { condition, evaluates })
    if (schema.$ref !== undefined) visit(target(schema.$ref), condition)
    for (const part of schema.allOf ?? []) visit(part, condition)
    for (const part of [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]) visitIf(part, inPlace(part), condition)
    if (schema.if !== undefined) {
      const test = inPlace(schema.if)
      visitIf(schema.if, test, condition)
      if (schema.then !== undefined) visitIf(schema.then, test, condition)
      if (schema.else !== undefined) visitIf(schema.else, formulas.not(test), condition)
    }
    for (const [name, part] of Object.entries((context.type === 'object' && schema.dependentSchemas) || {})) {
      visitIf(part, has(context, name), condition)
    }
  }

  function visitIf(schema: NormalSchema, own: Formula, outer: Formula): void {
    visit(schema, formulas.and([outer, own]))
  }
}

function countParts(condition: Formula): number {
  return 'parts' in condition ? condition.parts.length : 1
}

function casesOf<T>(
  context: KeywordContext,
  node: NormalObject,
  { marks, construct }: { readonly marks: readonly Mark<T>[] | undefined; readonly construct: string },
  formulaOf: (evaluated: readonly T[]) => Formula,
): Formula {
  const { formulas } = context
  const whole = (): Formula => context.literal({ kind: 'whole', claim: context.claim(node), construct })
  if (marks === undefined) return whole()
  const always = marks.filter(({ condition }) => condition === formulas.yes).map(({ evaluates }) => evaluates)
  const base = formulaOf(always)
  if (base === formulas.yes) return base
  const byCondition = new Map<Formula, T[]>()
  for (const { condition, evaluates } of marks) {
    if (condition === formulas.yes) continue
    if (!context.spend(stepsPerVisit * (1 + always.length))) return whole()
    if (formulaOf([...always, evaluates]) === base) continue
    byCondition.set(condition, [...(byCondition.get(condition) ?? []), evaluates])
    if (byCondition.size > maxConditions) return whole()
  }
  let cases: { readonly conditions: readonly Formula[]; readonly evaluated: readonly T[] }[] = [
    { conditions: [], evaluated: always },
  ]
  for (const [condition, evaluates] of byCondition) {
    cases = cases.flatMap((one) => [
      one,
      { conditions: [...one.conditions, condition], evaluated: [...one.evaluated, ...evaluates] },
    ])
  }
  return formulas.or(cases.map(({ conditions, evaluated }) => formulas.and([...conditions, formulaOf(evaluated)])))
}
