// Turns arguments into Cedar's JSON by walking the plan, never the data: every object written is one that the plan declares, so that an
// argument such as { "__entity": … } can be read as nothing but text. What does not fit its type is reported, never bent.
import { canonicalize } from '../../json/canonical.ts'
import { appendPointer } from '../../json/pointer.ts'
import { isObject, type JsonObject, type JsonValue } from '../../json/value.ts'
import { nameMap } from '../../schema/normal.ts'
import type { Plan, RecordPlan } from './argument-plan.ts'

export type CedarValue = string | number | boolean | readonly CedarValue[] | { readonly [name: string]: CedarValue }

export type Encoding =
  | { readonly ok: true; readonly value: CedarValue }
  | { readonly ok: false; readonly pointer: string; readonly message: string }

/** The way to what did not fit, filled from the inside out. */
interface Misfit {
  readonly path: (string | number)[]
  message: string
}

type Encoder = (value: JsonValue, misfit: Misfit) => CedarValue | undefined

const decimalSyntax = /^-?[0-9]{1,15}\.[0-9]{1,4}$/
/** Cedar counts ten-thousandths in 64 bits. */
const largestDecimal = 922_337_203_685_477

/** The engine takes 16 µs for each element, and nothing else runs meanwhile. */
export const mostElements = 10_000

export function compileEncoder(plan: RecordPlan): (args: JsonObject) => Encoding {
  const encode = encoderOf(plan)
  return (args) => {
    const misfit: Misfit = { path: [], message: '' }
    const value = encode(args, misfit)
    if (value !== undefined) return { ok: true, value }
    return { ok: false, pointer: misfit.path.reduceRight<string>(appendPointer, ''), message: misfit.message }
  }
}

function encoderOf(plan: Plan): Encoder {
  switch (plan.kind) {
    case 'string':
      return (value, misfit) => (typeof value === 'string' ? value : unfit(misfit, 'is no text'))
    case 'boolean':
      return (value, misfit) => (typeof value === 'boolean' ? value : unfit(misfit, 'is neither true nor false'))
    case 'long':
      return (value, misfit) =>
        Number.isSafeInteger(value) ? (value as number) : unfit(misfit, 'is no whole number within 2^53')
    case 'decimal':
      return encodeDecimal
    case 'text':
      return (value) => canonicalize(value)
    case 'set':
      return setEncoder(encoderOf(plan.element))
    case 'record':
      return recordEncoder(plan)
  }
}

function encodeDecimal(value: JsonValue, misfit: Misfit): CedarValue | undefined {
  if (typeof value === 'number' && Math.abs(value) <= largestDecimal) {
    const text = Number.isInteger(value) ? `${value}.0` : `${value}`
    if (decimalSyntax.test(text)) return text
  }
  return unfit(misfit, 'is no number with at most 15 digits before the point and 4 after it')
}

function setEncoder(encode: Encoder): Encoder {
  return (value, misfit) => {
    if (!Array.isArray(value)) return unfit(misfit, 'is no array')
    if (value.length > mostElements) return unfit(misfit, `has more than ${mostElements} items`)
    const elements: CedarValue[] = []
    for (let index = 0; index < value.length; index++) {
      const element = encode(value[index] as JsonValue, misfit)
      if (element === undefined) return unfitAt(misfit, index)
      elements.push(element)
    }
    return elements
  }
}

function recordEncoder(plan: RecordPlan): Encoder {
  const attributes = [...plan.attributes].map(([name, attribute]) => ({ name, encode: encoderOf(attribute.plan) }))
  return (value, misfit) => {
    if (!isObject(value)) return unfit(misfit, 'is no object')
    const record = nameMap<CedarValue>()
    for (const { name, encode } of attributes) {
      const member = Object.hasOwn(value, name) ? value[name] : undefined
      if (member === undefined || member === null) continue
      const encoded = encode(member, misfit)
      if (encoded === undefined) return unfitAt(misfit, name)
      record[name] = encoded
    }
    return record
  }
}

function unfit(misfit: Misfit, message: string): undefined {
  misfit.message = message
}

function unfitAt(misfit: Misfit, token: string | number): undefined {
  misfit.path.push(token)
}

/** Pointers of keys that the plan does not declare, and that policies therefore cannot see. */
export function findUnseen(plan: Plan, value: JsonValue, pointer = ''): readonly string[] {
  if (plan.kind === 'set' && Array.isArray(value)) {
    if (plan.element.kind !== 'record' && plan.element.kind !== 'set') return []
    return value.flatMap((element, index) => findUnseen(plan.element, element, appendPointer(pointer, index)))
  }
  if (plan.kind !== 'record' || !isObject(value)) return []
  return Object.entries(value).flatMap(([name, member]) => {
    const attribute = plan.attributes.get(name)
    const place = appendPointer(pointer, name)
    return attribute === undefined ? [place] : findUnseen(attribute.plan, member, place)
  })
}
