// How to mend a value of the wrong type, one row per habit of models; the first row that fits gives the advice.
// Invariant: no hint repeats the value, and a row that looks into the value is skipped where the value is hidden.
import { isObject, type JsonObject, type JsonValue } from '../../json/value.ts'
import { isList, type TypeSet, typeSet } from '../json-type.ts'
import type { Judge } from '../judge/judge.ts'
import { allTypes, type NormalSchema, type TypeName } from '../normal.ts'

export interface Mistyped {
  readonly value: JsonValue
  /** The types that would be accepted. */
  readonly types: TypeSet
  readonly schema: NormalSchema
  readonly judge: Judge
  /** Whether the value stands in a property that may be left out. */
  readonly optional: boolean
}

export interface TypeHint {
  readonly habit: string
  readonly advice: string
  /** Looks only at the type, so it tells nothing about the content. */
  readonly blind?: true
  fits(given: Mistyped): boolean
}

export const typeHints: readonly TypeHint[] = [
  {
    habit: 'null for a property that may be left out',
    advice: 'Leave it out instead of sending null.',
    blind: true,
    fits: ({ value, optional }) => value === null && optional,
  },
  {
    habit: 'a number in quotes',
    advice: 'Send the number itself, without quotes.',
    fits: ({ value, types }) =>
      isText(value) &&
      numberText.test(value) &&
      (wants(types, 'number') || (wants(types, 'integer') && isWholeNumber(value))),
  },
  {
    habit: 'a boolean in quotes',
    advice: 'Send true or false without quotes.',
    fits: ({ value, types }) => isText(value) && wants(types, 'boolean') && /^(?:true|false)$/i.test(value.trim()),
  },
  {
    habit: 'null in quotes',
    advice: 'Send null without quotes.',
    fits: ({ value, types }) => isText(value) && wants(types, 'null') && /^(?:null|none)$/i.test(value.trim()),
  },
  {
    habit: 'an array written into a string',
    advice: 'Send the array itself, not a string containing JSON.',
    fits: ({ value, types }) => wants(types, 'array') && isEnclosed(value, '[', ']'),
  },
  {
    habit: 'an object written into a string',
    advice: 'Send the object itself, not a string containing JSON.',
    fits: ({ value, types }) => wants(types, 'object') && isEnclosed(value, '{', '}'),
  },
  {
    habit: 'several items in one string',
    advice: 'Send an array of separate strings, not one string with commas.',
    fits: ({ value, types, schema, judge }) =>
      wants(types, 'array') && isText(value) && value.includes(',') && judge.accepts(schema, splitText(value)),
  },
  {
    habit: 'a single item without its array',
    advice: 'Send an array, even for a single item.',
    fits: ({ value, types, schema, judge }) => wants(types, 'array') && judge.accepts(schema, [value]),
  },
  {
    habit: 'an array around a single value',
    advice: 'Send the single item itself, not an array.',
    fits: ({ value, schema, judge }) => isList(value) && value.length === 1 && judge.accepts(schema, value[0] ?? null),
  },
  {
    habit: 'the schema given back in place of a value',
    advice: 'Send a value, not a description of its type.',
    fits: ({ value, types }) => isObject(value) && !wants(types, 'object') && isSchemaLike(value),
  },
  {
    habit: 'an object around a single value',
    advice: 'Send the inner value itself, not an object around it.',
    fits: ({ value, schema, judge }) => {
      if (!isObject(value)) return false
      const [key, other] = Object.keys(value)
      return key !== undefined && other === undefined && judge.accepts(schema, value[key] ?? null)
    },
  },
  {
    habit: 'a number or boolean where text is due',
    advice: 'Write it as a string, in quotes.',
    fits: ({ value, schema, judge }) =>
      (typeof value === 'number' || typeof value === 'boolean') && judge.accepts(schema, String(value)),
  },
  {
    habit: 'a fraction where a whole number is due',
    advice: 'Send a whole number.',
    blind: true,
    fits: ({ value, types }) => typeof value === 'number' && wants(types, 'integer'),
  },
]

export function typeHint(given: Mistyped, hidden: boolean): string {
  const hint = typeHints.find((row) => (row.blind === true || !hidden) && row.fits(given))
  return hint?.advice ?? ''
}

const numberText = /^\s*-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?\s*$/
const maxText = 10_000
const typeNamed: ReadonlySet<string> = new Set(allTypes)

function wants(types: TypeSet, name: TypeName): boolean {
  const bits = typeSet([name])
  return (types & bits) === bits
}

/** Text short enough to look into; longer text is no number, and `isEnclosed` looks at its brackets only. */
function isText(value: JsonValue): value is string {
  return typeof value === 'string' && value.length <= maxText
}

function isWholeNumber(text: string): boolean {
  return Number.isInteger(Number(text))
}

function isEnclosed(value: JsonValue, open: string, close: string): boolean {
  if (typeof value !== 'string') return false
  const text = value.length <= maxText ? value.trim() : value
  return text.startsWith(open) && text.endsWith(close)
}

function splitText(text: string): readonly string[] {
  return text.split(',').map((part) => part.trim())
}

function isSchemaLike(value: JsonObject): boolean {
  return typeof value.type === 'string' && typeNamed.has(value.type)
}
