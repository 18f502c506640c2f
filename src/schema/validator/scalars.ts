// Program text for types, constants, numbers and strings.
import type { JsonValue } from '../../json/value.ts'
import { formatCheck } from '../formats/formats.ts'
import { multipleTest } from '../measures.ts'
import type { NormalObject, TypeName } from '../normal.ts'
import { patternTest } from '../patterns/pattern-test.ts'
import { literal, type Spot, type Writer } from './writer.ts'

const typeTests: Readonly<Record<TypeName, (value: string) => string>> = {
  null: (value) => `${value}===null`,
  boolean: (value) => `typeof ${value}==="boolean"`,
  object: (value) => `typeof ${value}==="object"&&${value}!==null&&!Array.isArray(${value})`,
  array: (value) => `Array.isArray(${value})`,
  number: (value) => `typeof ${value}==="number"`,
  integer: (value) => `Number.isInteger(${value})`,
  string: (value) => `typeof ${value}==="string"`,
}

/** A condition that is true for values of one of the types. */
export function typeCondition(types: readonly TypeName[], value: string): string {
  if (types.length === 0) return 'false'
  return types.map((type) => (types.length === 1 ? typeTests[type](value) : `(${typeTests[type](value)})`)).join('||')
}

/** `enum` and `const`. */
export function writeValues(writer: Writer, node: NormalObject, { value, fail }: Spot): void {
  if (node.const !== undefined) writer.line(`if(${differs(writer, node.const, value)})${fail}`)
  if (node.enum === undefined) return
  const scalars = node.enum.filter((one) => typeof one !== 'object' || one === null)
  const others = node.enum.filter((one) => typeof one === 'object' && one !== null)
  const conditions = others.map((one) => differs(writer, one, value))
  if (scalars.length > 6) conditions.unshift(`!${writer.constant(new Set(scalars))}.has(${value})`)
  else conditions.unshift(...scalars.map((one) => differs(writer, one, value)))
  writer.line(`if(${conditions.length === 0 ? 'true' : conditions.join('&&')})${fail}`)
}

function differs(writer: Writer, constant: JsonValue, value: string): string {
  if (typeof constant === 'string') return `${value}!==${literal(constant)}`
  if (typeof constant === 'object' && constant !== null) return `!equal(${writer.constant(constant)},${value})`
  return `${value}!==${String(constant)}`
}

export function writeNumber(writer: Writer, node: NormalObject, { value, fail }: Spot): void {
  const bounds: readonly (readonly [number | undefined, string])[] = [
    [node.minimum, '>='],
    [node.exclusiveMinimum, '>'],
    [node.maximum, '<='],
    [node.exclusiveMaximum, '<'],
  ]
  for (const [bound, comparison] of bounds) {
    if (bound !== undefined) writer.line(`if(!(${value}${comparison}${bound}))${fail}`)
  }
  const { multipleOf } = node
  if (multipleOf !== undefined) writer.line(`if(!${writer.constant(multipleTest(multipleOf))}(${value}))${fail}`)
  writeFormat(writer, node, 'number', { value, fail })
}

export function writeString(writer: Writer, node: NormalObject, { value, fail }: Spot): void {
  if (node.minLength !== undefined && node.minLength > 0) {
    // One character is there as soon as there is one UTF-16 unit.
    const short = node.minLength === 1 ? `${value}===""` : `isShorter(${value},${node.minLength})`
    writer.line(`if(${short})${fail}`)
  }
  if (node.maxLength !== undefined) {
    writer.line(`if(${value}.length>${node.maxLength}&&isLonger(${value},${node.maxLength}))${fail}`)
  }
  if (node.pattern !== undefined) {
    writer.line(`if(!${writer.constant(patternTest(node.pattern))}(${value}))${fail}`)
  }
  writeFormat(writer, node, 'string', { value, fail })
}

function writeFormat(writer: Writer, node: NormalObject, type: 'string' | 'number', { value, fail }: Spot): void {
  if (!writer.asserting || node.format === undefined) return
  const check = formatCheck(node.format)
  if (check?.type === type) writer.line(`if(!${writer.constant(check.test)}(${value}))${fail}`)
}

export function constrainsNumber(node: NormalObject, asserting: boolean): boolean {
  const keywords = [node.minimum, node.exclusiveMinimum, node.maximum, node.exclusiveMaximum, node.multipleOf]
  return keywords.some((keyword) => keyword !== undefined) || hasFormat(node, 'number', asserting)
}

export function constrainsString(node: NormalObject, asserting: boolean): boolean {
  const keywords = [node.minLength, node.maxLength, node.pattern]
  return keywords.some((keyword) => keyword !== undefined) || hasFormat(node, 'string', asserting)
}

function hasFormat(node: NormalObject, type: 'string' | 'number', asserting: boolean): boolean {
  return asserting && node.format !== undefined && formatCheck(node.format)?.type === type
}
