// Arguments as data: a template in which `{ "$from": pointer }` stands for what is found there. Pure; a pointer that finds nothing is a
// failure with its place, never an argument that is silently left out.
import { appendPointer, isPointer, readPointer } from '../../json/pointer.ts'
import { isObject, type JsonObject, type JsonValue } from '../../json/value.ts'

export type Rendered =
  | { readonly ok: true; readonly value: JsonObject }
  | { readonly ok: false; readonly message: string }

export function renderTemplate(template: JsonObject, known: JsonObject): Rendered {
  const missing: string[] = []
  const fill = (value: JsonValue, at: string): JsonValue => {
    if (isList(value)) return value.map((item, index) => fill(item, appendPointer(at, index)))
    if (!isObject(value)) return value
    const reference = referenceOf(value)
    if (reference?.kind === 'literal') return reference.value
    if (reference !== undefined) {
      const found = readPointer(known, reference.pointer)
      if (found === undefined) missing.push(`${at === '' ? 'the arguments' : at}: nothing is at ${reference.pointer}`)
      return found ?? null
    }
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fill(item, appendPointer(at, key))]))
  }
  const value = fill(template, '')
  if (missing.length > 0) return { ok: false, message: `The arguments cannot be made; ${missing.join('; ')}.` }
  return isObject(value) ? { ok: true, value } : { ok: false, message: 'The arguments are not an object.' }
}

/** Every pointer that the template reads, and every `$from` that is none. */
export function templatePointers(
  template: JsonValue,
): readonly { readonly pointer: string; readonly valid: boolean }[] {
  if (isList(template)) return template.flatMap(templatePointers)
  if (!isObject(template)) return []
  if (Object.hasOwn(template, '$from')) {
    const pointer = template.$from
    const valid = referenceOf(template)?.kind === 'from'
    return [{ pointer: typeof pointer === 'string' ? pointer : JSON.stringify(pointer ?? null), valid }]
  }
  return referenceOf(template)?.kind === 'literal' ? [] : Object.values(template).flatMap(templatePointers)
}

type Reference =
  | { readonly kind: 'from'; readonly pointer: string }
  | { readonly kind: 'literal'; readonly value: JsonValue }

function referenceOf(value: JsonObject): Reference | undefined {
  const [key, ...others] = Object.keys(value)
  if (key === undefined || others.length > 0) return undefined
  const inner = value[key]
  if (key === '$literal' && inner !== undefined) return { kind: 'literal', value: inner }
  return key === '$from' && typeof inner === 'string' && isPointer(inner) ? { kind: 'from', pointer: inner } : undefined
}

const isList = (value: JsonValue): value is readonly JsonValue[] => Array.isArray(value)
