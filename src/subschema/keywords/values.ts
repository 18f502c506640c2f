// Constants as formulas: scalars as finite sets, arrays and objects taken apart, so that they meet every other constraint.
import { isObject, type JsonValue } from '../../json/value.ts'
import { jsonTypeOf } from '../../schema/json-type.ts'
import { has, named } from '../objects/key-formulas.ts'
import type { Formula, Scalar } from '../solver/formula.ts'
import type { KeywordContext } from './keyword-context.ts'

export function oneOfValues(context: KeywordContext, values: readonly JsonValue[]): Formula {
  const { formulas, literal, type } = context
  const own = values.filter((value) => jsonTypeOf(value) === type)
  if (type === 'null') return own.length > 0 ? formulas.yes : formulas.no
  if (type === 'array' || type === 'object') return formulas.or(own.map((value) => equalTo(context, value)))
  // -0 is 0 in JSON.
  const scalars = [...new Set(own.map((value) => (value === 0 ? 0 : (value as Scalar))))]
  return literal({ kind: 'in', values: scalars.sort(), holds: true })
}

export function equalTo(context: KeywordContext, value: JsonValue): Formula {
  if (jsonTypeOf(value) !== context.type) return context.formulas.no
  if (Array.isArray(value)) return equalToList(context, value)
  if (isObject(value)) return equalToObject(context, value)
  return oneOfValues(context, [value])
}

function equalToList({ formulas, literal, claim }: KeywordContext, items: readonly JsonValue[]): Formula {
  return formulas.and([
    literal({ kind: 'size', min: items.length, max: items.length }),
    ...items.map((item, index) => literal({ kind: 'at', index, claim: claim({ const: item }) })),
  ])
}

function equalToObject(context: KeywordContext, object: { readonly [key: string]: JsonValue }): Formula {
  const { formulas, literal, claim } = context
  const names = Object.keys(object)
  const own = names.flatMap((name) => [
    has(context, name),
    literal({ kind: 'all', keys: named(context, [name]), claim: claim({ const: object[name] as JsonValue }) }),
  ])
  const others = literal({ kind: 'in', values: [...names].sort(), holds: false })
  return formulas.and([...own, literal({ kind: 'all', keys: others, claim: claim(false) })])
}
